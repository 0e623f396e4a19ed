import { requirePresentPeriods } from "../../../budget/past-period.ts";
import { LicetError } from "../../../errors.ts";
import type { RunKind } from "../../../run/kinds.ts";
import { type OwnLimits, tightenLimits } from "../../../run/limits.ts";
import { type Asker, whatBecomes } from "../../../run/what-becomes.ts";
import type { BeginRun, Begun, RunSpec } from "../../run-ledger.ts";
import type { HeldSlot } from "../../schedule-ledger.ts";
import { recordAct } from "../acts/record-act.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { findListPosition } from "../lists/list-positions.ts";
import type { Answered, Asked, Tx } from "../operation.ts";
import { startSlot } from "../schedules/slots.ts";
import { clearWaits } from "../service/waits.ts";
import { takeOverRun } from "./assign-run.ts";
import { chooseRun } from "./choose-run.ts";
import { keepConfiguration } from "./configurations.ts";
import { readLatestInstant } from "./latest-instant.ts";
import { clearLeftovers } from "./leftovers.ts";
import { insertRun } from "./new-run.ts";
import { reopenRun } from "./reopened-run.ts";
import { readChainWorkedMs } from "./run-chain.ts";
import { readRunSpec } from "./run-rows.ts";
import type { UnfinishedRow } from "./unfinished-runs.ts";
import { listUnfinishedRuns } from "./unfinished-runs.ts";

/**
 * Reads and writes: run, run_site, slot, batch, frontier, denial, purchase, balances, counters, in one transaction after what a crash left
 * behind was cleared away: who is alive is asked where the run is written, so of two processes at once one begins. Idempotent by
 * process: what a lost commit had begun is found again. A run of a slot begins with the row of the slot, or not at all.
 */
export async function beginRun(core: LedgerCore, begin: Asked<"beginRun">): Promise<Answered<"beginRun">> {
  await clearLeftovers(core, begin);
  return core.write((tx) => {
    const begun = beginIn(tx, begin);
    if (begin.slot !== undefined && begun.kind === "begun") {
      requireSlot(tx, begin.slot, begun.spec.runId);
    }
    return begun;
  });
}

/** Of two services, one that was taken for dead may begin what the other one has begun or refused by now: whoever has the slot decides. */
function requireSlot(tx: Tx, slot: HeldSlot, runId: string): void {
  if (!startSlot(tx, { ...slot, runId })) {
    throw new LicetError("SERVICE_LOST", `another service has the slot of ${slot.schedule} by now: nothing was begun`, {
      hint: "Nothing is to be done: the other service continues. Run one service for a ledger.",
    });
  }
}

/** Begins a run within a write, after `clearLeftovers`. */
export function beginIn(tx: Tx, begin: Asked<"beginRun">): Begun {
  const unfinished = listUnfinishedRuns(tx, begin);
  const begun = unfinished.findLast((run) =>
    isBegunBy(run, begin, () => tx.value<string | null>`SELECT key FROM run WHERE id = ${run.id}` ?? null),
  );
  if (begun !== undefined) {
    return {
      kind: "begun",
      spec: readRunSpec(tx, begun.runId),
      resumed: begun.runId !== begin.runId,
      list: findListPosition(tx, begun.id),
      takenOver: [],
    };
  }
  const isNew = toAsker(toSpec(begin), begin, true);
  const target = chooseRun(tx, begin, unfinished, isNew);
  const asker = target === null ? isNew : toAsker(readRunSpec(tx, target.name), begin, false);
  const becomings = unfinished.map((run) => ({ run, what: whatBecomes(run, asker).what }));
  const alive = becomings.find(({ what }) => what === "busy")?.run;
  if (alive !== undefined) {
    return { kind: "alive", runId: alive.runId, process: alive.process, hosts: alive.hosts };
  }
  requirePresent(tx, begin);
  const aliveUntil = begin.now + begin.aliveMs;
  const { which, trigger, process } = begin;
  const key = which.kind === "webhook" ? which.key : null;
  const list = which.kind === "list" ? which : null;
  const id = target?.id ?? insertRun(tx, toSpec(begin), { trigger, process, aliveUntil, key, list });
  if (target !== null) {
    reopenRun(tx, target, begin);
    clearWaits(tx, id);
  }
  tx.run`UPDATE run SET in_service = ${begin.inService === true ? 1 : 0} WHERE id = ${id}`;
  keepConfiguration(tx, id, begin);
  recordBegin(tx, begin, { runId: target?.name ?? begin.runId, isResumed: target !== null });
  const takenOver = becomings.flatMap(({ run, what }) =>
    run.id !== id && (what === "superseded" || what === "freed" || what === "cleared")
      ? [takeOverRun(tx, run, { what, successorId: id, isGivenUp: asker.isFresh }, begin)]
      : [],
  );
  const superseded = becomings.filter(({ run, what }) => run.id !== id && what === "superseded");
  if (superseded.length > 0 && !asker.isFresh) {
    const names = superseded.map(({ run }) => run.runId);
    inheritLimits(tx, id, names, begin);
  }
  return {
    kind: "begun",
    spec: readRunSpec(tx, target?.name ?? begin.runId),
    resumed: target !== null,
    list: findListPosition(tx, id),
    takenOver,
  };
}

/** Another process may have written by another clock since this one compared: whoever is second is refused. */
function requirePresent(tx: Tx, { periods, now }: BeginRun): void {
  const latestAt = periods === undefined ? null : readLatestInstant(tx);
  if (periods !== undefined && latestAt !== null) {
    requirePresentPeriods(periods, { now, latestAt });
  }
}

/** Nobody is named for what a schedule, a notification or a service begins. */
function recordBegin(
  tx: Tx,
  { which, who, now }: BeginRun,
  { runId, isResumed }: { readonly runId: string; readonly isResumed: boolean },
): void {
  if (who === undefined) {
    return;
  }
  const plan = which.kind === "list" ? which.plan : undefined;
  if (isResumed || plan === undefined) {
    recordAct(tx, { kind: isResumed ? "run_resumed" : "run_started", who, runId, now });
  } else {
    recordAct(tx, { kind: "plan_approved", who, runId, planDigest: plan.digest, now });
  }
}

/** What an earlier call of the same process began. A run that this process only freed or cleared is another one. */
function isBegunBy(
  { runId, process, endedBy, kind }: UnfinishedRow,
  { which, ...begin }: BeginRun,
  readKey: () => string | null,
): boolean {
  if (process !== begin.process || endedBy !== "nobody") {
    return false;
  }
  switch (which.kind) {
    case "named":
      return runId === which.runId;
    case "newest":
      return true;
    case "interrupted":
    case "fresh":
      return kind === "walk";
    case "webhook":
      return readKey() === which.key;
    case "list":
      return runId === begin.runId;
    default:
      return which satisfies never;
  }
}

/** The run that begins, as it asks what becomes of the others. */
function toAsker(
  { kind, sites, maxPages, maxSpend }: RunSpec,
  { which, trigger }: BeginRun,
  isNew: boolean,
): Extract<Asker, { by: "run" }> {
  return {
    by: "run",
    kind,
    hosts: sites.map(({ host }) => host),
    limits: { maxPages, maxSpend },
    isNew,
    isFresh: which.kind === "fresh",
    isOfPerson: trigger !== "schedule",
  };
}

/** What a new run would be. */
function toSpec({ runId, sites, callerLimits, limits, callerOrder, order, now, which }: BeginRun): RunSpec {
  const { maxDurationMs } = limits;
  const kind: RunKind = which.kind === "list" ? which.source : which.kind === "webhook" ? "webhook" : "walk";
  return {
    runId,
    kind,
    startedAt: now,
    sites,
    // A plan has its own order: that of its lines.
    order: kind === "plan" ? "catalog" : (callerOrder ?? order),
    maxPages: callerLimits.maxPages ?? limits.maxPages,
    maxSpend: callerLimits.maxSpend ?? limits.maxSpend,
    deadlineAt: maxDurationMs === null ? null : now + maxDurationMs,
  };
}

/**
 * Writes into the new run what it inherits: the limits and the order of its predecessors, oldest first, which are assigned to it already. What was
 * used counts against it (run-chain.ts).
 */
function inheritLimits(tx: Tx, successorId: number, predecessors: readonly string[], begin: BeginRun): void {
  const specs = predecessors.map((name) => readRunSpec(tx, name));
  const own = specs.reduce<OwnLimits>(
    (limits, spec) => tightenLimits(limits, { callerLimits: NONE, limits: spec }),
    NONE,
  );
  const { maxPages, maxSpend } = tightenLimits(own, begin);
  const order = begin.callerOrder ?? specs.at(-1)?.order ?? null;
  const { maxDurationMs } = begin.limits;
  const spend = [maxSpend?.micros ?? null, maxSpend?.currency ?? null] as const;
  tx.run(
    `UPDATE run SET max_pages = ?, max_spend_micros = ?, max_spend_currency = ?, run_order = coalesce(?, run_order),
     deadline_at = started_at + max(0, ? - ?), inherits_limits = 1 WHERE id = ?`,
    maxPages,
    ...spend,
    order,
    maxDurationMs,
    readChainWorkedMs(tx, successorId),
    successorId,
  );
}

const NONE: OwnLimits = { maxPages: null, maxSpend: null };
