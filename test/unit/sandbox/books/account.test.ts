import fc from "fast-check";
import { expect, test } from "vitest";
import { Account } from "../../../../src/sandbox/books/account.ts";
import { createRate } from "../../../../src/sandbox/pricing/rate.ts";

const anyRate = fc
  .record({ priceMicros: fc.nat({ max: 1_000_000_000 }), currency: fc.constantFrom("USD", "EUR") })
  .map(createRate);
const anyEntry = fc.record({ rate: anyRate, times: fc.integer({ min: 1, max: 1_000 }) });

test("its totals are the sums of its lists, currency by currency", () => {
  fc.assert(
    fc.property(fc.array(anyRate), fc.array(fc.array(anyEntry)), (charged, reports) => {
      const account = new Account();
      charged.forEach((rate, index) => {
        account.charge({ at: index, url: `https://a.example/${index}`, rate, tokenId: `t${index}`, agent: "agent" });
      });
      reports.forEach((uses, index) => {
        account.report(uses.map((use) => ({ ...use, idempotencyId: `r${index}`, url: "https://a.example/" })));
      });
      const totals = account.totals();
      for (const currency of ["USD", "EUR"]) {
        const charges = account.charges().filter((charge) => charge.currency === currency);
        const uses = account.uses().filter((use) => use.currency === currency);
        expect(totals[currency] ?? { chargedMicros: 0, chargeCount: 0, reportedMicros: 0, reportedUses: 0 }).toEqual({
          chargedMicros: charges.reduce((sum, { priceMicros }) => sum + priceMicros, 0),
          chargeCount: charges.length,
          reportedMicros: uses.reduce((sum, { totalMicros }) => sum + totalMicros, 0),
          reportedUses: uses.reduce((sum, { times }) => sum + times, 0),
        });
      }
    }),
    { numRuns: 50 },
  );
});

test("a sum that JSON cannot carry exactly is an error, not a guess", () => {
  const account = new Account();
  const rate = createRate({ priceMicros: Number.MAX_SAFE_INTEGER });
  const charge = { at: 0, url: "https://a.example/", rate, tokenId: "t", agent: "agent" };
  account.charge(charge);
  expect(account.totals()).toMatchObject({ USD: { chargedMicros: Number.MAX_SAFE_INTEGER } });
  account.charge({ ...charge, rate: createRate({ priceMicros: 1 }) });
  expect(() => account.totals()).toThrow(RangeError);
});
