/** The list of a run: which run it belongs to, and where its reading goes on. */
import { LicetError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { RunSummary } from "../../ledger/ledger-reports.ts";
import type { ListIntake, ListPosition } from "../../ledger/list-ledger.ts";
import type { WhichRun } from "../../ledger/run-ledger.ts";
import { createListDigest, type ListDigest } from "../../list/list-digest.ts";
import { skipLines } from "../../pipeline/lists/list-intake.ts";
import { createListReader, type ListReader } from "../../pipeline/lists/list-reader.ts";
import type { Clock } from "../../time/clock.ts";
import { type OpenableList, openListFile } from "./list-input.ts";

/** A list that is open behind the lines that were read. */
export interface OpenedList {
  readonly reader: ListReader;
  readonly digest: ListDigest;
}

const NEVER = new AbortController().signal;

/** Opens a list at its first line. It throws here, before anything is begun, when it cannot be read. */
export async function openAtFirstLine(list: OpenableList, clock: Clock): Promise<OpenedList> {
  const lines = list.open();
  if (list.path === null) {
    return { reader: createListReader(lines, clock), digest: createListDigest() };
  }
  const first = await lines.next();
  return { reader: createListReader(withFirst(first, lines), clock), digest: createListDigest() };
}

/** Before anything is begun. @throws LicetError LIST_UNREADABLE for a file that cannot be read */
export async function checkList(list: OpenableList | undefined, clock: Clock): Promise<void> {
  if (list !== undefined && list.path !== null) {
    await (await openAtFirstLine(list, clock)).reader.close();
  }
}

function withFirst<Line>(first: IteratorResult<Line>, rest: AsyncIterator<Line>): AsyncIterator<Line> {
  let isFirst = true;
  return {
    next: () => {
      const result = isFirst ? Promise.resolve(first) : rest.next();
      isFirst = false;
      return result;
    },
    return: async () => (await rest.return?.()) ?? { done: true, value: undefined },
  };
}

/**
 * Which run a list belongs to: that of the same file whose work is not done, if the lines that it has read are still the same, or else a new one.
 * What a limit of its own ended is over: the new run goes on with what is left.
 */
export async function chooseListRun(
  ledger: Ledger,
  list: OpenableList,
  { fresh, clock, warned }: { readonly fresh: boolean; readonly clock: Clock; readonly warned: (text: string) => void },
): Promise<WhichRun> {
  const { source, path, plan } = list;
  const found = path === null || fresh ? null : await ledger.findListRun({ source, path });
  const begin = { kind: "list", source, path, ...(plan === undefined ? {} : { plan }) } as const;
  if (found === null) {
    return begin;
  }
  const opened = await openAtFirstLine(list, clock);
  try {
    await skipLines(opened, found, NEVER);
    if (found.isRead && !(await isOver(opened))) {
      warned(`${path} has more lines than run ${found.runId} read to its end: a new run begins`);
      return begin;
    }
    if (found.isOver) {
      warned(`a limit of run ${found.runId} ended it: a new run goes on with what is left of ${path}`);
      return { ...begin, goesOnFrom: found.runId };
    }
    return { kind: "named", runId: found.runId };
  } catch (error) {
    if (error instanceof LicetError && error.code === "LIST_CHANGED") {
      warned(`${path} has changed since run ${found.runId} read ${found.linesRead} lines of it: a new run begins`);
      return begin;
    }
    throw error;
  } finally {
    await opened.reader.close();
  }
}

/** The run of the same file whose work a plan of it plans the rest of: what it has bought is not planned again. Null: there is none. */
export async function findEarlierRun(ledger: Ledger, list: OpenableList, clock: Clock): Promise<string | null> {
  const which = await chooseListRun(ledger, list, { fresh: false, clock, warned: () => {} });
  switch (which.kind) {
    case "named":
      return which.runId;
    case "list":
      return which.goesOnFrom ?? null;
    default:
      return null;
  }
}

async function isOver({ reader }: OpenedList): Promise<boolean> {
  return (await reader.take(1, NEVER)).lines.length === 0;
}

/**
 * Opens the list of a run that has begun, behind the lines that it has read. Null: the run has no list, or all of it was read, or nobody gave
 * it again.
 * @throws LicetError LIST_CHANGED, LIST_UNREADABLE; USAGE_INVALID when the run has no list
 */
export async function openBegunList(
  runId: string,
  position: ListPosition | null,
  given: OpenableList | undefined,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<OpenedList | null> {
  if (position === null) {
    if (given !== undefined) {
      throw new LicetError("USAGE_INVALID", `run ${runId} does not buy from a list`, {
        hint: "Resume it without --list, or begin a new run with the list: licet run --list FILE",
      });
    }
    return null;
  }
  const list = given ?? (position.path === null ? null : openListFile(position.source, position.path));
  if (position.isRead || list === null) {
    return null;
  }
  const opened = await openAtFirstLine(list, clock);
  try {
    await skipLines(opened, position, signal);
    return opened;
  } catch (error) {
    await opened.reader.close();
    throw error;
  }
}

/** Why a run ends although all that it has read is done. */
export function describeUnread(
  { linesRead, path, stoppedHosts }: ListIntake,
  { runId, sites }: Pick<RunSummary, "runId" | "sites">,
): string {
  const unread = `its list was not read behind line ${linesRead}`;
  const resume = `licet run --resume ${runId}${path === null ? " --list -" : ""}`;
  if (stoppedHosts.length === sites.length) {
    const stops = sites.map(({ host, stop, stopDetail }) => `${host}: ${stopDetail ?? stop}`).join("; ");
    return `${unread}, because each of its sites is stopped (${stops}). When that is over, go on with ${resume}`;
  }
  return path === null
    ? `${unread}: give it again, with resume and list (${resume})`
    : `${unread}: go on with ${resume}`;
}
