/**
 * What an answer got wrong although its content is kept: each flaw is an open item that stops the site, in the
 * transaction that settles. Called within a write.
 */
import type { Currency } from "../../../money/money.ts";
import type { Settlement } from "../../purchase-ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import type { LastingStop, StoppingItem } from "../runs/lasting-stops.ts";

export interface FlawedRow {
  readonly purchaseId: number;
  readonly runRowId: number;
  readonly siteId: number;
  readonly pageId: number;
  readonly quotedMicros: number;
  readonly currency: Currency | null;
  readonly chargedMicros: number;
  readonly chargedCurrency: Currency | null;
  readonly overcharged: number;
}

export interface AnswerFlaws {
  /** Lists what was wrong with the answer that settled a purchase. @returns the stop that follows, if any */
  list(row: FlawedRow, settlement: Settlement): LastingStop | null;
  /**
   * The same for content of a purchase that a person had resolved as charged: what was booked then stays, and a charge that
   * differs from it is listed, too.
   */
  listResolved(row: FlawedRow, settlement: Settlement): LastingStop | null;
}

type Flaw = Pick<StoppingItem, "kind" | "detail">;

export function createAnswerFlaws(parts: LedgerParts): AnswerFlaws {
  const { lastingStops, openItems } = parts;
  const selectUrl = parts.db.prepare<[number], string>("SELECT url FROM page WHERE id = ?").pluck();

  function open(row: FlawedRow, flaws: readonly Flaw[], now: number): LastingStop | null {
    const { purchaseId, runRowId, siteId, pageId } = row;
    const stops = flaws.map((flaw) => lastingStops.open({ ...flaw, purchaseId, runRowId, siteId, pageId, now }));
    return stops[0] ?? null;
  }

  return {
    list(row, { purchaseId, flaws, now }) {
      const named = flaws.map(({ kind, detail }) => ({ kind, detail: `purchase ${purchaseId}: ${detail}` }));
      return open(row, row.overcharged === 1 ? [describeOvercharge(row), ...named] : named, now);
    },
    listResolved(row, { purchaseId, charge, flaws, now }) {
      const named: Flaw[] = flaws.map(({ kind, detail }) => ({ kind, detail: `purchase ${purchaseId}: ${detail}` }));
      const differs =
        charge !== null && (charge.micros !== row.chargedMicros || charge.currency !== row.chargedCurrency);
      if (differs) {
        const detail = `purchase ${purchaseId}: resolved as charged ${row.chargedMicros} micros ${row.chargedCurrency}; its answer came late and says ${charge.micros} micros ${charge.currency}`;
        if (charge.micros > row.quotedMicros || (charge.micros > 0 && charge.currency !== row.currency)) {
          named.push({ kind: "charge_differs", detail });
        } else {
          const url = selectUrl.get(row.pageId) ?? null;
          openItems.open({
            kind: "charge_differs",
            about: { purchaseId, siteId: null },
            detail,
            url,
            count: 1,
            at: now,
          });
        }
      }
      return open(row, named, now);
    },
  };
}

/** A charge above the quote, which the token's cap should have made impossible: booked as it is. */
function describeOvercharge(row: FlawedRow): Flaw {
  const quoted = `${row.quotedMicros} micros ${row.currency ?? "(no price)"}`;
  return {
    kind: "overcharged",
    detail: `purchase ${row.purchaseId}: charged ${row.chargedMicros} micros ${row.chargedCurrency}, quoted ${quoted}`,
  };
}
