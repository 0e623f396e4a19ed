/**
 * Directs one seed: rounds in which processes run, die and are disturbed, then an end without faults in which all started work
 * must end.
 */

import type { RunCall } from "../../src/agent/calls/buying-calls.ts";
import { toMicros } from "../../src/money/micros.ts";
import { checkEnd, type Violation } from "./checks/evidence.ts";
import { drawDisturbances } from "./disturbances.ts";
import { drawBudgets } from "./draw-scenario.ts";
import { drawEdit } from "./draw-settings.ts";
import { Halt } from "./halt.ts";
import { judgeList, listUnfinishedLists } from "./lists.ts";
import { drawNotifications, type Notifications } from "./notifications.ts";
import { auditJob, cancelJob, listJob, runJob } from "./operators.ts";
import { createRandom, type Random } from "./random.ts";
import { runAlone } from "./run-alone.ts";
import { settingsOf } from "./scenario.ts";
import { settleAccounts } from "./settle-accounts.ts";
import type { Limits } from "./simulate.ts";
import { createStatementWatch } from "./statement-watch.ts";
import {
  drawBeginning,
  drawResumedLimits,
  drawsCancel,
  drawUserBehavior,
  type Trial,
  type UserBehavior,
} from "./user-behavior.ts";
import type { World } from "./world.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A run that is resumed without faults ends at once or has to wait for a lease; twice is more than enough. */
const MAX_FINAL_RUNS = 4;
/** More than any budget that a scenario needs. */
const AMPLE_MICROS = 1_000_000_000;

export async function direct(world: World, limits: Limits): Promise<void> {
  const random = createRandom(world.scenario.seed, "director");
  const rounds = Math.min(limits.maxRounds, random.int(1, 4));
  const behavior = drawUserBehavior(world.scenario.seed, limits);
  const fleet = world.startFleet(() => world.commandService?.host ?? null);
  const statements = createStatementWatch(world.db, world.ledgerPath);
  const notifications = limits.disturbances ? drawNotifications(world) : null;
  const change = limits.disturbances ? drawDisturbances(world, behavior) : () => {};
  const disturb = () => {
    change();
    notifications?.happen();
  };
  for (let round = 0; round < rounds; round += 1) {
    world.note(() => `round ${round + 1}`);
    notifications?.publish();
    startRuns(world, random, behavior);
    startList(world);
    await world.runUntil(() => world.alive().length === 0, disturb);
    world.scheduler.advanceTo(world.scheduler.now + random.pick(behavior.pauses));
    requireNone(await statements.look(world.scheduler.now));
    if (limits.disturbances && random.chance(0.3)) {
      world.editSettings({ budgets: drawBudgets(random, world.scenario) });
    }
    if (drawsCancel(behavior)) {
      await cancelNewest(world);
    }
    if (behavior.random.chance(behavior.editsBetween)) {
      world.editSettings(drawEdit(world.scenario, world.settings, behavior.random));
    }
  }
  world.faults.end();
  fleet?.heal();
  await bringToItsEnd(world, random, behavior, notifications);
  requireNone(await statements.end(world.scheduler.now));
}

function requireNone(violation: Violation | null): void {
  if (violation !== null) {
    throw new Halt(violation);
  }
}

function startRuns(world: World, random: Random, behavior: UserBehavior): void {
  const count = random.chance(0.35) ? 2 : 1;
  for (let index = 0; index < count; index += 1) {
    const resumes = hasUnfinishedRun(world) && random.chance(0.7) && behavior.afterDeath === "resume";
    const options = resumes
      ? { resume: "newest", ...drawResumedLimits(behavior) }
      : { ...drawRunCall(world, random), ...drawBeginning(behavior) };
    world.note(() => `a run is asked for: ${JSON.stringify(options)}`);
    world.start({
      kind: resumes ? "resume" : "run",
      job: runJob(world, options),
      maxDurationMs: random.chance(0.08) ? random.int(1, 20) * 1_000 : null,
    });
  }
}

function startList(world: World): void {
  const { list } = world;
  if (list?.random.chance(list.chance) === true) {
    world.start({ kind: "list", job: listJob(world, list) });
  }
}

/** Whoever has the list gives it again, until its runs have ended. */
async function finishLists(world: World): Promise<void> {
  const { list } = world;
  for (const resume of list === null ? [] : listUnfinishedLists(world)) {
    await runAlone(world, "list", listJob(world, list as NonNullable<typeof list>, { resume }));
  }
  requireNone(judgeList(world));
}

function drawRunCall(world: World, random: Random): RunCall {
  const hosts = world.settings.sites.map(({ host }) => host);
  return {
    ...(random.chance(0.2) ? { hosts: [random.pick(hosts)] } : {}),
    ...(random.chance(0.12) ? { maxPages: random.int(1, 8) } : {}),
    ...(random.chance(0.12) ? { maxSpend: { micros: toMicros(random.int(1, 200_000)), currency: "USD" } } : {}),
  };
}

function hasUnfinishedRun({ db }: World): boolean {
  return (
    db
      .prepare(
        "SELECT 1 FROM run WHERE kind <> 'planning' AND key IS NULL AND state IN ('running', 'interrupted', 'failed') AND taken_over_by IS NULL",
      )
      .get() !== undefined
  );
}

/** With faults: it may be killed itself. */
async function cancelNewest(world: World): Promise<void> {
  const runId = world.db
    .prepare<[], string>(
      "SELECT name FROM run WHERE kind <> 'planning' AND state <> 'completed' ORDER BY id DESC LIMIT 1",
    )
    .pluck()
    .get();
  if (runId !== undefined) {
    const process = world.start({ kind: "cancel", job: cancelJob(runId) });
    await world.runUntil(
      () => process.hasEnded || !process.isAlive,
      () => {},
    );
  }
}

/** Faults off: every run ends, a last one finds everything that is allowed, and every use arrives. */
async function bringToItsEnd(
  world: World,
  random: Random,
  behavior: UserBehavior,
  notifications: Notifications | null,
): Promise<void> {
  world.evidence.faultsAreOver = true;
  world.note(() => "faults are over");
  if (random.chance(0.7)) {
    const currencies = new Set(world.scenario.budgets.map(({ currency }) => currency));
    const budgets = [...currencies].map((currency) => ({
      scope: "all",
      per: null,
      limitMicros: AMPLE_MICROS,
      currency,
    }));
    world.editSettings({ budgets });
  }
  if (behavior.random.chance(0.3) || world.settings.sites.length === 0) {
    world.editSettings(settingsOf(world.scenario));
  } else if (world.settings.mistake !== null) {
    world.editSettings({ mistake: null });
  }
  // Where no process can see that another one has ended, it is taken to be alive for as long as its lease lasts.
  world.scheduler.advanceTo(world.scheduler.now + 10 * MINUTE_MS);
  if (behavior.trial !== null) {
    await tryOnce(world, behavior.trial);
  }
  world.gateway.fix();
  if (behavior.afterDeath === "plain") {
    // By then every lease has run out, also one of a clock that was ahead.
    world.scheduler.advanceTo(world.scheduler.now + behavior.random.pick([DAY_MS / 2, 7 * DAY_MS]));
    await runAlone(world, "plain", runJob(world, {}));
  }
  for (let run = 0; hasUnfinishedRun(world) && behavior.afterDeath === "resume"; run += 1) {
    const before = unfinished(world);
    await runAlone(world, "resume", runJob(world, { resume: "newest" }));
    if (run > MAX_FINAL_RUNS + before.length) {
      break;
    }
  }
  await finishLists(world);
  await notifications?.settle((kind, job) => runAlone(world, kind, job));
  if (behavior.random.chance(0.3)) {
    // A full walk is due by then.
    world.scheduler.advanceTo(world.scheduler.now + behavior.random.pick([2, 8]) * DAY_MS);
  }
  if (hasUnfinishedRun(world)) {
    // The newest run has met its budget, and an older one was left: a plain run goes on with that, and reads no catalog again.
    await runAlone(world, "older", runJob(world, {}));
  }
  await runAlone(world, "last", runJob(world, {}));
  await settleAccounts(world, (kind, job) => runAlone(world, kind, job));
  await runAlone(world, "audit", auditJob(world));
  world.evidence.now = world.scheduler.now;
  const [violation] = checkEnd(world.evidence, {
    catalog: [...world.catalog.values()],
    forbidden: world.forbidden,
    interruptedAllowed: false,
  });
  if (violation !== undefined) {
    throw new Halt(violation);
  }
}

/** It may fail: the gateway is as it was. */
async function tryOnce(world: World, { call, waitsMs, aheadMs, pauseMs }: Trial): Promise<void> {
  world.scheduler.advanceTo(world.scheduler.now + waitsMs);
  const process = world.start({ kind: "trial", job: runJob(world, call) });
  process.skewMs = aheadMs;
  await world.runUntil(
    () => process.hasEnded,
    () => {},
  );
  world.note(() => `${process.name} ended: ${JSON.stringify(process.result) ?? String(process.error)}`);
  world.scheduler.advanceTo(world.scheduler.now + pauseMs);
}

function unfinished({ db }: World): readonly unknown[] {
  return db
    .prepare(
      "SELECT id FROM run WHERE kind <> 'planning' AND key IS NULL AND state IN ('running', 'interrupted', 'failed') AND taken_over_by IS NULL",
    )
    .all();
}
