/** What a site's repeated purchases say of its catalog: bytes that were paid for twice. */

export interface Repurchases {
  readonly host: string;
  /** Pages of which an earlier version was held, and how many of them turned out to be the same content. */
  readonly repurchased: number;
  readonly repurchasedEqual: number;
}

/** A sentence with the figures and the remedy; null when nothing was bought twice in vain. */
export function describeEqualRepurchases(
  { host, repurchased, repurchasedEqual }: Repurchases,
  when: "in this run" | "in recent runs",
): string | null {
  return repurchasedEqual === 0
    ? null
    : `${host}: of ${repurchased} pages that were bought again ${when}, ${repurchasedEqual} had the same content as the version held; where lastMod is the time of the catalog's build, set refresh.minAge for this site`;
}
