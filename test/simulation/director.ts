/**
 * Directs one seed: eras in which processes run, die and are meddled with, then an end without faults in which everything that was
 * begun has to come to its end.
 */

import type { RunCall } from "../../src/agent/call-checks.ts";
import { runAgent } from "../../src/agent/run-agent.ts";
import { toMicros } from "../../src/money/micros.ts";
import { checkEnd } from "./checks/evidence.ts";
import { drawBudgets } from "./draw-scenario.ts";
import { drawMeddling } from "./meddling.ts";
import { auditJob, reportJob } from "./operators.ts";
import type { ProcessJob } from "./process.ts";
import { createRandom, type Random } from "./random.ts";
import type { Limits } from "./simulate.ts";
import { Halt, type World } from "./world.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** A run that is resumed without faults ends at once or has to wait for a lease; twice is more than enough. */
const MAX_FINAL_RUNS = 4;
/** More than any budget that a scenario needs. */
const AMPLE_MICROS = 1_000_000_000;

export async function direct(world: World, limits: Limits): Promise<void> {
  const random = createRandom(world.scenario.seed, "director");
  const eras = Math.min(limits.maxEras, random.int(1, 4));
  const meddle = limits.meddling ? drawMeddling(world) : () => {};
  for (let era = 0; era < eras; era += 1) {
    world.note(() => `era ${era + 1}`);
    startRuns(world, random);
    await world.runUntil(() => world.alive().length === 0, meddle);
    world.scheduler.advanceTo(world.scheduler.now + random.pick([0, 5 * MINUTE_MS, DAY_MS / 2, DAY_MS, 3 * DAY_MS]));
    if (limits.meddling && random.chance(0.3)) {
      world.editSettings({ budgets: drawBudgets(random, world.scenario.sites) });
    }
  }
  await bringToItsEnd(world, random);
}

function startRuns(world: World, random: Random): void {
  const count = random.chance(0.35) ? 2 : 1;
  for (let index = 0; index < count; index += 1) {
    const resumes = hasUnfinishedRun(world) && random.chance(0.7);
    const options = resumes ? { resume: "newest" } : drawRunOptions(world, random);
    world.note(() => `a run is asked for: ${JSON.stringify(options)}`);
    world.start({
      kind: resumes ? "resume" : "run",
      job: (resources, bus, signal) => runAgent(resources, bus, { ...options, signal }),
      maxDurationMs: random.chance(0.08) ? random.int(1, 20) * 1_000 : null,
    });
  }
}

function drawRunOptions(world: World, random: Random): RunCall {
  const hosts = world.scenario.sites.map(({ host }) => host);
  return {
    ...(random.chance(0.2) ? { hosts: [random.pick(hosts)] } : {}),
    ...(random.chance(0.12) ? { maxPages: random.int(1, 8) } : {}),
    ...(random.chance(0.12) ? { maxSpend: { micros: toMicros(random.int(1, 200_000)), currency: "USD" } } : {}),
  };
}

function hasUnfinishedRun({ db }: World): boolean {
  return (
    db.prepare("SELECT 1 FROM run WHERE kind = 'run' AND state IN ('running', 'interrupted', 'failed')").get() !==
    undefined
  );
}

/** Faults off: every run ends, a last one finds everything that is allowed, and every use arrives. */
async function bringToItsEnd(world: World, random: Random): Promise<void> {
  world.faults.end();
  world.gateway.mend();
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
  for (let run = 0; hasUnfinishedRun(world); run += 1) {
    const before = unfinished(world);
    await runAlone(world, "resume", (resources, bus, signal) => runAgent(resources, bus, { resume: "newest", signal }));
    if (run > MAX_FINAL_RUNS + before.length) {
      break;
    }
  }
  await runAlone(world, "last", (resources, bus, signal) => runAgent(resources, bus, { signal }));
  // A report that was put off by a clock an hour ahead is due by then.
  world.scheduler.advanceTo(world.scheduler.now + 2 * HOUR_MS);
  await runAlone(world, "report", reportJob);
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

function unfinished({ db }: World): readonly unknown[] {
  return db.prepare("SELECT id FROM run WHERE kind = 'run' AND state IN ('running', 'interrupted', 'failed')").all();
}

async function runAlone(world: World, kind: string, job: ProcessJob): Promise<void> {
  const process = world.start({ kind, job });
  await world.runUntil(
    () => process.hasEnded,
    () => {},
  );
  world.note(() => `${process.name} ended: ${JSON.stringify(process.result) ?? String(process.error)}`);
  if (process.error !== null) {
    const detail = `${process.name} failed without a fault: ${String(process.error)}`;
    throw new Halt({ promise: "liveness", rule: "works-without-faults", detail });
  }
}
