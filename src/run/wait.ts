/**
 * What a run or a service waits for. A wait is written down when it begins and taken away when it ends, so that every process can say of every
 * other what it waits for, and since when.
 */

/** What is waited for. */
export const WAIT_PLACES = ["gateway", "rate_limit", "queue", "ledger", "disk", "clock"] as const;
/**
 * `gateway`: it gives no usable answer. `rate_limit`: it asked for a pause (429, `Retry-After`). `queue`: Redis is away. `ledger`: its file cannot
 * be written. `disk`: there is not enough room to buy. `clock`: it is behind the ledger, so no run begins.
 */
export type WaitPlace = (typeof WAIT_PLACES)[number];

/** One wait of a run, or of the service itself. */
export interface Wait {
  readonly place: WaitPlace;
  /** Null: the service itself waits. */
  readonly runId: string | null;
  /** The failure that began it: an error code, and what a person can do. */
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  /** Epoch ms. */
  readonly since: number;
  /** When it is looked again, epoch ms. Null: as soon as it is over. */
  readonly until: number | null;
}

/** A wait before somebody says since when. */
export type NewWait = Omit<Wait, "since">;

/** What people read of a place: `the gateway`. */
export const WAIT_WORDS: Readonly<Record<WaitPlace, string>> = {
  gateway: "the gateway",
  rate_limit: "the pause that the gateway asked for",
  queue: "the queue",
  ledger: "the ledger",
  disk: "room on the disk of the ledger",
  clock: "a clock that is right",
};
