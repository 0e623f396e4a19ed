/** Drives the lists of a ledger: runs that buy from one, and lines that are recorded. */
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { LinesRecord, LinesRecorded, ListedPage } from "../../src/ledger/list-ledger.ts";
import type { BeginRun, Begun } from "../../src/ledger/run-ledger.ts";
import { NO_TERMS } from "../../src/list/list-entry.ts";
import { NOON } from "./ledger-shop.ts";
import { begin, HOST, leaseOne, type QuickDecision, toApproval, toDecideRequest, toRate } from "./ledger-steps.ts";

export const LIST_RUN = "run_list";
export const LIST_PROCESS = "here:1:list";

/** A process begins the run of a file, or whatever the request says. */
export async function beginList(
  ledger: Ledger,
  request: Partial<BeginRun> = {},
): Promise<Extract<Begun, { kind: "begun" }>> {
  const begun = await begin(ledger, {
    which: { kind: "list", source: "list", path: "/lists/pages.jsonl" },
    trigger: "list",
    runId: LIST_RUN,
    process: LIST_PROCESS,
    ...request,
  });
  if (begun.kind === "alive") {
    throw new Error(`run ${begun.runId} is alive`);
  }
  return begun;
}

/** @param path `/a` */
export function toListed(path: string, line: number, page: Partial<ListedPage> = {}): ListedPage {
  const url = `https://${page.host ?? HOST}${path}`;
  const { key, ...terms } = NO_TERMS;
  return { line, host: HOST, url, wireUrl: url, excluded: false, terms, key, ...page };
}

/** Records lines that name these paths, from a line on. A digest is the count of the lines here. */
export function recordPaths(
  ledger: Ledger,
  paths: readonly (string | ListedPage)[],
  record: Partial<LinesRecord> = {},
): Promise<LinesRecorded> {
  const { linesBefore = 0, lines = paths.length } = record;
  return ledger.recordLines({
    runId: LIST_RUN,
    process: LIST_PROCESS,
    now: NOON,
    linesBefore,
    lines,
    digest: digestOf(linesBefore + lines),
    isRead: true,
    pages: paths.map((page, index) => (typeof page === "string" ? toListed(page, linesBefore + index + 1) : page)),
    rejected: [],
    sites: [{ host: HOST, refresh: { when: "modified", maxAgeMs: null }, intent: "content" }],
    quoteBatchSize: 100,
    ...record,
  });
}

export function digestOf(lines: number): string {
  return lines.toString(16).padStart(64, "0");
}

/** Leases the next quote batch and approves all of it at one price. @returns the paths, in the order in which they were decided */
export async function decideListed(ledger: Ledger, quick: QuickDecision = {}): Promise<string[]> {
  const { rate = toRate(10_000), runId = LIST_RUN, decisions, ...request } = quick;
  const { leaseId } = await leaseOne(ledger, "quote", { runId, now: request.now ?? NOON });
  const pages = (await ledger.openQuoteBatch(leaseId))?.pages ?? [];
  const made = decisions?.(pages.map(({ pageId }) => pageId)) ?? pages.map(({ pageId }) => toApproval(pageId, rate));
  await ledger.decide(toDecideRequest(leaseId, made, request));
  return pages.map(({ url }) => new URL(url).pathname);
}
