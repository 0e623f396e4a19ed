import { asLost, type KnownWorker } from "../../ledger/service-ledger.ts";

/** People may look in the morning. */
const KEPT_MS = 24 * 3_600_000;
/** The last ones to be lost. */
const MAX_LOST = 100;

/** The workers that were silent for longer than their lease, for people: who they were, and when they were heard last. Those that come again are not lost. */
export class LostWorkers {
  readonly #byName = new Map<string, KnownWorker>();
  readonly #leaseMs: number;

  /** @param known the workers of the service before: whoever does not come to this one is lost */
  constructor(known: readonly KnownWorker[], leaseMs: number) {
    this.#leaseMs = leaseMs;
    for (const worker of known) {
      this.add(worker);
    }
  }

  add(worker: KnownWorker): void {
    this.#byName.delete(worker.name);
    this.#byName.set(worker.name, asLost(worker));
    for (const name of [...this.#byName.keys()].slice(0, -MAX_LOST)) {
      this.#byName.delete(name);
    }
  }

  /** It is there again. */
  forget(name: string): void {
    this.#byName.delete(name);
  }

  list(now: number): readonly KnownWorker[] {
    return [...this.#byName.values()].filter(
      ({ seenAt }) => now - seenAt > this.#leaseMs && now - seenAt <= this.#leaseMs + KEPT_MS,
    );
  }
}
