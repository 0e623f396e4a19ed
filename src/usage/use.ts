/** `fetch` is the use that a paid fetch itself is, `use` any later one (design § Budgets). */
export const USE_KINDS = ["fetch", "use"] as const;
export type UseKind = (typeof USE_KINDS)[number];

/** Which kinds are reported, and which of those are charged on the report. */
export interface ReportingTerms {
  readonly kinds: readonly UseKind[];
  readonly billed: readonly UseKind[];
}

/** True when recording a use of this kind sets money aside. */
export function isBilled(kind: UseKind, terms: ReportingTerms): boolean {
  return terms.kinds.includes(kind) && terms.billed.includes(kind);
}
