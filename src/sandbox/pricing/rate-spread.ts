import { hashText } from "../random.ts";
import { createRate, createRateSet, type RateInput, type RateSet } from "./rate.ts";

/** Number of prices in the spread, from 500 micros to 20,000 micros. */
const PRICE_STEPS = 40;
const PRICE_STEP_MICROS = 500;
/** Custom licenses of one spread. */
const CUSTOM_LICENSES = 3;

/** The rates of a page, from a price and the identifier of a custom license. */
type Offer = (priceMicros: number, custom: string) => readonly RateInput[];

/** The offers that pages get, one for each twentieth of the pages. */
const BUCKETS: readonly Offer[] = [
  ...repeat(7, (price) => [{ priceMicros: price }]),
  ...repeat(4, (price) => [
    { priceMicros: price },
    { priceMicros: price * 3, licenseType: "ON_DEMAND_FULL_USE_LICENSE" },
  ]),
  ...repeat(2, () => [{ priceMicros: 0 }]),
  ...repeat(2, (price) => [
    { priceMicros: price, permissions: ["PARTIAL_USE", "CITATION_REQUIRED"], cuid: "clsb0citation00000000000" },
  ]),
  ...repeat(1, () => []),
  ...repeat(2, (price, custom) => [
    { priceMicros: price * 2 },
    { priceMicros: price, licenseType: "CUSTOM_LICENSE", cuid: custom },
  ]),
  ...repeat(1, (price, custom) => [
    { priceMicros: price, licenseType: "CUSTOM_LICENSE", cuid: custom, permissions: ["FULL_USE"] },
  ]),
  ...repeat(1, (price) => [
    {
      priceMicros: price * 2,
      licenseType: "ON_DEMAND_FULL_USE_LICENSE",
      permissions: ["FULL_USE", "PARTIAL_USE", "CITATION_REQUIRED"],
      cuid: "clsb0fullcite00000000000",
    },
  ]),
];

/**
 * The default rates of a page, drawn from its URL: the same URL has the same rates in every sandbox. Most pages have one
 * standard license, some two, some are free, some need a citation, some have custom licenses, one in twenty is not
 * licensable at all.
 */
export function createRateSpread(): (url: string) => RateSet {
  const made = new Map<number, RateSet>();
  return (url) => {
    const hash = hashText(url);
    const bucket = hash % BUCKETS.length;
    const step = (hash >>> 8) % PRICE_STEPS;
    const custom = (hash >>> 20) % CUSTOM_LICENSES;
    const key = (bucket * PRICE_STEPS + step) * CUSTOM_LICENSES + custom;
    let set = made.get(key);
    if (set === undefined) {
      const inputs = BUCKETS[bucket]?.((step + 1) * PRICE_STEP_MICROS, `clsb0custom${custom + 1}000000000000`) ?? [];
      set = createRateSet(inputs.map(createRate));
      made.set(key, set);
    }
    return set;
  };
}

function repeat(times: number, offer: Offer): Offer[] {
  return new Array<Offer>(times).fill(offer);
}
