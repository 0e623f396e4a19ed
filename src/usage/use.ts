/** `fetch` is the use that a paid fetch itself is, `use` any later one (design § Budgets). */
export const USE_KINDS = ["fetch", "use"] as const;
/** `fetch` is the use that a paid fetch itself is, `use` any later one. */
export type UseKind = (typeof USE_KINDS)[number];

/** Which kinds are reported, and which of those are charged on the report. */
export interface ReportingTerms {
  readonly kinds: readonly UseKind[];
  readonly billed: readonly UseKind[];
}

/** Times that one record may name: far beyond any real one, and sums of them stay exact. */
export const MAX_USE_TIMES = 1_000_000_000;

/** The last instant that a date can name, and before 1970 the first (ECMA-262 § Time Values), in epoch ms. */
const MAX_INSTANT_MS = 8_640_000_000_000_000;

export function isUseCount(times: number): boolean {
  return Number.isSafeInteger(times) && times >= 1 && times <= MAX_USE_TIMES;
}

/** Whether a number is an instant in epoch ms: whole, and one that can be written as a date. */
export function isInstant(at: number): boolean {
  return Number.isSafeInteger(at) && Math.abs(at) <= MAX_INSTANT_MS;
}

/** True when recording a use of this kind sets money aside. */
export function isBilled(kind: UseKind, terms: ReportingTerms): boolean {
  return terms.kinds.includes(kind) && terms.billed.includes(kind);
}
