/**
 * What an answer got wrong although its content is kept: each flaw is an open item that stops the site, in the
 * transaction that settles. Called within a write.
 */

import { formatMoney } from "../../../money/format-money.ts";
import type { Micros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import type { Settlement } from "../../purchase-ledger.ts";
import type { Tx } from "../operation.ts";
import type { LastingStop, StoppingItem } from "../runs/lasting-stops.ts";
import { openLastingStop } from "../runs/lasting-stops.ts";
import { openItem } from "../usage/open-items.ts";
import type { SettledRow } from "./purchase-rows.ts";

type Flaw = Pick<StoppingItem, "kind" | "detail">;

/** Lists what was wrong with the answer that settled a purchase. @returns the stop that follows, if any */
export function openFlaws(tx: Tx, row: SettledRow, { purchaseId, flaws, now }: Settlement): LastingStop | null {
  const named = flaws.map(({ kind, detail }) => ({ kind, detail: `purchase ${purchaseId}: ${detail}` }));
  return openStops(tx, row, row.overcharged === 1 ? [describeOvercharge(row), ...named] : named, now);
}

/**
 * The same for content of a purchase that a person had resolved as charged: what was booked then stays, and a charge that
 * differs from it is listed, too.
 */
export function openFlawsOfResolved(
  tx: Tx,
  row: SettledRow,
  { purchaseId, charge, flaws, now }: Settlement,
): LastingStop | null {
  const named: Flaw[] = flaws.map(({ kind, detail }) => ({ kind, detail: `purchase ${purchaseId}: ${detail}` }));
  const differs = charge !== null && (charge.micros !== row.chargedMicros || charge.currency !== row.chargedCurrency);
  if (differs) {
    const detail = `purchase ${purchaseId}: resolved as charged ${inWords(row.chargedMicros, row.chargedCurrency)}; its answer came late and says ${inWords(charge.micros, charge.currency)}`;
    if (charge.micros > row.quotedMicros || (charge.micros > 0 && charge.currency !== row.currency)) {
      named.push({ kind: "charge_differs", detail });
    } else {
      const url = tx.value<string>`SELECT url FROM page WHERE id = ${row.pageId}` ?? null;
      openItem(tx, {
        kind: "charge_differs",
        about: { purchaseId, siteId: null },
        detail,
        url,
        count: 1,
        at: now,
      });
    }
  }
  return openStops(tx, row, named, now);
}

function openStops(tx: Tx, row: SettledRow, flaws: readonly Flaw[], now: number): LastingStop | null {
  const { purchaseId, runRowId, siteId, pageId } = row;
  const stops = flaws.map((flaw) => openLastingStop(tx, { ...flaw, purchaseId, runRowId, siteId, pageId, now }));
  return stops[0] ?? null;
}

/** A charge above the quote, which the token's cap should have made impossible: booked as it is. */
function describeOvercharge(row: SettledRow): Flaw {
  const { purchaseId, chargedMicros, chargedCurrency, quotedMicros, currency } = row;
  return {
    kind: "overcharged",
    detail: `purchase ${purchaseId}: charged ${inWords(chargedMicros, chargedCurrency)}, quoted ${inWords(quotedMicros, currency)}`,
  };
}

const inWords = (micros: Micros | null, currency: Currency | null): string =>
  micros === null || currency === null ? "without a price" : formatMoney({ micros, currency });
