/** What one call of fetch has spent. */
import { SET_ASIDE_PARTS } from "../../budget/set-aside.ts";
import type { FetchedPage } from "../../ledger/fetch-ledger.ts";
import { addMicros, type Micros, ZERO_MICROS } from "../../money/micros.ts";
import type { Currency, Money } from "../../money/money.ts";
import type { FetchSpend } from "./fetch-report.ts";

export interface FetchSpending {
  /** Adds what its run did. */
  add(pages: readonly FetchedPage[]): void;
  /** Adds a run of which nobody knows what it has bought: all that it may have bought under `maxSpend` counts as in doubt. */
  addUnknown(): void;
  report(): Readonly<Record<Currency, FetchSpend>>;
}

const NOTHING: FetchSpend = {
  settledMicros: ZERO_MICROS,
  feeMicros: ZERO_MICROS,
  inDoubtMicros: ZERO_MICROS,
  useReserveMicros: ZERO_MICROS,
};
const PARTS = Object.keys(NOTHING) as readonly (keyof FetchSpend)[];

export function createFetchSpending(maxSpend: Money | null): FetchSpending {
  const spent = new Map<Currency, FetchSpend>();
  const add = (currency: Currency, spend: FetchSpend) =>
    spent.set(currency, addSpend(spent.get(currency) ?? NOTHING, spend));
  return {
    add(pages) {
      for (const page of pages) {
        const cost = page.kind === "purchase" ? costOf(page) : null;
        if (page.kind === "purchase" && page.currency !== null && cost !== null) {
          add(page.currency, cost);
        }
      }
    },
    addUnknown() {
      if (maxSpend !== null) {
        add(maxSpend.currency, { ...NOTHING, inDoubtMicros: maxSpend.micros });
      }
    },
    report: () => Object.fromEntries(spent),
  };
}

/** All that a call has spent in one currency: what was charged, and what may be. */
export function totalOf(spend: FetchSpend): Micros {
  return PARTS.reduce((sum, part) => addMicros(sum, spend[part]), ZERO_MICROS);
}

function addSpend(a: FetchSpend, b: FetchSpend): FetchSpend {
  return {
    settledMicros: addMicros(a.settledMicros, b.settledMicros),
    feeMicros: addMicros(a.feeMicros, b.feeMicros),
    inDoubtMicros: addMicros(a.inDoubtMicros, b.inDoubtMicros),
    useReserveMicros: addMicros(a.useReserveMicros, b.useReserveMicros),
  };
}

/** Null: it costs nothing, because it was released, or never sent. */
function costOf(page: Extract<FetchedPage, { kind: "purchase" }>): FetchSpend | null {
  switch (page.state) {
    case "settled":
      return {
        ...NOTHING,
        settledMicros: page.chargedMicros ?? ZERO_MICROS,
        feeMicros: page.chargedFeeMicros ?? ZERO_MICROS,
        useReserveMicros: page.useReserveMicros,
      };
    case "started":
    case "in_doubt":
      return {
        ...NOTHING,
        inDoubtMicros: SET_ASIDE_PARTS.reduce((sum, part) => addMicros(sum, page[part]), ZERO_MICROS),
      };
    case "reserved":
    case "released":
      return null;
    default:
      return page.state satisfies never;
  }
}
