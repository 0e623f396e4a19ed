/**
 * Lasting stops: a site is not bought from while an open item of its own says that its charges or licenses
 * were not what was ordered. The open item is the only record of it: closing the item lifts the stop. Called within a write.
 */
import { assertBug } from "../../../errors.ts";
import type { SiteStop } from "../../run-ledger.ts";
import type { OpenItemKind } from "../../usage-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";

/** What stops a site for as long as it is open, and how a run calls that. */
export const STOPPING_ITEMS = {
  overcharged: "overcharged",
  charge_unreadable: "charge_unreadable",
  license_mismatch: "license_mismatch",
  // Only where more was charged than quoted: the item names the site then.
  charge_differs: "overcharged",
} as const satisfies Partial<Record<OpenItemKind, SiteStop>>;

export interface LastingStop {
  readonly stop: SiteStop;
  /** What happened, to what, and what to do. */
  readonly detail: string;
}

export interface StoppingItem {
  readonly kind: keyof typeof STOPPING_ITEMS;
  readonly detail: string;
  readonly purchaseId: number;
  readonly pageId: number;
  readonly siteId: number;
  /** The run of the purchase, which may be over. */
  readonly runRowId: number;
  readonly now: number;
}

export interface LastingStops {
  /** Why the site is not bought from; null when no item stops it. */
  find(siteId: number): LastingStop | null;
  /** Stops the site in a run where an item says so. */
  apply(place: { readonly runRowId: number; readonly siteId: number; readonly now: number }): LastingStop | null;
  /** Opens an item, and stops its site in the purchase's run and in every unfinished one. */
  open(item: StoppingItem): LastingStop;
}

interface ItemRow {
  readonly id: number;
  readonly kind: keyof typeof STOPPING_ITEMS;
  readonly detail: string;
}

export function createLastingStops(parts: LedgerCore & Pick<LedgerParts, "openItems" | "stopSites">): LastingStops {
  const { db, stopSites, openItems } = parts;
  const select = db.prepare<[number], ItemRow>(
    "SELECT id, kind, detail FROM open_item WHERE site_id = ? AND closed_at IS NULL ORDER BY id LIMIT 1",
  );
  const selectUrl = db.prepare<[number], string>("SELECT url FROM page WHERE id = ?").pluck();
  const selectRuns = db
    .prepare<[number], number>(
      `SELECT r.id FROM run r JOIN run_site rs ON rs.run_id = r.id AND rs.site_id = ?
       WHERE r.kind <> 'planning' AND r.state IN ('running', 'interrupted', 'failed')`,
    )
    .pluck();

  const find = (siteId: number): LastingStop | null => {
    const item = select.get(siteId);
    return item === undefined ? null : toStop(item);
  };
  return {
    find,
    apply({ runRowId, siteId, now }) {
      const lasting = find(siteId);
      if (lasting !== null) {
        stopSites({ runRowId, siteId, ...lasting, now });
      }
      return lasting;
    },
    open({ kind, detail, purchaseId, pageId, siteId, runRowId, now }) {
      const url = selectUrl.get(pageId) ?? null;
      openItems.open({ kind, about: { purchaseId, siteId }, detail, url, count: 1, at: now });
      const lasting = find(siteId);
      assertBug(lasting !== null, `an item of site ${siteId} is open and does not stop it`);
      for (const stopped of new Set([runRowId, ...selectRuns.all(siteId)])) {
        stopSites({ runRowId: stopped, siteId, ...lasting, now });
      }
      return lasting;
    },
  };
}

function toStop({ id, kind, detail }: ItemRow): LastingStop {
  return {
    stop: STOPPING_ITEMS[kind],
    detail: `${detail}. Nothing is bought from this site, by any run, until the gateway's operator has explained it and open item ${id} is closed: licet resolve ${id} --close`,
  };
}
