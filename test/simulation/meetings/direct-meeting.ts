/** Directs one meeting: scenes in which much begins at once and something ends it, and then a rest in which all must come to its end. */

import { createAgentOn } from "../../../src/agent/create-agent.ts";
import { endBalances } from "../checks/balances.ts";
import type { Violation } from "../checks/evidence.ts";
import { endOutsideView } from "../checks/outside-view.ts";
import { Halt } from "../halt.ts";
import type { ProcessJob } from "../process.ts";
import { createRandom, type Random } from "../random.ts";
import { runAlone } from "../run-alone.ts";
import type { Limits } from "../simulate.ts";
import type { Fleet } from "../workers/fleet.ts";
import type { World } from "../world.ts";
import { type Actor, drawActors, type Stage } from "./actors.ts";
import { judgeAskedFor } from "./asked-for.ts";
import { Asks } from "./asks.ts";
import { judgeDoneOrSaid } from "./done-or-said.ts";
import { judgeLastFetch, planLastFetch } from "./last-fetch.ts";
import type { Meeting } from "./meeting.ts";
import { judgeOrders } from "./orders.ts";
import { People } from "./people.ts";
import { judgePlans } from "./plans.ts";
import { suspend } from "./suspend.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** The service looks for what was left every 15 s, and leases last for a minute. */
const REST_MS = 17 * MINUTE_MS;
/** All that are there have come to it, and somebody asks it once more. */
const WORKERS_COME_MS = 2 * MINUTE_MS;
/** Then workers on other machines are told to end, and the service goes on alone. */
const WORKERS_STAY_MS = 5 * MINUTE_MS;
/** When somebody asks a service that has workers, how long it has served. */
const SERVES_FOR = [0, SECOND_MS, 5 * SECOND_MS, 20 * SECOND_MS];
const EVENTS_PER_DRAW = 25;
/** Each act makes events, which must not make ever more acts. */
const MAX_ACTS = 40;

export async function directMeeting(world: World, meeting: Meeting, limits: Limits): Promise<void> {
  const random = createRandom(meeting.scenario.seed, "scenes");
  const asks = new Asks(world);
  const people = new People(world, meeting, asks, createRandom(meeting.scenario.seed, "people"));
  const fleet = world.startFleet(() => {
    const { app = null, process } = people.listening ?? {};
    return app === null || process === undefined ? null : { app, owner: process };
  });
  const stage: Stage = {
    world,
    meeting,
    asks,
    people,
    pass: (ms) => pass(world, ms, watch),
    alone: (kind, settings, work) => runAlone(world, kind, by(work), { settings, skewMs: 0 }),
  };
  const actors = drawActors(stage, limits);
  const watch = () => {
    for (const actor of actors) {
      actor.onEvent?.();
    }
  };
  const judge = () => {
    for (const actor of actors) {
      requireNone(actor.judge?.() ?? null);
    }
    requireNone(people.exits.violation);
    requireNone(judgeAskedFor(world, asks.all));
    requireNone(judgeOrders(world));
    requireNone(judgePlans(world, people.plans));
  };
  const scenes = Math.min(limits.maxRounds, random.int(1, 4));
  for (let scene = 0; scene < scenes; scene += 1) {
    world.note(() => `scene ${scene + 1}`);
    for (const actor of actors) {
      await actor.onScene?.();
    }
    if (random.chance(0.8)) {
      people.serve();
    }
    const acts = limits.userChanges ? random.pick([0, 0.05, 0.2, 0.5]) : 0;
    if (random.chance(0.6)) {
      people.purge();
    }
    // A service that has just been started answers nobody, and its workers have not come.
    await pass(world, fleet === null ? 0 : random.pick(SERVES_FOR), watch);
    for (let count = random.int(1, 3); count > 0; count -= 1) {
      people.ask();
      await pass(world, random.pick([0, 0, 20, 300]), watch);
    }
    let done = 0;
    const onEvent = () => {
      watch();
      if (world.scheduler.events % EVENTS_PER_DRAW === 0 && random.chance(acts) && done < MAX_ACTS) {
        done += 1;
        people.act();
      }
    };
    await pass(world, Math.round(10 ** (1.5 + 3 * random.next())), onEvent);
    if (limits.disturbances) {
      endScene(world, people, random);
    }
    await pass(world, random.pick([0, 5 * SECOND_MS, 2 * MINUTE_MS]), onEvent);
    asks.learn();
    judge();
  }
  await rest(world, meeting, { people, asks, watch, actors, fleet });
  asks.learn();
  judge();
  requireNone(judgeDoneOrSaid(world, meeting, asks.all));
  requireNone(judgeAnswers(people));
  for (const actor of actors) {
    requireNone(actor.judgeEnd?.() ?? null);
  }
  // A restored ledger does not know all that the gateway has seen.
  const outside = world.lost.size === 0 && world.judgesRows ? endOutsideView(world.evidence) : [];
  requireNone([...endBalances(world.evidence), ...outside][0] ?? null);
}

/** What ends a scene: most often, a death of several at the same instant. */
function endScene(world: World, people: People, random: Random): void {
  const end = random.pick([
    "all die",
    "all die",
    "service dies",
    "lists die",
    "one dies",
    "service stops",
    "one hangs",
    "nothing",
  ] as const);
  const alive = world.alive();
  world.note(() => `the scene ends: ${end}`);
  switch (end) {
    case "all die":
      for (const process of alive) {
        world.kill(process);
      }
      break;
    case "lists die":
      for (const process of alive.filter(({ name }) => /^(list|apply)#/.test(name))) {
        world.kill(process);
      }
      break;
    case "one dies":
      if (alive.length > 0) {
        world.kill(random.pick(alive));
      }
      break;
    case "service dies":
      if (people.service !== null) {
        world.kill(people.service);
      }
      break;
    case "service stops":
      people.service?.stop.abort();
      break;
    case "one hangs":
      if (alive.length > 0) {
        suspend(world, random.pick(alive), random.pick([20, 90, 600]) * SECOND_MS);
      }
      break;
    case "nothing":
      break;
    default:
      end satisfies never;
  }
}

/** Lets time pass, also while nobody is alive. */
async function pass(world: World, ms: number, onEvent: () => void): Promise<void> {
  const until = world.scheduler.now + ms;
  await world.runUntil(() => world.scheduler.now >= until || world.alive().length === 0, onEvent);
  world.scheduler.advanceTo(until);
}

interface Resting {
  readonly people: People;
  readonly asks: Asks;
  readonly watch: () => void;
  readonly actors: readonly Actor[];
  readonly fleet: Fleet | null;
}

/** Faults off: the service has its time, or each configuration is run once more where there is none. Then the uses are reported. */
async function rest(world: World, meeting: Meeting, { people, asks, watch, actors, fleet }: Resting): Promise<void> {
  world.faults.end();
  world.evidence.faultsAreOver = true;
  world.note(() => "faults are over");
  fleet?.heal();
  for (const actor of actors) {
    await actor.onRest?.();
  }
  // A service that cannot see that the one before is dead is refused until that one's lease has ended, and one that hangs may stop late.
  for (let passed = 0; passed < REST_MS; passed += MINUTE_MS) {
    people.serve();
    await pass(world, MINUTE_MS, watch);
    if (passed === WORKERS_COME_MS && fleet !== null) {
      people.askService();
    }
    if (passed === WORKERS_STAY_MS) {
      fleet?.stop();
    }
  }
  fleet?.requireEnded();
  for (const actor of actors) {
    requireNone((await actor.onRested?.()) ?? null);
  }
  if (people.service === null) {
    const lastFetch = planLastFetch(world, meeting, asks);
    if (lastFetch !== null) {
      await runAlone(world, "fetch", lastFetch, { settings: meeting.configurations[0], skewMs: 0 });
      requireNone(judgeLastFetch(world));
    }
    for (const settings of meeting.configurations) {
      people.askForAll(settings);
      await runAlone(world, "last", people.exits.watch(by((agent) => agent.run())), { settings, skewMs: 0 });
    }
  }
  await applyInvoice(world, meeting);
  await runAlone(
    world,
    "report",
    by((agent) => agent.report()),
    { settings: meeting.configurations[0], skewMs: 0 },
  );
  await pass(world, MINUTE_MS, watch);
  for (const actor of actors) {
    requireNone((await actor.onEnd?.()) ?? null);
  }
}

/** The gateway's invoice says of each charge what it was; where nothing is in doubt, nobody asks for it. */
async function applyInvoice(world: World, { configurations: [settings] }: Meeting): Promise<void> {
  const { charges } = world.gateway.account;
  const doubts = world.db.prepare<[], number>("SELECT count(*) FROM purchase WHERE state = 'in_doubt'").pluck().get();
  if (doubts === 0) {
    return;
  }
  const lines = charges.map(({ url, micros, currency }) => ({ url, amount: { micros, currency } }));
  // An invoice that is applied again changes nothing.
  for (let time = 0; time < 2; time += 1) {
    await runAlone(
      world,
      "invoice",
      by((agent) => agent.resolveInvoice(lines, { charged: true })),
      { settings, skewMs: 0 },
    );
  }
}

/** The rest is longer than whatever an answer may wait for. */
function judgeAnswers(people: People): Violation | null {
  const [url] = people.unanswered();
  return url === undefined
    ? null
    : { promise: "liveness", rule: "request-is-answered", detail: `POST ${url} was not answered` };
}

/** What somebody does who is alone. */
function by<Result>(work: (agent: ReturnType<typeof createAgentOn>) => Promise<Result>) {
  return (...[resources, bus]: Parameters<ProcessJob>) => work(createAgentOn(resources, bus));
}

function requireNone(violation: Violation | null): void {
  if (violation !== null) {
    throw new Halt(violation);
  }
}
