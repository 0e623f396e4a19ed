/**
 * Lasting stops: a site is not bought from while an open item of its own says that its charges or licenses
 * were not what was ordered, or while a person has paused it. The open item, or the pause, is the only record of it: closing the item, or ending
 * the pause, lifts the stop. Called within a write.
 */

import { assertBug } from "../../../errors.ts";
import type { SiteStop } from "../../run-ledger.ts";
import type { OpenItemKind } from "../../usage-ledger.ts";
import type { ReadTx, Tx } from "../operation.ts";
import { openItem } from "../usage/open-items.ts";
import { stopSites } from "./stop-site.ts";

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

/** What stops a site: an open item, or a pause, which has no number. */
interface Stopper {
  readonly id: number | null;
  readonly kind: keyof typeof STOPPING_ITEMS | "paused";
  readonly detail: string;
}

/** Stops the site in a run where an item says so. */
export function applyLastingStop(
  tx: Tx,
  { runRowId, siteId, now }: { readonly runRowId: number; readonly siteId: number; readonly now: number },
): LastingStop | null {
  const lasting = findLastingStop(tx, siteId);
  if (lasting !== null) {
    stopSites(tx, { runRowId, siteId, ...lasting, now });
  }
  return lasting;
}

/** Opens an item, and stops its site in the purchase's run and in every unfinished one. */
export function openLastingStop(
  tx: Tx,
  { kind, detail, purchaseId, pageId, siteId, runRowId, now }: StoppingItem,
): LastingStop {
  const url = tx.value<string>`SELECT url FROM page WHERE id = ${pageId}` ?? null;
  openItem(tx, { kind, about: { purchaseId, siteId }, detail, url, count: 1, at: now });
  const lasting = findLastingStop(tx, siteId);
  assertBug(lasting !== null, `an item of site ${siteId} is open and does not stop it`);
  stopSites(tx, { runRowId, siteId, ...lasting, now });
  stopUnfinished(tx, { siteId, now });
  return lasting;
}

/** Stops a site in every run that has not ended, where an item or a pause says so. */
export function stopUnfinished(tx: Tx, { siteId, now }: { readonly siteId: number; readonly now: number }): void {
  for (const runRowId of tx.values<number>`SELECT r.id FROM run r CROSS JOIN run_site rs ON rs.run_id = r.id AND rs.site_id = ${siteId}
      WHERE r.kind <> 'planning' AND r.state IN ('running', 'interrupted', 'failed')`) {
    applyLastingStop(tx, { runRowId, siteId, now });
  }
}

/** Why the site is not bought from; null when no item and no pause stops it. */
export function findLastingStop(tx: ReadTx, siteId: number): LastingStop | null {
  const found = findStopper(tx, siteId);
  return found === null ? null : toStop(found, tx.hosts.hostOf(siteId));
}

/** The first open item of the site, or else its pause. */
export function findStopper(tx: ReadTx, siteId: number): Stopper | null {
  const item = tx.get<Stopper>(SELECT_ITEM, siteId);
  return item ?? tx.get<Stopper>(SELECT_PAUSE, siteId) ?? null;
}

const SELECT_ITEM =
  "SELECT id, kind, detail FROM open_item WHERE site_id = ? AND closed_at IS NULL ORDER BY id LIMIT 1";

const SELECT_PAUSE = `SELECT NULL AS id, 'paused' AS kind,
    'it was paused' || coalesce(' by ' || a.actor, '') || coalesce(': ' || a.reason, '') AS detail
  FROM site_pause p JOIN act a ON a.id = p.act_id WHERE p.site_id = ?`;

function toStop({ id, kind, detail }: Stopper, host: string): LastingStop {
  return kind === "paused"
    ? {
        stop: kind,
        detail: `${detail}. Nothing is bought from this site, by any run, until the pause ends: licet pause ${host} --end`,
      }
    : {
        stop: STOPPING_ITEMS[kind],
        detail: `${detail}. Nothing is bought from this site, by any run, until the gateway's operator has explained it and open item ${id} is closed: licet resolve ${id} --close`,
      };
}
