/** A charge above the quote, which the token's cap should have made impossible: booked as it is, listed, and the site halts. */
import type { Currency } from "../../money/money.ts";
import type { LedgerCore } from "./ledger-core.ts";
import { createOpenItems } from "./open-items.ts";
import { createSiteStop } from "./site-stop.ts";

export interface Overcharge {
  readonly purchaseId: number;
  readonly row: {
    readonly runId: number;
    readonly siteId: number;
    readonly pageId: number;
    readonly quotedMicros: number;
    readonly currency: Currency | null;
    readonly chargedMicros: number;
    readonly chargedCurrency: Currency | null;
  };
  readonly now: number;
}

export function createOvercharge(core: LedgerCore): (overcharge: Overcharge) => void {
  const stopSites = createSiteStop(core);
  const items = createOpenItems(core.db);
  const selectUrl = core.db.prepare<[number], string>("SELECT url FROM page WHERE id = ?").pluck();
  return ({ purchaseId, row, now }) => {
    const quoted = `${row.quotedMicros} micros ${row.currency ?? "(no price)"}`;
    const detail = `purchase ${purchaseId}: charged ${row.chargedMicros} micros ${row.chargedCurrency}, quoted ${quoted}`;
    const url = selectUrl.get(row.pageId) ?? null;
    items.open({ kind: "overcharged", about: { purchaseId, siteId: row.siteId }, detail, url, count: 1, at: now });
    stopSites({ runId: row.runId, siteId: row.siteId, stop: "overcharged", detail, now });
  };
}
