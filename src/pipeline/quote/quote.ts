/**
 * Stage 2: requests the rates of a batch of pages, then has the batch decided in one transaction. A
 * refused batch is halved, so that one bad URL does not affect the other pages.
 */
import { partOfUrl } from "../../catalog/url-path.ts";
import { isLicetError } from "../../errors.ts";
import type { Elsewhere, FrontierPage, OpenedQuoteBatch } from "../../ledger/frontier-ledger.ts";
import type { Intent } from "../../policy/rule.ts";
import { decideQuoted } from "../decide/decide-quoted.ts";
import type { DecisionTurn } from "../decide/decision-turns.ts";
import { siteOf } from "../site-of.ts";
import type { StageDeps, WorkerDeps } from "../stage-deps.ts";
import { describeFailure } from "../work/describe-failure.ts";
import { keepLease } from "../work/keep-lease.ts";
import { isGatewayError, restBatch, restInOutage, retryBatch } from "../work/retry-batch.ts";
import { findGrantedPage, REFUSALS } from "./granted-page.ts";
import type { Quoted, RateAnswer } from "./rate-answer.ts";
import { stopNotEnabled } from "./stop-not-enabled.ts";

/** What only the owner of the ledger can say, who has the policies and the budgets. */
export interface QuoteOwner {
  /** Under which intent the pages of a site are bought. */
  intentOf(host: string): Intent;
  /** Decides the pages of a batch whose rates are known. */
  decide(quoted: Quoted): Promise<void>;
}

/** The stage with the owner of the ledger. @throws LicetError when the whole run cannot continue */
export function quote(deps: StageDeps, leaseId: string, signal: AbortSignal): Promise<void> {
  const owner: QuoteOwner = {
    intentOf: (host) => siteOf(deps, host).policy.policy.intent,
    decide: (quoted) => decideQuoted(deps, quoted),
  };
  return quoteFor(owner, deps, leaseId, signal);
}

/** The stage anywhere: asks for the rates, and has the owner of the ledger decide. */
export async function quoteFor(
  owner: QuoteOwner,
  deps: WorkerDeps,
  leaseId: string,
  signal: AbortSignal,
): Promise<void> {
  const turn = deps.turns.enter();
  try {
    await quoteInTurn(owner, deps, { leaseId, turn }, signal);
  } finally {
    turn.leave();
  }
}

async function quoteInTurn(
  owner: QuoteOwner,
  deps: WorkerDeps,
  { leaseId, turn }: { readonly leaseId: string; readonly turn: DecisionTurn },
  signal: AbortSignal,
): Promise<void> {
  const opened = await deps.ledger.openQuoteBatch(leaseId);
  if (opened === null) {
    return;
  }
  turn.isOf(opened.host);
  // A batch with many refused URLs is requested in many pieces, which may take longer than one lease. So may the turn.
  const lease = keepLease(deps, { leaseId, leasedUntil: opened.leasedUntil }, signal);
  let answers: RateAnswer[] | null = null;
  try {
    if (owner.intentOf(opened.host) === "content") {
      answers = await quotePages(deps, toQuoteRequest(deps, opened), lease.signal);
      deps.outagePolicy.reportSuccess("gateway");
    }
    if (deps.order === "catalog") {
      await turn.wait();
    }
  } catch (error) {
    return await settleFailedQuote(deps, leaseId, opened, error, lease.signal);
  } finally {
    lease.stop();
  }
  await owner.decide({ leaseId, opened, answers });
}

/** Pages of one site whose rates are wanted. */
export interface QuoteRequest {
  readonly host: string;
  readonly pages: readonly FrontierPage[];
  /** What is known about parts of the site other than this one. */
  readonly findElsewhere: (part: string) => Promise<Elsewhere>;
}

export function toQuoteRequest(
  { ledger }: Pick<WorkerDeps, "ledger">,
  { runId, host, pages }: OpenedQuoteBatch,
): QuoteRequest {
  return { host, pages, findElsewhere: (part) => ledger.findElsewhere({ runId, host, part }) };
}

/**
 * Requests the rates of pages and returns them in the order of the pages.
 * @throws LicetError GATEWAY_*. GATEWAY_FORBIDDEN is thrown only when pages requested alone, also in another part of the site,
 * are forbidden like the whole batch. Then the whole site is forbidden.
 */
export async function quotePages(
  deps: Pick<WorkerDeps, "gateway" | "siteHealth">,
  { host, pages, findElsewhere }: QuoteRequest,
  signal: AbortSignal,
): Promise<RateAnswer[]> {
  const [first] = pages;
  if (first === undefined) {
    return [];
  }
  try {
    const answers = await quoteAtOnce(deps, pages, signal);
    deps.siteHealth.granted(host, "rates");
    return answers;
  } catch (error) {
    if (isLicetError(error, "GATEWAY_FORBIDDEN") && !deps.siteHealth.isGranted(host, "rates")) {
      if (!(await findGrantedPage(deps, pages, await findElsewhere(partOfUrl(first.url)), signal))) {
        throw error;
      }
      deps.siteHealth.granted(host, "rates");
    }
    return quoteInHalves(deps, pages, error, signal);
  }
}

async function quoteAtOnce(
  deps: Pick<WorkerDeps, "gateway">,
  pages: readonly FrontierPage[],
  signal: AbortSignal,
): Promise<RateAnswer[]> {
  const listings = await deps.gateway.quoteBatch(
    pages.map((page) => page.wireUrl),
    signal,
  );
  return pages.map((page) => {
    const listing = listings.get(page.wireUrl);
    return listing === undefined ? { kind: "missing" } : { kind: "listed", listing };
  });
}

/** @param error the failure of the request for all these pages; thrown again when it is not a refusal */
async function quoteInHalves(
  deps: Pick<WorkerDeps, "gateway">,
  pages: readonly FrontierPage[],
  error: unknown,
  signal: AbortSignal,
): Promise<RateAnswer[]> {
  if (!isLicetError(error) || !REFUSALS.has(error.code)) {
    throw error;
  }
  if (pages.length === 1) {
    return [{ kind: "refused", detail: error.message }];
  }
  const middle = Math.ceil(pages.length / 2);
  const answers: RateAnswer[] = [];
  for (const half of [pages.slice(0, middle), pages.slice(middle)]) {
    try {
      answers.push(...(await quoteAtOnce(deps, half, signal)));
    } catch (halfError) {
      answers.push(...(await quoteInHalves(deps, half, halfError, signal)));
    }
  }
  return answers;
}

/** Decides what a failed quote batch ends: nothing (the batch is tried again), its site, or (by throwing) the run. */
export async function settleFailedQuote(
  deps: WorkerDeps,
  leaseId: string,
  opened: OpenedQuoteBatch,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  const { host, runId } = opened;
  const now = deps.clock.now();
  if (signal.aborted) {
    await deps.ledger.returnBatch({ leaseId, notBefore: now });
    return;
  }
  if (!isGatewayError(error)) {
    throw error;
  }
  if (isLicetError(error, "GATEWAY_FORBIDDEN")) {
    return (await waitForWalk(deps, leaseId, opened)) ? undefined : stopNotEnabled(deps, opened);
  }
  if (await retryBatch(deps, { leaseId, attempt: opened.attempt, call: "rate_batch" }, error)) {
    return;
  }
  if (error.stops === "run") {
    throw error;
  }
  const alone = opened.pages.slice(0, 1).map(
    ({ wireUrl }) =>
      () =>
        deps.gateway.quotePage(wireUrl, signal),
  );
  if (await restInOutage(deps, { leaseId, attempt: opened.attempt }, error, alone)) {
    return;
  }
  await deps.ledger.stopSite({ runId, host, stop: "failed", detail: error.message, now });
  const detail = `the rates of ${host} cannot be read: ${describeFailure(error)}`;
  deps.events.siteStopped({ host, stop: "failed", detail });
}

/**
 * Returns a forbidden batch while the walk may still find another part of the site to check.
 * @returns false when there is nothing to wait for
 */
async function waitForWalk(deps: WorkerDeps, leaseId: string, opened: OpenedQuoteBatch): Promise<boolean> {
  const { runId, host, attempt } = opened;
  const [first] = opened.pages;
  if (first === undefined || attempt >= deps.limits.batchAttempts) {
    return false;
  }
  const { otherPart, walkEnded } = await deps.ledger.findElsewhere({ runId, host, part: partOfUrl(first.url) });
  if (otherPart !== null || walkEnded) {
    return false;
  }
  await restBatch(deps, { leaseId, attempt });
  return true;
}
