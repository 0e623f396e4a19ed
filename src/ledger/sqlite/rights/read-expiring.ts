import { setImmediate } from "node:timers/promises";
import { isTooShortToRenew } from "../../../rights/renewal.ts";
import { findExpiryAction, haveRightsEnded } from "../../../rights/rights.ts";
import type { EndingCursor, ExpiringCount, ExpiringDocument } from "../../rights-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { Answered, Asked, ReadTx } from "../operation.ts";
import { type EndingPage, type EndingPiece, readEndingPages } from "./ending-pages.ts";
import { findPreviousVersion } from "./renewals.ts";

/** Pages read in one piece: a service answers its requests in between. */
const READ_ROWS = 2_000;

type Query = Asked<"readExpiring">;
type Found = EndingPage & { readonly host: string };

/** Reads: site, page, purchase, by the indexes of what ends. Holds as many pages as the caller asks for, however many end. Writes nothing. */
export async function readExpiring(core: LedgerCore, query: Asked<"readExpiring">): Promise<Answered<"readExpiring">> {
  const counts = createCounts(query);
  let earliest: Found[] = [];
  for (const { siteId, host } of await core.read((tx) =>
    tx.all<{ siteId: number; host: string }>("SELECT id AS siteId, host FROM site ORDER BY host"),
  )) {
    let after: EndingCursor | null = null;
    for (let isMore = true; isMore; ) {
      const from: EndingCursor | null = after;
      const { policies, until, limit } = query;
      const piece: EndingPiece = await core.read((tx) =>
        readEndingPages(tx, { siteId, policies, until, after: from, limit: READ_ROWS }),
      );
      counts.add(host, piece.pages);
      earliest = [...earliest, ...piece.pages.map((page) => ({ ...page, host }))].sort(byEnd).slice(0, limit);
      after = piece.next;
      if (piece.pages.length > 0) {
        await setImmediate();
      }
      isMore = after !== null;
    }
  }
  const documents = await core.read((tx) => earliest.map((page) => readDocumentOf(tx, page, query)));
  return { documents, counts: counts.list() };
}

function byEnd(a: Found, b: Found): number {
  return a.end.at - b.end.at || a.pageId - b.pageId;
}

function createCounts({ policies, now }: Query): {
  add(host: string, pages: readonly EndingPage[]): void;
  list(): ExpiringCount[];
} {
  const counts = new Map<string, { -readonly [Key in keyof ExpiringCount]: ExpiringCount[Key] }>();
  return {
    add(host, pages) {
      for (const page of pages) {
        const action = findExpiryAction(page, policies);
        const key = `${host} ${action}`;
        const count = counts.get(key) ?? { host, action, ended: 0, ending: 0 };
        count[haveRightsEnded(page.end, now) ? "ended" : "ending"] += 1;
        counts.set(key, count);
      }
    },
    list: () => [...counts.values()],
  };
}

function readDocumentOf(tx: ReadTx, page: Found, { policies }: Query): ExpiringDocument {
  const { url, host, purchaseId, policyName, boughtAt, end, goneAt } = page;
  const action = findExpiryAction(page, policies);
  const previous = action === "relicense" ? findPreviousVersion(tx, page.pageId, purchaseId) : null;
  return {
    url,
    host,
    purchaseId,
    policyName,
    license: page.licenseId === null ? null : tx.lookups.license(page.licenseId),
    storedAt: boughtAt,
    endsAt: end.at,
    why: end.why,
    action,
    isTooShortToRenew: isTooShortToRenew({ content: page, previous }, policies),
    goneAt,
  };
}
