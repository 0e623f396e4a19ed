import type { NewHint } from "../../ledger/hint-ledger.ts";

/** About two megabytes. */
const MAX_RECENT = 10_000;

/**
 * The hints that were recorded last. A repeated delivery then costs no commit, and no place of its site's rate. The ledger has them
 * all: a hint that is not remembered here is found there.
 */
export class RecentHints {
  readonly #keys = new Set<string>();

  has(hint: NewHint): boolean {
    return this.#keys.has(keyOf(hint));
  }

  /** One without a date is left to the ledger: a day later it is another notification. */
  add(hint: NewHint): void {
    if (hint.at === null) {
      return;
    }
    this.#keys.add(keyOf(hint));
    if (this.#keys.size > MAX_RECENT) {
      for (const oldest of this.#keys) {
        this.#keys.delete(oldest);
        return;
      }
    }
  }
}

function keyOf({ wireUrl, timestamp, kind }: NewHint): string {
  return JSON.stringify([wireUrl, timestamp, kind]);
}
