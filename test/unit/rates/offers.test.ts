import { describe, expect, it } from "vitest";
import { toMicros } from "../../../src/money/micros.ts";
import { findOfferFlaw, isOffer } from "../../../src/rates/offers.ts";
import type { Rate } from "../../../src/rates/rate.ts";

const NOW = 1_000_000;

function rate(
  change: { license?: Partial<Rate["license"]>; price?: Partial<Rate["price"]> } & Partial<
    Omit<Rate, "license" | "price">
  > = {},
): Rate {
  return {
    error: null,
    validUntilAt: null,
    ...change,
    license: { licenseType: "ON_DEMAND_LICENSE", cuid: null, licensePath: null, permissions: [], ...change.license },
    price: { micros: toMicros(1), currency: "USD", ...change.price },
  };
}

describe("isOffer", () => {
  it.each([
    ["a standard licence without an id", rate()],
    ["a free page", rate({ price: { micros: toMicros(0) } })],
    ["a custom licence with an id", rate({ license: { licenseType: "CUSTOM_LICENSE", cuid: "c1" } })],
    ["a rate that expires in a moment", rate({ validUntilAt: NOW + 1 })],
    ["a rate with an empty error", rate({ error: "" })],
  ])("accepts %s", (_, given) => {
    expect(isOffer(given, NOW)).toBe(true);
  });

  it.each([
    ["with an error", rate({ error: "no rate" })],
    ["type is unknown", rate({ license: { licenseType: "SUBSCRIPTION" } })],
    ["custom licence without an id", rate({ license: { licenseType: "CUSTOM_LICENSE" } })],
    ["custom licence without an id", rate({ license: { licenseType: "CUSTOM_LICENSE", cuid: "" } })],
    ["expired", rate({ validUntilAt: NOW })],
    ["no currency", rate({ price: { currency: "" } })],
    ["negative", rate({ price: { micros: toMicros(-1) } })],
  ])("refuses a rate with a flaw: %s", (flaw, given) => {
    expect(isOffer(given, NOW)).toBe(false);
    expect(findOfferFlaw(given, NOW)).toContain(flaw);
  });
});
