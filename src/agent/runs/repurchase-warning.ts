/** Repeated purchases of a site, which show whether its catalog reports changes that did not happen. */

export interface Repurchases {
  readonly host: string;
  /** Pages that were bought again, and how many of them had the same content as before. */
  readonly repurchased: number;
  readonly repurchasedEqual: number;
}

/** A sentence with the numbers and the remedy. Null when no page was bought twice without need. */
export function describeEqualRepurchases(
  { host, repurchased, repurchasedEqual }: Repurchases,
  when: "in this run" | "in recent runs",
): string | null {
  return repurchasedEqual === 0
    ? null
    : `${host}: of ${repurchased} pages that were bought again ${when}, ${repurchasedEqual} had the same content as the stored version; if lastMod is the time of the catalog's build, set refresh.minAge for this site`;
}
