/**
 * The workers on other machines of a world: they come, are killed, frozen, cut off from service, gateway or queue, and stopped, and others come in
 * their place. What they and their service ask of the gateway is counted there.
 */
import { packageVersion } from "../../../src/package-directory.ts";
import { Halt, requireNoBug } from "../halt.ts";
import type { ProcessDeps } from "../process.ts";
import { createRandom } from "../random.ts";
import type { World } from "../world.ts";
import type { FleetPlan } from "./draw-fleet.ts";
import type { Host } from "./service-way.ts";
import { NEIGHBOURS, type SimulatedWorker, startSimulatedWorker } from "./worker-process.ts";

const EVENTS_PER_DRAW = 25;
const SECOND_MS = 1_000;
/** A share lasts for 10 s, a lease of the ledger for a minute. */
const HANGS_FOR = [2, 9, 12, 45, 120];
const CUT_FOR = [1, 8, 12, 40];
/** Those that have ended among them. */
const MAX_WORKERS = 12;

export class Fleet {
  readonly #world: World;
  readonly #deps: ProcessDeps;
  readonly #plan: FleetPlan;
  readonly #host: () => Host | null;
  readonly #random;
  readonly #workers: SimulatedWorker[] = [];
  #isOver = false;

  /** @param host whoever answers at the address of the service at present */
  constructor(world: World, deps: ProcessDeps, plan: FleetPlan, host: () => Host | null) {
    this.#world = world;
    this.#deps = deps;
    this.#plan = plan;
    this.#host = host;
    this.#random = createRandom(world.scenario.seed, "fleet");
    for (let count = 0; count < plan.count; count += 1) {
      this.#begin();
    }
    if (plan.hasStranger) {
      this.#begin("0.0.1");
    }
  }

  /** After every event. @throws Halt */
  onEvent(): void {
    const { scheduler } = this.#world;
    this.#judge();
    if (this.#isOver || scheduler.events % EVENTS_PER_DRAW !== 0) {
      return;
    }
    const workers = this.#alive();
    const worker = workers.length === 0 ? null : this.#random.pick(workers);
    if (worker !== null) {
      this.#disturb(worker);
    }
    if (workers.length < this.#plan.count && this.#workers.length < MAX_WORKERS && this.#random.chance(0.2)) {
      this.#begin();
    }
  }

  /** Nothing goes wrong any more, and there are as many as there should be. */
  heal(): void {
    this.#isOver = true;
    while (this.#alive().length < this.#plan.count) {
      this.#begin();
    }
    for (const worker of this.#workers) {
      worker.cutOff.clear();
      worker.suspendedUntil = null;
    }
  }

  /** All are told to end. */
  stop(): void {
    for (const worker of this.#alive()) {
      worker.stop.abort();
    }
  }

  /** All have ended, also those that were told to. @throws Halt */
  requireEnded(): void {
    const [left] = this.#alive();
    if (left !== undefined) {
      const detail = `${left.name} was told to end, and goes on`;
      throw new Halt({ promise: "liveness", rule: "worker-ends", detail });
    }
  }

  close(): void {
    for (const worker of this.#workers) {
      worker.isAlive = false;
    }
  }

  #alive(): readonly SimulatedWorker[] {
    return this.#workers.filter(({ isAlive, hasEnded }) => isAlive && !hasEnded);
  }

  #begin(version = packageVersion()): void {
    const { world, random } = { world: this.#world, random: this.#random };
    const worker = startSimulatedWorker(
      this.#deps,
      {
        scheduler: world.scheduler,
        faults: world.faults,
        random: createRandom(world.scenario.seed, `way ${this.#workers.length}`),
        trace: world.note,
        host: this.#host,
      },
      {
        name: `worker#${this.#workers.length + 1}`,
        places: this.#plan.places,
        version,
        isDrained: random.chance(0.1),
      },
    );
    this.#workers.push(worker);
    this.#deps.wire.traffic?.add(worker, "worker");
    world.note(() => `${worker.name} is started, of version ${version}`);
  }

  #disturb(worker: SimulatedWorker): void {
    const { scheduler, faults, note } = this.#world;
    if (faults.strikes("worker_killed")) {
      note(() => `${worker.name} was killed`);
      worker.isAlive = false;
    } else if (worker.suspendedUntil === null && faults.strikes("worker_frozen")) {
      const ms = faults.random("worker_frozen").pick(HANGS_FOR) * SECOND_MS;
      note(() => `${worker.name} is frozen for ${ms} ms`);
      worker.suspendedUntil = scheduler.now + ms;
    } else if (faults.strikes("worker_cut_off")) {
      const random = faults.random("worker_cut_off");
      const [neighbour, ms] = [random.pick(NEIGHBOURS), random.pick(CUT_FOR) * SECOND_MS];
      note(() => `${worker.name} does not reach the ${neighbour} for ${ms} ms`);
      worker.cutOff.add(neighbour);
      scheduler.schedule(ms, null, () => worker.cutOff.delete(neighbour));
    } else if (this.#random.chance(this.#plan.changes)) {
      note(() => `${worker.name} is told to end`);
      worker.stop.abort();
    }
  }

  #judge(): void {
    const { violation = null } = this.#deps.wire.traffic ?? {};
    if (violation !== null) {
      throw new Halt(violation);
    }
    requireNoBug(this.#workers);
  }
}
