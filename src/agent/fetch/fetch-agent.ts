/**
 * `agent.fetch`: a few pages now. What is held is answered from the ledger, without a request and without a write; what is missing is bought.
 */
import type { Ledger } from "../../ledger/ledger.ts";
import { checkSpendCurrency } from "../calls/call-settings.ts";
import { type Resources, warnOfSettings } from "../compose.ts";
import { withMarkdown } from "../documents/documents-agent.ts";
import type { EventBus } from "../events/events.ts";
import { createStageEvents } from "../events/stage-events.ts";
import { createShowRights } from "../rights/document-rights.ts";
import {
  answerExcluded,
  answerHeld,
  answerInvalid,
  answerNotConfigured,
  answerNotHeld,
  type FetchAnswer,
} from "./fetch-answers.ts";
import type { FetchCall } from "./fetch-checks.ts";
import type { FetchReport, FetchResult } from "./fetch-report.ts";
import type { PageToBuy } from "./fetch-run.ts";
import { createFetchSpending, type FetchSpending } from "./fetch-spending.ts";
import { openExisting, readHeld } from "./held-pages.ts";
import { buyMissing } from "./missing-pages.ts";
import type { PagesUnderWay } from "./pages-under-way.ts";
import { isExcluded, toWanted, type Wanted, type WantedPage } from "./wanted-pages.ts";

export interface FetchDeps {
  readonly resources: Resources;
  readonly bus: EventBus;
  /** Shared by all calls of the agent. */
  readonly underWay: PagesUnderWay;
}

/** Limits of a call after which a page stays unbought although a rule allowed it. */
const LIMITS: ReadonlySet<string> = new Set(["budget_exhausted", "max_spend"]);

/** @throws LicetError USAGE_INVALID, LEDGER_* when the ledger cannot be read. What keeps a page from being bought is its result */
export async function fetchAgent(deps: FetchDeps, given: readonly string[], call: FetchCall): Promise<FetchReport> {
  const { resources, bus } = deps;
  checkSpendCurrency(resources.config, call.maxSpend);
  const wanted = toWanted(resources.config, given);
  const spending = createFetchSpending(call.maxSpend);
  const collected = createStageEvents(bus, resources.clock);
  const runIds: string[] = [];
  const answers = new Map<string, FetchAnswer>();
  const missing = await answerFromLedger(resources, wanted, call, answers);
  if (missing.length > 0) {
    warnOfSettings(resources.config, collected.events);
    const ledger = await openForBuying(deps);
    const buying = {
      ...deps,
      ledger,
      spending,
      events: collected.events,
      onBegin: (runId: string) => runIds.push(runId),
    };
    for (const [url, answer] of await buyMissing(buying, missing, call)) {
      answers.set(url, answer);
    }
  }
  const results = await Promise.all(wanted.urls.map((url) => toResult(resources, url, answers, call)));
  return toReport(results, { spending, runIds, warnings: collected.warnings, call });
}

/**
 * Answers what needs no purchase.
 * @returns the pages to buy
 */
async function answerFromLedger(
  resources: Resources,
  { pages }: Wanted,
  { storedOnly }: FetchCall,
  answers: Map<string, FetchAnswer>,
): Promise<PageToBuy[]> {
  const { usable, ended } = await readHeld(resources, await openExisting(resources), [...pages.values()]);
  const missing: PageToBuy[] = [];
  for (const [url, page] of pages) {
    const held = usable.get(url);
    if (held !== undefined) {
      answers.set(url, answerHeld(url, held.document));
    } else if (storedOnly) {
      answers.set(url, answerNotHeld(ended.get(url)?.why ?? null));
    } else if (!isOfSite(page)) {
      answers.set(url, answerNotConfigured(new URL(url).host));
    } else if (isExcluded(page, page.site)) {
      answers.set(url, answerExcluded(page.site));
    } else {
      missing.push(page);
    }
  }
  return missing;
}

function isOfSite(page: WantedPage): page is PageToBuy {
  return page.site !== null;
}

async function openForBuying({ resources, bus }: FetchDeps): Promise<Ledger> {
  const ledger = await resources.ledger("create");
  // No run was ever recorded: the first purchase of a new ledger, or a mistyped path.
  if ((await ledger.readLatestInstant()) === null) {
    bus.emit("ledger.new", { path: resources.config.ledger.path });
  }
  // Loading the gateway's client takes longer than many a fetch. Its time is not the run's.
  await resources.gateway();
  return ledger;
}

async function toResult(
  resources: Resources,
  { given, url, fault }: Wanted["urls"][number],
  answers: ReadonlyMap<string, FetchAnswer>,
  { deriveMarkdown }: FetchCall,
): Promise<FetchResult> {
  const answer = (url === null ? undefined : answers.get(url)) ?? answerInvalid(fault ?? "not_a_url");
  if (answer.document === null) {
    return { url: given, ...answer };
  }
  // A license may have ended when it was bought: what was paid for is given all the same.
  const document = createShowRights(resources)(answer.document) ?? answer.document;
  if (!deriveMarkdown) {
    return { url: given, ...answer, document };
  }
  return { url: given, ...answer, document: await withMarkdown(resources, document) };
}

function toReport(
  results: readonly FetchResult[],
  {
    spending,
    call,
    ...rest
  }: Pick<FetchReport, "runIds" | "warnings"> & { readonly spending: FetchSpending; readonly call: FetchCall },
): FetchReport {
  return {
    results,
    spend: spending.report(),
    budgetExhausted: results.some(({ outcome, reason }) => outcome === "denied" && LIMITS.has(reason ?? "")),
    interrupted: call.signal.aborted && results.some(({ reason }) => reason === "INTERRUPTED"),
    ...rest,
  };
}
