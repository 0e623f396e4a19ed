/** What becomes of a run that a person has told a process to stop, and from when on it counts as stopped. */
import type { SimulatedProcess } from "../process.ts";
import type { Random } from "../random.ts";
import type { World } from "../world.ts";
import type { Ask, Asks } from "./asks.ts";

/** How often somebody who has stopped a run looks whether it has ended. */
const LOOK_MS = 250;
/** A stop of a run is written within milliseconds of the signal, and what it has started takes up to seconds. */
const MAX_PATIENCE_MS = 300;

export class Stops {
  readonly #world: World;
  readonly #asks: Asks;
  readonly #impatience: Random;
  readonly #underWay: Ask[] = [];

  constructor(world: World, asks: Asks, impatience: Random) {
    this.#impatience = impatience;
    this.#world = world;
    this.#asks = asks;
  }

  isUnderWay(ask: Ask): boolean {
    return this.#underWay.includes(ask);
  }

  /** Ctrl-C. As often as not its process is killed soon after: by a second one, by the machine, or because it takes too long. */
  interrupt(ask: Ask): void {
    const process = this.#world.alive().find(({ name }) => name === ask.process);
    if (process === undefined) {
      return;
    }
    this.#world.note(() => `${process.name} is interrupted`);
    void this.when(ask, process, () => process.hasEnded);
    process.stop.abort();
    if (this.#impatience.chance(0.5)) {
      this.#world.scheduler.schedule(Math.round(MAX_PATIENCE_MS ** this.#impatience.next()), null, () => {
        if (process.isAlive && !process.hasEnded) {
          this.#world.kill(process);
        }
      });
    }
  }

  /**
   * Purchases that had started by then are of the time before. Where the process that was told dies first, the stop is known if the process had
   * time for a heartbeat after it was told: a person who kills it before cannot expect that anybody knows.
   */
  async when(ask: Ask, told: SimulatedProcess, isOver: () => boolean): Promise<void> {
    const { scheduler } = this.#world;
    const toldAt = this.#world.nextPlace();
    this.#underWay.push(ask);
    while (!isOver() && told.isAlive) {
      await new Promise<void>((resolve) => void scheduler.schedule(LOOK_MS, null, resolve));
    }
    this.#underWay.splice(this.#underWay.indexOf(ask), 1);
    const last = Math.max(...ask.runs.map((runId) => this.#world.lastHeartbeat(told.name, runId) ?? 0));
    const isKnown = last > toldAt;
    // A process that had lost its run before, such as one that hung, stops nothing.
    const isPutDown = isOver() && told.error === null && !this.#isLost(ask);
    if (isPutDown || isKnown) {
      this.#world.note(() => `${ask.what}: stopped by a person`);
      this.#asks.stop(ask);
    } else if (!told.isAlive) {
      // One that was written may never have been seen.
      ask.isStopUnsure = true;
    }
  }

  /** The process that was told had lost the run before, also to a machine whose clock took it for dead: it goes on elsewhere. */
  #isLost({ runs }: Ask): boolean {
    const { db, evidence } = this.#world;
    const select = db.prepare<[string], { state: string; endedBy: string }>(
      "SELECT state, ended_by AS endedBy FROM run WHERE name = ?",
    );
    const { state, endedBy } = select.get(runs[0] ?? "") ?? { state: "", endedBy: "" };
    return (
      endedBy !== "person" && (state === "running" || (evidence.clocksAreRight?.() === false && endedBy === "death"))
    );
  }
}
