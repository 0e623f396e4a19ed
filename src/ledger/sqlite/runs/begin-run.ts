import { LicetError } from "../../../errors.ts";
import type { Ledger } from "../../ledger.ts";
import type { BeginRun, Begun, RunSpec, WhichRun } from "../../run-ledger.ts";
import { LIMITED_STATES } from "../../run-ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { createListPositions } from "../lists/list-positions.ts";
import { createRunTakeover } from "./assign-run.ts";
import { createReopenedRun, type Reopening } from "./reopened-run.ts";
import type { UnfinishedRow } from "./unfinished-runs.ts";

/**
 * Reads and writes: run, run_site, batch, frontier, denial, purchase, balances, counters, in one transaction after what a crash left
 * behind was cleared away: who is alive is asked where the run is written, so of two processes at once one begins. Idempotent by
 * process: what a lost commit had begun is found again.
 */
export function createBeginRun(parts: LedgerParts): Ledger["beginRun"] {
  const { runRows, clearLeftovers, listUnfinished, insertRun } = parts;
  const choose = createChoice(parts);
  const reopen = createReopenedRun(parts);
  const takeOver = createRunTakeover(parts);
  const readPosition = createListPositions(parts.db);
  const setInService = parts.db.prepare<[number, number]>("UPDATE run SET in_service = ? WHERE id = ?");

  return async (begin) => {
    await clearLeftovers(begin.now);
    return parts.write((): Begun => {
      const unfinished = listUnfinished(begin);
      const begun = unfinished.findLast((run) => isBegunBy(run, begin));
      if (begun !== undefined) {
        return {
          kind: "begun",
          spec: runRows.readSpec(begun.runId),
          resumed: begun.runId !== begin.runId,
          webhookHost: hostOfHints(begun),
          list: readPosition(begun.id),
          takenOver: [],
        };
      }
      const target = choose(begin, unfinished);
      const hosts = new Set(
        (target === null ? begin.sites : runRows.readSpec(target.name).sites).map(({ host }) => host),
      );
      const alive = unfinished.find(
        (run) => run.isAlive && !isFetch(run, begin.which) && run.hosts.some((host) => hosts.has(host)),
      );
      if (alive !== undefined) {
        return { kind: "alive", runId: alive.runId, process: alive.process, hosts: alive.hosts };
      }
      const aliveUntil = begin.now + begin.aliveMs;
      const { which, trigger, process } = begin;
      const key = which.kind === "webhook" ? which.key : null;
      const list = which.kind === "list" ? which : null;
      const id = target?.id ?? insertRun(toSpec(begin), { trigger, process, aliveUntil, key, list });
      if (target !== null) {
        reopen(target, begin);
      }
      setInService.run(begin.inService === true ? 1 : 0, id);
      const takenOver = unfinished
        .filter((run) => run.id !== id && isTakenOver(run, { hosts, isNew: target === null, which }))
        .map((run) => takeOver(run, id, begin));
      return {
        kind: "begun",
        spec: runRows.readSpec(target?.name ?? begin.runId),
        resumed: target !== null,
        webhookHost:
          target === null ? hostOfHints({ key, hosts: [...hosts] }) : hostOfHints({ ...target, hosts: [...hosts] }),
        list: readPosition(id),
        takenOver,
      };
    });
  };
}

/** What an earlier call of the same process began. A run of a list that this process only freed of what it held is another one. */
function isBegunBy({ runId, process, takenOverBy, key, list }: UnfinishedRow, { which, ...begin }: BeginRun): boolean {
  if (process !== begin.process || takenOverBy !== null) {
    return false;
  }
  switch (which.kind) {
    case "named":
      return runId === which.runId;
    case "newest":
      return true;
    case "interrupted":
    case "fresh":
      return list === null;
    case "webhook":
      return key === which.key;
    case "list":
      return runId === begin.runId;
    default:
      return which satisfies never;
  }
}

/** A fetch keeps no run from beginning, and no run keeps a fetch from it: what protects the money is one open purchase a page, and the budgets. */
function isFetch(run: UnfinishedRow, which: WhichRun): boolean {
  return run.list === "fetch" || (which.kind === "list" && which.source === "fetch");
}

/** The site of a webhook run; null for every other run. */
function hostOfHints({
  key,
  hosts,
}: {
  readonly key: string | null;
  readonly hosts: readonly string[];
}): string | null {
  return key === null ? null : (hosts[0] ?? null);
}

interface Beginning {
  readonly hosts: ReadonlySet<string>;
  /** False when an earlier run goes on. */
  readonly isNew: boolean;
  readonly which: WhichRun;
}

/**
 * A run that died is taken over, whatever its sites are: its reservations count against every budget. A run that was ended in order is
 * taken over where it has an open purchase, or where a new run walks one of its sites anew. The hints of a webhook run that ended in order
 * wait already. A webhook run does not walk, so it takes over nothing but earlier webhook runs of its site.
 */
function isTakenOver(run: UnfinishedRow, { hosts, isNew, which }: Beginning): boolean {
  if (run.isAlive || (which.kind === "list" && which.source === "fetch")) {
    return false;
  }
  const isOfSites = run.hosts.some((host) => hosts.has(host));
  const holdsSomething = run.state === "running" || run.reserved + run.started > 0;
  if (which.kind === "webhook") {
    return run.key !== null && isOfSites;
  }
  // The list of an interrupted run is its own: a new run does not bring its pages.
  const isSuperseded = isNew && isOfSites && run.key === null && (run.list === null || run.list === "fetch");
  return holdsSomething || isSuperseded;
}

function toSpec({ runId, sites, callerLimits, limits, now }: BeginRun): RunSpec {
  const { maxDurationMs } = limits;
  return {
    runId,
    kind: "run",
    startedAt: now,
    sites,
    maxPages: callerLimits.maxPages ?? limits.maxPages,
    maxSpend: callerLimits.maxSpend ?? limits.maxSpend,
    deadlineAt: maxDurationMs === null ? null : now + maxDurationMs,
  };
}

interface RunFinder {
  /** The named run. @throws LicetError RUN_NOT_FOUND when it cannot be resumed */
  find(name: string): Reopening;
  findByKey(key: string): Reopening | null;
}

function createRunFinder(parts: LedgerParts): RunFinder {
  const { runRows } = parts;
  const selectByKey = parts.db.prepare<[string], Reopening>(
    "SELECT id, name, state, key, NULL AS list FROM run WHERE key = ?",
  );

  function find(name: string): Reopening {
    const run = runRows.find(name);
    if (run === null || run.kind === "plan") {
      throw refuse(name, `there is no run ${name}`, "`licet status` lists the runs.");
    }
    if (run.takenOverBy !== null) {
      const successor = parts.runs.nameOf(run.takenOverBy);
      throw refuse(
        name,
        `run ${name} was taken over by ${successor}`,
        "Resume that run, or start a new one: licet run",
      );
    }
    if (run.state === "completed" || run.state === "cancelled") {
      throw refuse(name, `run ${name} is over: ${run.state}`, "A new run continues with what it left: licet run");
    }
    if (run.key !== null && (LIMITED_STATES as readonly string[]).includes(run.state)) {
      throw refuse(
        name,
        `run ${name} is over: its notifications wait for the next webhook run`,
        "licet serve starts it.",
      );
    }
    if (run.list === "fetch") {
      throw refuse(
        name,
        `run ${name} is a fetch: it is not resumed`,
        "Fetch the pages again: what was bought is held.",
      );
    }
    return { id: run.id, name, state: run.state, key: run.key, list: run.list };
  }

  /** The webhook run of the day goes on however it ended. A person's cancelling holds until the day is over. */
  function findByKey(key: string): Reopening | null {
    const run = selectByKey.get(key) ?? null;
    if (run?.state === "cancelled") {
      throw refuse(
        run.name,
        `webhook run ${run.name} was cancelled`,
        "Its notifications wait for the run of the next UTC day.",
      );
    }
    return run;
  }

  return { find, findByKey };
}

/** Which earlier run goes on; null for a new one. */
function createChoice(parts: LedgerParts): (begin: BeginRun, unfinished: readonly UnfinishedRow[]) => Reopening | null {
  const { runRows } = parts;
  const { find, findByKey } = createRunFinder(parts);
  const selectNewest = parts.db
    .prepare<[], string>(
      `SELECT name FROM run WHERE kind = 'run' AND key IS NULL
         AND NOT EXISTS (SELECT 1 FROM run_list l WHERE l.run_id = run.id AND l.source = 'fetch') ORDER BY id DESC LIMIT 1`,
    )
    .pluck();

  /** The newest unfinished one, unless the newest of all is one that a limit ended. One that is alive comes last: it needs nobody. */
  function findNewest(unfinished: readonly UnfinishedRow[]): Reopening {
    const newest = selectNewest.get() ?? null;
    const row = newest === null ? null : runRows.find(newest);
    if (newest !== null && row?.takenOverBy === null && (LIMITED_STATES as readonly string[]).includes(row.state)) {
      return find(newest);
    }
    const open = unfinished.filter(
      ({ takenOverBy, key, list }) => takenOverBy === null && key === null && list !== "fetch",
    );
    const name = (open.findLast(({ isAlive }) => !isAlive) ?? open.at(-1))?.runId;
    if (name === undefined) {
      throw new LicetError("RUN_NOT_FOUND", "there is no unfinished run to resume", {
        hint: "start a new one: licet run",
      });
    }
    return find(name);
  }

  return ({ which, sites }, unfinished) => {
    switch (which.kind) {
      case "named":
        return find(which.runId);
      case "newest":
        return findNewest(unfinished);
      case "interrupted": {
        const hosts = sites.map(({ host }) => host);
        const same = unfinished.findLast(
          ({ state, hosts: own, key, list }) =>
            state === "interrupted" && key === null && list === null && isSameSet(own, hosts),
        );
        return same === undefined ? null : find(same.runId);
      }
      case "fresh":
      case "list":
        return null;
      case "webhook":
        return findByKey(which.key);
      default:
        return which satisfies never;
    }
  };
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && new Set([...a, ...b]).size === a.length;
}

function refuse(runId: string, message: string, hint: string): LicetError {
  return new LicetError("RUN_NOT_FOUND", message, { hint, details: { runId } });
}
