import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { setAsideMicros } from "../../../src/budget/set-aside.ts";
import { feeOf } from "../../../src/policy/fee.ts";
import { priceOf } from "../../../src/policy/price.ts";
import { rate, usd } from "../../doubles/policy-cases.ts";

const FEE = { ratePpm: 30_000, fixed: null };

describe("the price of a rate", () => {
  it("is the price, the fee on it and the report of its fetch", () => {
    const offer = rate(usd(10_000));
    expect(priceOf(offer, { fee: FEE, isFetchBilled: true })).toEqual({
      rate: offer,
      setAside: { quotedMicros: 10_000, feeMicros: 300, useReserveMicros: 10_000 },
      cost: usd(20_300),
    });
  });

  it("is the price of the rate alone where nothing is added", () => {
    expect(priceOf(rate(usd(7)), { fee: null, isFetchBilled: false }).cost).toEqual(usd(7));
  });

  it("costs what its parts set aside, in the currency of the rate", () => {
    const fee = fc.option(fc.record({ ratePpm: fc.nat(1_000_000), fixed: fc.option(fc.nat(1_000).map(usd)) }));
    fc.assert(
      fc.property(fc.nat(1_000_000_000), fee, fc.boolean(), (micros, added, isFetchBilled) => {
        const { setAside, cost, rate: priced } = priceOf(rate(usd(micros)), { fee: added, isFetchBilled });
        expect(cost).toEqual(usd(setAsideMicros(setAside)));
        expect(setAside.quotedMicros).toBe(priced.price.micros);
        expect(setAside.feeMicros).toBe(feeOf(added, usd(micros)));
      }),
    );
  });
});
