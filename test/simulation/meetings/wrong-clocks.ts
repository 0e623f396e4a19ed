/**
 * One machine of two has a wrong clock: it is ahead or behind by seconds, hours, weeks or more than a year, and jumps. Walks, lists, fetches,
 * plans and the service work on either machine. What time brings (the end of rights, of a month, a slot that was missed) is judged by true
 * time: nothing ends by the wrong clock, and once the clock is right again, slots come and reports are sent as before.
 */
import { createAgentOn } from "../../../src/agent/create-agent.ts";
import type { Violation } from "../checks/evidence.ts";
import type { SimulatedProcess } from "../process.ts";
import { createRandom, type Random } from "../random.ts";
import type { World } from "../world.ts";
import type { Actor, Stage } from "./actors.ts";
import { drawTimes } from "./times.ts";

const EVENTS_PER_DRAW = 25;
const MAX_ALIVE = 8;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const AHEAD_MS = [SECOND_MS, 20 * SECOND_MS, 8 * MINUTE_MS, 2 * HOUR_MS, 40 * DAY_MS, 400 * DAY_MS];
/** Less than the retention: what is bought by a clock that is further behind is stored as if its rights had ended. */
const BEHIND_MS = [SECOND_MS, 20 * SECOND_MS, 8 * MINUTE_MS, 2 * HOUR_MS, 20 * DAY_MS];
/** A month that is over when a meeting begins. */
const ENDED = "2026-10";
/** The watchdog of schedules looks each 15 s, and a walk of a few pages takes less. */
const SLOT_MS = 3 * MINUTE_MS;

export function drawWrongClocks(stage: Stage): Actor | null {
  const { world, meeting, people, pass, alone } = stage;
  const { seed } = world.scenario;
  const { takePart } = drawTimes(seed);
  if (!takePart) {
    return null;
  }
  const random = createRandom(seed, "wrong clocks");
  const machine = { skewMs: drawSkew(random), processes: new Set<SimulatedProcess>() };
  const jumps = random.pick([0, 0.02, 0.2]);
  const statements = new Map<string, string>();
  let isRight = false;

  const set = (skewMs: number) => {
    machine.skewMs = skewMs;
    world.note(() => `the clock of a machine is off by ${skewMs} ms`);
    for (const process of machine.processes) {
      world.setClock(process, skewMs);
    }
  };
  world.onStart.push((process) => {
    if (!isRight && random.chance(0.5)) {
      machine.processes.add(process);
      world.setClock(process, machine.skewMs);
    }
  });
  const askStatement = () => {
    const month = random.pick([ENDED, "2026-11", "2026-12"]);
    const [settings] = meeting.configurations;
    world.start({
      kind: "statement",
      settings,
      skewMs: 0,
      job: async (resources, bus) => {
        const { complete, totals, to } = await createAgentOn(resources, bus).statement({ month });
        // Where the gateway has not answered, the rows of the same machine decide whether the month has ended (docs/reliability.md).
        const isJudged = (await resources.gateway()).dateAt() !== null || Date.parse(to) <= world.scheduler.now;
        if (complete && isJudged) {
          requireSame(world, statements, { month, totals: JSON.stringify(totals) });
        }
      },
    });
  };

  const sayWord = () =>
    alone("word", meeting.configurations[0], (agent) => agent.statement({ month: ENDED, trustClock: true }));

  return {
    onEvent: () => {
      if (isRight || world.scheduler.events % EVENTS_PER_DRAW !== 0) {
        return;
      }
      if (random.chance(jumps)) {
        set(random.chance(0.3) ? 0 : drawSkew(random));
      }
      if (random.chance(0.05) && world.alive().length < MAX_ALIVE) {
        askStatement();
      }
    },
    onRest: async () => {
      isRight = true;
      set(0);
      // What was written by a clock that was ahead lies in a later period: only a person can say which of the two was right.
      await sayWord();
    },
    onRested: async () => {
      if (world.faults.struck.has("held_up")) {
        // A process that was held up wrote by the clock of before, after the word: the word is needed again.
        await sayWord();
      }
      const { now } = world.scheduler;
      if (people.service !== null) {
        await pass(Math.ceil(now / HOUR_MS) * HOUR_MS + SLOT_MS - now);
      }
      const violation = people.service === null ? null : judgeSlots(world);
      if (violation === null) {
        await reconcile(stage);
      }
      return violation;
    },
    judge: () => judgeTexts(world) ?? judgeStatements(world, statements),
  };
}

function drawSkew(random: Random): number {
  return random.chance(0.65) ? random.pick(AHEAD_MS) : -random.pick(BEHIND_MS);
}

/** The rights to nothing end in the time of a meeting. */
function judgeTexts({ db }: World): Violation | null {
  const detail = db
    .prepare<[], string>(
      "SELECT format('the text of %s was removed', p.url) FROM purchase p JOIN content c ON c.purchase_id = p.id WHERE c.purged_at IS NOT NULL LIMIT 1",
    )
    .pluck()
    .get();
  return detail === undefined ? null : broken("rights-end-by-true-time", detail);
}

function requireSame(world: World, statements: Map<string, string>, found: { month: string; totals: string }): void {
  const { month, totals } = found;
  world.note(() => `the statement of ${month} is complete: ${totals}`);
  const before = statements.get(month);
  // A restored copy of before the statement does not know it (docs/decisions/0083). What is broken is found when the scene is judged.
  const isSame = before === undefined || before === totals || !world.judgesRows;
  statements.set(isSame ? month : `${month} anew`, totals);
}

/** The statement of a month that has not ended is not complete, and a complete one never changes. */
function judgeStatements({ scheduler }: World, statements: ReadonlyMap<string, string>): Violation | null {
  for (const month of statements.keys()) {
    const [year = 0, number = 0] = month.slice(0, 7).split("-").map(Number);
    if (month.endsWith("anew")) {
      return broken("complete-month-stays", `the statement of ${month.slice(0, 7)} was complete, and has changed`);
    }
    if (Date.UTC(year, number) > scheduler.now) {
      return broken("month-ends-by-true-time", `the statement of ${month} is complete, and the month goes on`);
    }
  }
  return null;
}

/** In the last hour the clock was right and a service was at work. */
function judgeSlots({ db, scheduler }: World): Violation | null {
  const from = Math.floor(scheduler.now / HOUR_MS) * HOUR_MS - HOUR_MS;
  const detail = db
    .prepare<{ from: number; to: number }, string>(
      `SELECT format('%s has no slot in the last hour: %s', c.name, coalesce((SELECT group_concat(format('%s %s', s.state, s.detail))
         FROM slot s WHERE s.schedule = c.name AND s.slot_at BETWEEN @from AND @to), 'no row')) FROM schedule c
       WHERE NOT EXISTS (SELECT 1 FROM slot s WHERE s.schedule = c.name AND s.slot_at > @from AND s.slot_at <= @to
         AND s.state <> 'missed' AND NOT (s.state = 'failed' AND s.run_id IS NULL)) LIMIT 1`,
    )
    .pluck()
    .get({ from, to: scheduler.now });
  return detail === undefined ? null : { promise: "liveness", rule: "slots-come-again", detail };
}

/** Reports whose window has ended by the wrong clock wait for a word of the gateway's people. */
async function reconcile({ world, meeting, alone }: Stage): Promise<void> {
  const { db, gateway } = world;
  const [settings] = meeting.configurations;
  await alone("report", settings, (agent) => agent.report());
  const open = db
    .prepare<[], { readonly id: number; readonly idempotencyId: string }>(
      "SELECT id, idempotency_id AS idempotencyId FROM usage_batch WHERE state = 'needs_reconcile'",
    )
    .all();
  for (const { id, idempotencyId } of open) {
    const isTaken = gateway.account.reports.some(
      (report) => report.outcome === "accepted" && report.idempotencyId === idempotencyId,
    );
    await alone("reconcile", settings, (agent) => agent.resolveReport(id, isTaken));
  }
}

function broken(rule: string, detail: string): Violation {
  return { promise: 4, rule, detail };
}
