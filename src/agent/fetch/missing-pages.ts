/**
 * Buys the pages of a fetch that are not held, in rounds. A round buys what no call of this process is buying, and then waits for the rest: for
 * other calls of this process, and for runs of any process. What they bought is held then. What they did not buy is looked at again in the
 * next round, because their limits are not those of this call.
 */
import { isLicetError, LicetError } from "../../errors.ts";
import type { FetchedPage } from "../../ledger/fetch-ledger.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { StageEvents } from "../../pipeline/stage-deps.ts";
import type { Resources } from "../compose.ts";
import { findDeadRuns } from "./dead-fetch.ts";
import {
  answerFailed,
  answerNotBought,
  answerRightsEnded,
  answerStopped,
  answerUnderWay,
  answerWith,
  type FetchAnswer,
} from "./fetch-answers.ts";
import type { FetchCall } from "./fetch-checks.ts";
import { type FetchRunEnd, type PageToBuy, runFetch } from "./fetch-run.ts";
import type { FetchSpending } from "./fetch-spending.ts";
import { readHeld, toAskedExpiry } from "./held-pages.ts";
import type { PagesUnderWay } from "./pages-under-way.ts";
import { waitForCalls, waitForRuns } from "./wait-for-others.ts";

export interface BuyingDeps {
  readonly resources: Resources;
  readonly ledger: Ledger;
  readonly underWay: PagesUnderWay;
  readonly events: StageEvents;
  readonly spending: FetchSpending;
  /** Called for each run that begins. */
  readonly onBegin: (runId: string) => void;
}

type Answers = ReadonlyMap<string, FetchAnswer>;

/** A page that others have is looked at again so often. */
const MAX_ROUNDS = 4;
/** How long a call waits for others in all, ms. */
const MAX_WAIT_MS = 30_000;

/** @returns an answer for each page, by its identity */
export async function buyMissing(deps: BuyingDeps, pages: readonly PageToBuy[], call: FetchCall): Promise<Answers> {
  const { resources, ledger, underWay, events } = deps;
  const answers = new Map<string, FetchAnswer>();
  const left = new Map(pages.map((page) => [page.url, page]));
  const take = (some: Answers) => {
    for (const [url, answer] of some) {
      answers.set(url, answer);
      left.delete(url);
    }
  };
  const waiting = { events, until: resources.clock.now() + MAX_WAIT_MS, signal: call.signal };
  for (let round = 1; round <= MAX_ROUNDS && left.size > 0; round++) {
    const taken = underWay.take([...left.keys()]);
    try {
      take(
        await buy(
          deps,
          taken.mine.flatMap((url) => left.get(url) ?? []),
          call,
        ),
      );
    } finally {
      taken.release();
    }
    if (left.size > 0) {
      await waitForCalls(resources, taken.others, waiting);
      await waitForRuns(resources, ledger, [...left.keys()], waiting);
      take(await answerHeld(deps, [...left.values()]));
    }
  }
  take(await answerRest(deps, [...left.values()], call.signal));
  return answers;
}

async function answerHeld({ resources, ledger }: BuyingDeps, pages: readonly PageToBuy[]): Promise<Answers> {
  const { usable } = await readHeld(resources, ledger, pages);
  return new Map([...usable].map(([url, { document }]) => [url, answerWith("held", document)]));
}

/** @returns answers for the pages that are decided. The others are bought by somebody else */
async function buy(deps: BuyingDeps, pages: readonly PageToBuy[], call: FetchCall): Promise<Answers> {
  if (pages.length === 0) {
    return new Map();
  }
  const { resources, ledger, events, spending, onBegin } = deps;
  const { maxPrice, trustClock, signal } = call;
  const { ended } = await readHeld(resources, ledger, pages);
  const expiry = toAskedExpiry(
    resources.config,
    [...ended.values()].map(({ held }) => held),
  );
  let end: FetchRunEnd;
  try {
    const request = { expiry, pages, maxPrice, maxSpend: spending.left(), trustClock, signal, events, onBegin };
    end = await runFetch(resources, ledger, request);
  } catch (error) {
    if (!isLicetError(error)) {
      throw error;
    }
    return new Map(pages.map(({ url }) => [url, answerFailed(error)]));
  }
  spending.add([...end.fetched.values()]);
  const answers = new Map<string, FetchAnswer>(await answerHeldSince(deps, pages, end));
  for (const page of pages.filter(({ url }) => !answers.has(url))) {
    const fetched = end.fetched.get(page.url);
    const answer =
      fetched === undefined || wasNeverSent(fetched)
        ? await answerUndecided(deps, page, end, signal)
        : await answerFetched(deps, page, fetched);
    if (answer !== null) {
      answers.set(page.url, answer);
    }
  }
  return answers;
}

/** Pages that the run left out, because another run had bought them when it began. */
async function answerHeldSince(
  deps: BuyingDeps,
  pages: readonly PageToBuy[],
  { fetched }: FetchRunEnd,
): Promise<Answers> {
  const left = pages.filter(({ url }) => !fetched.has(url));
  return left.length === 0 ? new Map() : answerHeld(deps, left);
}

/** The end of the run has released it. */
function wasNeverSent(page: FetchedPage): boolean {
  return page.kind === "purchase" && page.state === "reserved";
}

/** Null: another purchase of the page is open, or has brought it. */
async function answerFetched(
  { ledger }: BuyingDeps,
  { site }: PageToBuy,
  fetched: FetchedPage,
): Promise<FetchAnswer | null> {
  if (fetched.kind === "denial" && (fetched.reason === "already_open" || fetched.reason === "already_held")) {
    return null;
  }
  if (fetched.kind === "purchase" && fetched.state === "settled") {
    const [held] = await ledger.findHeld({ urls: [fetched.url] });
    const isNewest = held?.document.purchaseId === fetched.purchaseId;
    const document = isNewest ? held.document : await ledger.readDocument(fetched.purchaseId);
    if (document !== null) {
      return answerWith("bought", document);
    }
  }
  return answerNotBought(fetched, site);
}

/** What kept the run from deciding a page. */
async function answerUndecided(
  { ledger }: BuyingDeps,
  { site }: PageToBuy,
  { runId, error }: FetchRunEnd,
  signal: AbortSignal,
): Promise<FetchAnswer> {
  if (error !== null) {
    return answerFailed(error);
  }
  if (signal.aborted) {
    return answerFailed(interrupted());
  }
  const { sites } = await ledger.readRun(runId);
  return answerStopped(sites.find(({ host }) => host === site.host) ?? null);
}

/** Pages that others still have when the waiting is over. */
async function answerRest(
  { resources, ledger }: BuyingDeps,
  pages: readonly PageToBuy[],
  signal: AbortSignal,
): Promise<Answers> {
  if (pages.length === 0) {
    return new Map();
  }
  const { ended } = await readHeld(resources, ledger, pages);
  const underWay = await ledger.findUnderWay({ urls: pages.map(({ url }) => url) });
  const runOf = new Map(underWay.map(({ url, runId }) => [url, runId]));
  const dead = await findDeadRuns(resources, ledger, new Set(runOf.values()));
  return new Map(
    pages.map(({ url }): [string, FetchAnswer] => {
      const why = ended.get(url)?.why;
      const runId = runOf.get(url) ?? null;
      if (signal.aborted) {
        return [url, answerFailed(interrupted())];
      }
      return runId === null && why !== undefined
        ? [url, answerRightsEnded(why)]
        : [url, answerUnderWay(runId, runId !== null && dead.has(runId))];
    }),
  );
}

function interrupted(): LicetError {
  return new LicetError("INTERRUPTED", "the fetch was interrupted before it bought the page", {
    hint: "Ask again. What had started is finished, and is held.",
  });
}
