/**
 * A second machine with `licet serve` of the same ledger: somebody starts it while the first one is at work, or hangs. While the lease lives it
 * is refused. When the lease has ended it takes over, and the first one, when it comes back, stops at once.
 */
import type { Violation } from "../checks/evidence.ts";
import { Halt } from "../halt.ts";
import type { SimulatedProcess } from "../process.ts";
import { createRandom } from "../random.ts";
import type { World } from "../world.ts";
import type { Actor, Stage } from "./actors.ts";
import { type SimulatedService, serveJob } from "./service-process.ts";
import { suspend } from "./suspend.ts";

const SHARE = 0.4;
const EVENTS_PER_DRAW = 25;
const SECOND_MS = 1_000;
/** A lease is renewed several times within its 15 s, and a service that lost it has 2 s to stop. */
const STOPS_WITHIN_MS = 30 * SECOND_MS;
/** By two clocks, each takes the lease from the other one. */
const MAX_SERVICES = 3;
const HANGS_FOR = [5, 20, 90, 600];

interface LeaseRow {
  readonly fence: number;
  readonly process: string;
  readonly expiresAt: number | null;
}

export function drawSecondService({ world, meeting, people }: Stage): Actor | null {
  const random = createRandom(world.scenario.seed, "second service");
  if (!random.chance(SHARE) || !meeting.hasService) {
    return null;
  }
  const [settings] = meeting.configurations;
  const eager = random.pick([0.05, 0.3]);
  const hangs = random.pick([0, 0.05, 0.2]);
  const watch = watchLease(world);
  let other: (SimulatedService & { readonly process: SimulatedProcess }) | null = null;

  const begin = () => {
    const service: SimulatedService = { app: null };
    const process = world.start({
      kind: "serve",
      job: serveJob(world, service, (message) => people.exits.hear(message)),
      settings,
      skewMs: 0,
    });
    other = Object.assign(service, { process });
  };
  return {
    onEvent: () => {
      watch();
      // From now on persons turn to the one that has the lease.
      if (other?.app != null && people.service !== other.process) {
        world.note(() => `persons turn to ${other?.process.name}`);
        people.turnTo(other);
        other = null;
      }
      if (world.evidence.faultsAreOver || world.scheduler.events % EVENTS_PER_DRAW !== 0 || people.service === null) {
        return;
      }
      const { service } = people;
      if (service.suspendedUntil === null && random.chance(hangs)) {
        suspend(world, service, random.pick(HANGS_FOR) * SECOND_MS);
      }
      const services = world.alive().filter(({ name }) => name.startsWith("serve#"));
      if (services.length < MAX_SERVICES && random.chance(eager)) {
        begin();
      }
    },
  };
}

/**
 * One service at a time: nobody takes a lease that lives from a process that lives, and whoever lost it stops soon.
 * @returns to be called after every event; throws what is broken
 */
function watchLease(world: World): () => void {
  const select = world.db.prepare<[], LeaseRow>(
    "SELECT fence, process, expires_at AS expiresAt FROM service WHERE id = 1",
  );
  /** How long each one that lost the lease has been awake since, and whether it was at the last look. */
  const lost = new Map<SimulatedProcess, { awakeMs: number; isAwake: boolean }>();
  let before: LeaseRow | undefined;
  let lookedAt = world.scheduler.now;
  return () => {
    const { now } = world.scheduler;
    const row = select.get();
    if (row !== undefined && before !== undefined && row.fence !== before.fence) {
      const former = processOf(world, before);
      const isAtWork = former?.isAlive && !former.hasEnded;
      // Two clocks that differ by more than a lease cannot share one.
      const isToldByClock = world.evidence.clocksAreRight?.() !== false;
      if (isAtWork && isToldByClock && before.expiresAt !== null && before.expiresAt > now) {
        const left = before.expiresAt - now;
        throw broken("one-service", `${row.process} took the lease that ${before.process} has for ${left} ms more`);
      }
      if (isAtWork && former !== processOf(world, row)) {
        lost.set(former, { awakeMs: 0, isAwake: false });
      }
    }
    before = row;
    for (const [process, watched] of lost) {
      watched.awakeMs += watched.isAwake ? now - lookedAt : 0;
      watched.isAwake = process.suspendedUntil === null;
      if (process.hasEnded || !process.isAlive) {
        lost.delete(process);
      } else if (watched.awakeMs > STOPS_WITHIN_MS) {
        throw broken("lost-service-stops", `${process.name} lost its lease, and goes on for ${watched.awakeMs} ms`);
      }
    }
    lookedAt = now;
  };
}

/** A task of a process has the name of the process and a number. */
function processOf({ processes }: World, { process }: LeaseRow): SimulatedProcess | undefined {
  return processes.find(({ name }) => name === process.split("~")[0]);
}

function broken(rule: string, detail: string): Halt {
  return new Halt({ promise: 6, rule, detail } satisfies Violation);
}
