/**
 * Buys the pages of a fetch that are not held. It first waits until nobody else is buying one of them: other calls of this process, and runs of
 * any process. What they bought is held then. One run buys all that is left, so that `maxSpend` and budgets with the scope `run` hold for the
 * whole call.
 */
import { withoutScheme } from "../../catalog/page-url.ts";
import { isLicetError, LicetError } from "../../errors.ts";
import type { FetchedPage } from "../../ledger/fetch-ledger.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { StageEvents } from "../../pipeline/stage-deps.ts";
import { elapsedMs } from "../../time/clock.ts";
import type { Resources } from "../compose.ts";
import { findDead, finishDeadFetches } from "./dead-fetch.ts";
import { answerDoubtfulEnds } from "./doubtful-ends.ts";
import {
  answerFailed,
  answerHeld,
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
import { type HeldPages, readHeld, toAskedExpiry, underBothSchemes } from "./held-pages.ts";
import type { PagesUnderWay } from "./pages-under-way.ts";
import { isOver, type Waiting, waitForCalls, waitForRuns } from "./wait-for-others.ts";

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
  await finishDeadFetches(resources, ledger, { events, signal: call.signal });
  const waiting = { events, until: elapsedMs(resources.clock) + MAX_WAIT_MS, signal: call.signal };
  while (left.size > 0) {
    const held = await readWhenFree(deps, [...left.values()], waiting);
    take(toAnswers(held));
    const taken = underWay.take([...left.keys()].map(withoutScheme));
    if (taken.mine.length === left.size || isOver(resources, waiting)) {
      const mine = [...left.values()].filter(({ url }) => taken.mine.includes(withoutScheme(url)));
      take(await buySure(deps, mine, { held, call }).finally(() => taken.release()));
      break;
    }
    taken.release();
    await waitForCalls(resources, taken.others, waiting);
  }
  if (left.size > 0) {
    // Another process began to buy them after they were looked at.
    take(toAnswers(await readWhenFree(deps, [...left.values()], waiting)));
    take(await answerRest({ resources, ledger }, [...left.values()], call.signal));
  }
  return answers;
}

/** What is held when no run buys one of the pages any more, or when the call has waited long enough. */
async function readWhenFree(
  { resources, ledger }: BuyingDeps,
  pages: readonly PageToBuy[],
  waiting: Waiting,
): Promise<HeldPages> {
  await waitForRuns(resources, ledger, underBothSchemes(pages), waiting);
  return readHeld(resources, ledger, pages);
}

function toAnswers({ usable }: HeldPages): Answers {
  return new Map([...usable].map(([url, { document }]) => [url, answerHeld(url, document)]));
}

/** Leaves out what is bought again only because of a clock that may be wrong. */
async function buySure(
  deps: BuyingDeps,
  pages: readonly PageToBuy[],
  work: { readonly held: HeldPages; readonly call: FetchCall },
): Promise<Answers> {
  const urls = pages.map(({ url }) => url);
  const doubtful = work.call.trustClock ? new Map() : await answerDoubtfulEnds(deps, urls, work.held);
  const bought = await buy(
    deps,
    pages.filter(({ url }) => !doubtful.has(url)),
    work,
  );
  return new Map([...doubtful, ...bought]);
}

/** @returns answers for the pages that are decided. The others are bought by somebody else */
async function buy(
  deps: BuyingDeps,
  pages: readonly PageToBuy[],
  { held: { ended }, call }: { readonly held: HeldPages; readonly call: FetchCall },
): Promise<Answers> {
  if (pages.length === 0) {
    return new Map();
  }
  const { resources, ledger, events, spending, onBegin } = deps;
  const { maxPrice, maxSpend, trustClock, signal } = call;
  const gone = pages.flatMap(({ url }) => ended.get(url)?.held ?? []);
  let end: FetchRunEnd;
  try {
    const expiry = toAskedExpiry(resources.config, gone);
    end = await runFetch(resources, ledger, { expiry, pages, maxPrice, maxSpend, trustClock, signal, events, onBegin });
  } catch (error) {
    // No run could begin, so nothing was bought.
    return new Map(pages.map(({ url }) => [url, answerFailed(asLicetError(error))]));
  }
  const { fetched } = end;
  if (fetched === null) {
    spending.addUnknown();
    const error = end.error ?? interrupted();
    return new Map(pages.map(({ url }) => [url, answerFailed(error)]));
  }
  spending.add([...fetched.values()]);
  const left = pages.filter(({ url }) => !fetched.has(url));
  const answers = new Map(left.length === 0 ? [] : toAnswers(await readHeld(resources, ledger, left)));
  for (const page of pages.filter(({ url }) => !answers.has(url))) {
    const one = fetched.get(page.url);
    const why = ended.get(page.url)?.why ?? null;
    const answer =
      one === undefined || wasNeverSent(one)
        ? await answerUndecided(deps, page, { end, why, signal })
        : await answerFetched(deps, page, one);
    if (answer !== null) {
      answers.set(page.url, answer);
    }
  }
  return answers;
}

/** @throws what is a bug */
function asLicetError(error: unknown): LicetError {
  if (!isLicetError(error)) {
    throw error;
  }
  return error;
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

/**
 * What kept the run from deciding a page.
 * @param undecided.why what ended the rights to the version that is held; null when none is
 */
async function answerUndecided(
  { ledger }: BuyingDeps,
  { site }: PageToBuy,
  undecided: { readonly end: FetchRunEnd; readonly why: string | null; readonly signal: AbortSignal },
): Promise<FetchAnswer> {
  const { end, why, signal } = undecided;
  if (end.error !== null) {
    return answerFailed(end.error);
  }
  if (signal.aborted) {
    return answerFailed(interrupted());
  }
  const { sites } = await ledger.readRun(end.runId);
  const own = sites.find(({ host }) => host === site.host) ?? null;
  // A person took its text out, and its catalog shows no newer version: no run buys it again either.
  return why !== null && (own?.stop ?? null) === null ? answerRightsEnded(why) : answerStopped(own);
}

/** Pages that others still have when the waiting is over. */
async function answerRest(
  { resources, ledger }: Pick<BuyingDeps, "resources" | "ledger">,
  pages: readonly PageToBuy[],
  signal: AbortSignal,
): Promise<Answers> {
  const { ended } = await readHeld(resources, ledger, pages);
  const underWay = await ledger.findUnderWay({ urls: underBothSchemes(pages) });
  const runOf = new Map(underWay.map(({ url, runId }) => [withoutScheme(url), runId]));
  const dead = (await findDead(resources, ledger, new Set(runOf.values()))).map(({ runId }) => runId);
  return new Map(
    pages.map(({ url }): [string, FetchAnswer] => {
      const why = ended.get(url)?.why;
      const runId = runOf.get(withoutScheme(url)) ?? null;
      if (signal.aborted) {
        return [url, answerFailed(interrupted())];
      }
      return runId === null && why !== undefined
        ? [url, answerRightsEnded(why)]
        : [url, answerUnderWay(runId, runId !== null && dead.includes(runId))];
    }),
  );
}

function interrupted(): LicetError {
  return new LicetError("INTERRUPTED", "the fetch was interrupted before it bought the page", {
    hint: "Ask again. What had started is finished, and is held.",
  });
}
