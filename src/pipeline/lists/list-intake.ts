/**
 * The beginning of a run that buys from a list: its lines become pages of the frontier, some hundred in one transaction, while those before are
 * quoted and bought. The intake waits while enough pages wait, so that the memory and the frontier of a run stay small however long its list is.
 */
import { parsePageUrl } from "../../catalog/page-url.ts";
import { createSiteLookup } from "../../catalog/site-lookup.ts";
import { LicetError } from "../../errors.ts";
import type { LinesRecord, ListedPage, ListIntake, ListPosition, RejectedLine } from "../../ledger/list-ledger.ts";
import type { ListDigest } from "../../list/list-digest.ts";
import { ageTermsOf } from "../age-terms.ts";
import type { SiteSettings, StageDeps } from "../stage-deps.ts";
import type { ListLine, ListReader, TakenLines } from "./list-reader.ts";

/** Lines recorded in one transaction: the settlements of the run must not wait long. */
const LINES_AT_ONCE = 500;
/** How often a full frontier is looked at again. */
const ROOM_POLL_MS = 25;

export type IntakeDeps = Pick<
  StageDeps,
  "ledger" | "gateway" | "clock" | "sites" | "expiry" | "buyingClock" | "events" | "limits"
>;

export interface Intake {
  readonly runId: string;
  readonly process: string;
  readonly reader: ListReader;
  /** Over the lines that were accepted from the reader so far. */
  readonly digest: ListDigest;
  /** Lines are recorded while fewer pages wait. */
  readonly maxWaitingPages: number;
  /** Called when pages were recorded. */
  readonly onPages: () => void;
}

/**
 * Goes behind the lines that the ledger has: those of an earlier process, or those whose recording was not answered before an outage.
 * @throws LicetError LIST_CHANGED when the list has other lines
 */
export async function skipLines(
  { reader, digest }: Pick<Intake, "reader" | "digest">,
  position: ListPosition,
  signal: AbortSignal,
): Promise<void> {
  while (digest.lines < position.linesRead && !signal.aborted) {
    const { lines, isOver } = await reader.take(Math.min(position.linesRead - digest.lines, LINES_AT_ONCE), signal);
    accept({ reader, digest }, lines);
    if (isOver && digest.lines < position.linesRead) {
      throw changed(position);
    }
  }
  if (!signal.aborted && position.digest !== null && digest.read() !== position.digest) {
    throw changed(position);
  }
}

function accept({ reader, digest }: Pick<Intake, "reader" | "digest">, lines: readonly ListLine[]): void {
  for (const { text } of lines) {
    digest.add(text);
  }
  reader.accept(lines.length);
}

function changed({ linesRead, path }: ListPosition): LicetError {
  return new LicetError(
    "LIST_CHANGED",
    `the first ${linesRead} lines of the list are not those that the run has read`,
    {
      hint: "Give the list as it was, or begin a new run with --list: what was bought is not bought again.",
      details: { path, linesRead },
    },
  );
}

/** @returns true when the list was read to its end; false when the run takes no more of it */
export async function takeInList(deps: IntakeDeps, intake: Intake, signal: AbortSignal): Promise<boolean> {
  const siteOf = createSiteLookup(deps.sites.values());
  for (;;) {
    const position = await waitForRoom(deps, intake, signal);
    if (position === null || position.isRead) {
      return position !== null;
    }
    await skipLines(intake, position, signal);
    const taken = await intake.reader.take(LINES_AT_ONCE, signal);
    // What was taken and not recorded is given again when the run goes on.
    if (signal.aborted) {
      return false;
    }
    if (taken.lines.length > 0 || taken.isOver) {
      const { stale, sites } = await deps.ledger.recordLines(toRecord(deps, intake, position, taken, siteOf));
      if (stale) {
        return false;
      }
      accept(intake, taken.lines);
      for (const { host, seen, candidates, otherScheme } of sites) {
        deps.events.walked({ host, seen, candidates, ended: taken.isOver });
        if (otherScheme !== null) {
          deps.events.twoSchemes({ host, example: otherScheme, namedBy: "list" });
        }
      }
      intake.onPages();
    }
  }
}

/** Null: nothing more is to be read, because the signal aborted, or nothing of any site would be bought. */
async function waitForRoom(
  { ledger, clock, sites }: IntakeDeps,
  { runId, maxWaitingPages }: Intake,
  signal: AbortSignal,
): Promise<ListIntake | null> {
  for (;;) {
    const position = await ledger.readIntake(runId);
    if (position === null || signal.aborted) {
      return null;
    }
    // A site that this configuration lacks is stopped too, and says nothing of the others.
    const isStopped = (host: string) => position.stoppedHosts.includes(host);
    if (!position.isRead && sites.size > 0 && [...sites.keys()].every(isStopped)) {
      return null;
    }
    if (position.isRead || position.waitingPages < maxWaitingPages) {
      return position;
    }
    await clock.sleep(ROOM_POLL_MS, signal);
  }
}

function toRecord(
  deps: IntakeDeps,
  { runId, process, digest }: Intake,
  { linesRead: linesBefore }: ListPosition,
  { lines, isOver }: TakenLines,
  siteOf: (url: string) => SiteSettings | null,
): LinesRecord {
  const now = deps.clock.now();
  const ages = ageTermsOf(deps, now);
  const pages: ListedPage[] = [];
  const rejected: RejectedLine[] = [];
  const named = new Map<string, SiteSettings>();
  for (const [index, { text, parsed }] of lines.entries()) {
    const line = linesBefore + index + 1;
    const read = readPage(parsed, line, siteOf);
    if (typeof read === "string") {
      rejected.push({ line, reason: read, raw: text });
    } else if (read !== null) {
      pages.push(read.page);
      named.set(read.site.host, read.site);
    }
  }
  return {
    runId,
    process,
    now,
    linesBefore,
    lines: lines.length,
    digest: digest.read(lines.map(({ text }) => text)),
    isRead: isOver,
    pages,
    rejected,
    sites: [...named.values()].map((site) => ({
      host: site.host,
      refresh: ages.refreshOf(site),
      intent: site.policy.policy.intent,
    })),
    expiry: ages.expiry,
    quoteBatchSize: deps.limits.quoteBatchSize,
  };
}

/** The page of a line, or why it names none; null for a line that says nothing. */
function readPage(
  parsed: ListLine["parsed"],
  line: number,
  siteOf: (url: string) => SiteSettings | null,
): { readonly page: ListedPage; readonly site: SiteSettings } | RejectedLine["reason"] | null {
  if (parsed.kind !== "entry") {
    return parsed.kind === "blank" ? null : parsed.reason;
  }
  const { url: written, key, ...terms } = parsed.entry;
  const site = siteOf(written);
  const checked = parsePageUrl(written, site?.host ?? "");
  if (!checked.ok) {
    return checked.reason === "host" ? "unknown_site" : checked.reason;
  }
  if (site === null) {
    return "unknown_site";
  }
  const { url, wireUrl, path } = checked.pageUrl;
  return { page: { line, host: site.host, url, wireUrl, excluded: site.isExcluded(path), terms, key }, site };
}
