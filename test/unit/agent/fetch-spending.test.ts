import { expect, test } from "vitest";
import { createFetchSpending } from "../../../src/agent/fetch/fetch-spending.ts";
import type { FetchedPage } from "../../../src/ledger/fetch-ledger.ts";
import { toMicros } from "../../../src/money/micros.ts";
import type { PurchaseState } from "../../../src/purchase/purchase.ts";

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

test("the cap of a call has left what its runs have neither spent nor perhaps spent", () => {
  const spending = createFetchSpending({ micros: toMicros(5_000), currency: "USD" });
  expect(spending.left()).toEqual({ micros: 5_000, currency: "USD" });
  spending.add([bought("settled"), bought("released"), bought("settled", "EUR")]);
  expect(spending.left()?.micros).toBe(4_000);
  spending.add([bought("in_doubt")]);
  expect(spending.left()?.micros).toBe(2_890);
  spending.add([bought("started"), bought("started"), bought("settled")]);
  expect(spending.left()?.micros).toBe(0);
});
