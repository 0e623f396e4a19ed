import { expect, test } from "vitest";
import { createFetchSpending, totalOf } from "../../../src/agent/fetch/fetch-spending.ts";
import type { FetchedPage } from "../../../src/ledger/fetch-ledger.ts";
import { toMicros, ZERO_MICROS } from "../../../src/money/micros.ts";
import type { PurchaseState } from "../../../src/purchase/purchase.ts";

const NOTHING = {
  settledMicros: ZERO_MICROS,
  feeMicros: ZERO_MICROS,
  inDoubtMicros: ZERO_MICROS,
  useReserveMicros: ZERO_MICROS,
};

function bought(state: PurchaseState, currency = "USD"): FetchedPage {
  return {
    kind: "purchase",
    url: "https://news.example/a",
    purchaseId: 1,
    state,
    rule: null,
    currency,
    chargedMicros: state === "settled" ? toMicros(900) : null,
    chargedFeeMicros: state === "settled" ? toMicros(90) : null,
    reason: null,
    detail: null,
    quotedMicros: toMicros(1_000),
    feeMicros: toMicros(100),
    useReserveMicros: toMicros(10),
  };
}

test("what a call has spent is what its run has paid or may have paid, and all of its cap where nobody knows", () => {
  const spending = createFetchSpending({ micros: toMicros(5_000), currency: "USD" });
  const total = () => totalOf(spending.report().USD ?? NOTHING);
  spending.add([bought("settled"), bought("released"), bought("reserved"), bought("settled", "EUR")]);
  expect(total()).toBe(1_000);
  spending.add([bought("in_doubt"), bought("started")]);
  expect(total()).toBe(3_220);
  spending.addUnknown();
  expect(total()).toBe(8_220);
  expect(spending.report().USD?.inDoubtMicros).toBe(7_220);
});
