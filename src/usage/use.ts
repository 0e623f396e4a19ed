/** `fetch` is the use of a page by its paid fetch. `use` is any later use. */
export const USE_KINDS = ["fetch", "use"] as const;
/** `fetch` is the use that a paid fetch itself is, `use` any later one. */
export type UseKind = (typeof USE_KINDS)[number];

/**
 * The states of a use. `pending`: not yet in a batch. `batched`: in one that has no final answer. `settled`: taken by the gateway. `rejected`:
 * refused alone. `not_reported`: recorded, but its kind is not reported.
 */
export const USE_STATES = ["pending", "batched", "settled", "rejected", "not_reported"] as const;
/** The states of a use. */
export type UseState = (typeof USE_STATES)[number];

/** Which kinds are reported, and which reported kinds are charged. */
export interface ReportingTerms {
  readonly kinds: readonly UseKind[];
  readonly billed: readonly UseKind[];
}

/** The largest count of one record. It is far above any real count, and sums stay exact. */
export const MAX_USE_TIMES = 1_000_000_000;

/** The last instant that a date can represent, in epoch ms (ECMA-262 § Time Values). Its negative is the first. */
const MAX_INSTANT_MS = 8_640_000_000_000_000;

export function isUseCount(times: number): boolean {
  return Number.isSafeInteger(times) && times >= 1 && times <= MAX_USE_TIMES;
}

/** Says whether a number is an instant in epoch ms: a whole number in the range of dates. */
export function isInstant(at: number): boolean {
  return Number.isSafeInteger(at) && Math.abs(at) <= MAX_INSTANT_MS;
}

/** True when a record of a use of this kind reserves money. */
export function isBilled(kind: UseKind, terms: ReportingTerms): boolean {
  return terms.kinds.includes(kind) && terms.billed.includes(kind);
}
