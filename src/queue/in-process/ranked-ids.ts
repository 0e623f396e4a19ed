/**
 * Ids in the order of a rank; ids of the same rank in the order of their text, like the members of a Redis sorted set. It is both
 * kinds of collection that BullMQ keeps job ids in: with a time or a priority as the rank it is its sorted set, and with
 * `addFirst` and `addLast` it is its list, whose first id is the next one to be taken.
 */
interface RankedId {
  readonly id: string;
  readonly rank: number;
}

/** So many places left empty by `takeFirst` are kept before the rest moves to the front: moving costs as much as what is left. */
const COMPACT_FROM = 1_024;

export class RankedIds {
  readonly #ranks = new Map<string, number>();
  /** In order from `#start` on; what lies before it was taken. */
  #entries: RankedId[] = [];
  #start = 0;

  get size(): number {
    return this.#ranks.size;
  }

  has(id: string): boolean {
    return this.#ranks.has(id);
  }

  rankOf(id: string): number | undefined {
    return this.#ranks.get(id);
  }

  /** Adds an id, or gives it another rank. */
  set(id: string, rank: number): void {
    this.delete(id);
    this.#ranks.set(id, rank);
    const last = this.#entries.at(-1);
    if (this.size === 1 || last === undefined || isBefore(last, { id, rank })) {
      this.#entries.push({ id, rank });
    } else {
      this.#entries.splice(this.#indexOf(id, rank), 0, { id, rank });
    }
  }

  /** As the next one to be taken. */
  addFirst(id: string): void {
    this.set(id, (this.first()?.rank ?? 0) - 1);
  }

  /** As the last one to be taken. */
  addLast(id: string): void {
    this.set(id, (this.last()?.rank ?? 0) + 1);
  }

  delete(id: string): boolean {
    const rank = this.#ranks.get(id);
    if (rank === undefined) {
      return false;
    }
    this.#ranks.delete(id);
    const index = this.#indexOf(id, rank);
    if (index === this.#start) {
      this.#dropFirst();
    } else {
      this.#entries.splice(index, 1);
    }
    return true;
  }

  first(): RankedId | undefined {
    return this.size === 0 ? undefined : this.#entries[this.#start];
  }

  last(): RankedId | undefined {
    return this.size === 0 ? undefined : this.#entries.at(-1);
  }

  /** The one of the highest rank that is lower than `end`. */
  lastBelow(end: number): RankedId | undefined {
    const index = this.#indexOf("", end) - 1;
    return index < this.#start ? undefined : this.#entries[index];
  }

  takeFirst(): string | undefined {
    const first = this.first();
    if (first !== undefined) {
      this.#ranks.delete(first.id);
      this.#dropFirst();
    }
    return first?.id;
  }

  /** The ids of at most this rank, at most `limit` of them, lowest first. */
  upTo(rank: number, limit: number = Number.POSITIVE_INFINITY): string[] {
    const ids: string[] = [];
    for (let index = this.#start; index < this.#entries.length && ids.length < limit; index++) {
      const entry = this.#entries[index];
      if (entry === undefined || entry.rank > rank) {
        break;
      }
      ids.push(entry.id);
    }
    return ids;
  }

  /** How many ids have a rank from `min` up to, but without, `end`. */
  countBetween(min: number, end: number): number {
    return Math.max(0, this.#indexOf("", end) - this.#indexOf("", min));
  }

  /** All ids, first to last. */
  ids(): string[] {
    return this.#entries.slice(this.#start).map((entry) => entry.id);
  }

  /** Where an id of this rank is, or would be. */
  #indexOf(id: string, rank: number): number {
    let low = this.#start;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.#entries[middle];
      if (entry !== undefined && isBefore(entry, { id, rank })) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  #dropFirst(): void {
    this.#start += 1;
    if (this.size === 0) {
      this.#entries = [];
      this.#start = 0;
    } else if (this.#start >= COMPACT_FROM && this.#start * 2 >= this.#entries.length) {
      this.#entries = this.#entries.slice(this.#start);
      this.#start = 0;
    }
  }
}

function isBefore(a: RankedId, b: RankedId): boolean {
  return a.rank < b.rank || (a.rank === b.rank && a.id < b.id);
}

/** A part of a list by Redis' indexes: both ends are in it, and a negative index counts from the end. */
export function sliceInclusive<T>(list: readonly T[], start: number, end: number): T[] {
  const from = start < 0 ? Math.max(0, list.length + start) : start;
  const to = end < 0 ? list.length + end : end;
  return list.slice(from, to + 1);
}
