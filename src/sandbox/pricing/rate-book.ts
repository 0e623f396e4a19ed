import { createRate, createRateSet, findRate, type Rate, type RateInput, type RateSet } from "./rate.ts";
import { createRateSpread } from "./rate-spread.ts";
import type { RateRules } from "./rates-file.ts";

/** A price rises by a quarter and by this amount, so that the price of a free page rises too. */
const RISE_MICROS = 1_000;
/** How many earlier rates of a page are stored, newest first. */
const MAX_FORMER_RATES = 64;

/** The rates of every page: those that were set for the page, else those of the rates file, else those of the spread. */
export interface RateBook {
  ratesOf(url: string): RateSet;
  /** Sets the rates of one page. Uses under its earlier rates can still be reported. @throws Error on an invalid rate. */
  set(url: string, rates: readonly RateInput[]): void;
  /** Gives a new page its rates. @throws Error on an invalid rate. */
  start(url: string, rates: readonly RateInput[]): void;
  /** Raises every price of a page. */
  raise(url: string): void;
  /** The rate of a reported use: a current one, else the latest that the page ever had. */
  findForReport(url: string, licenseType: string, cuid: string | undefined): Rate | undefined;
}

export function createRateBook(rules: RateRules | undefined): RateBook {
  const spread = createRateSpread();
  const own = new Map<string, RateSet>();
  const former = new Map<string, Rate[]>();

  const ratesOf = (url: string) => own.get(url) ?? rules?.(url) ?? spread(url);
  const replace = (url: string, rates: readonly Rate[]) => {
    const before = ratesOf(url).rates;
    former.set(url, [...before, ...(former.get(url) ?? [])].slice(0, MAX_FORMER_RATES));
    own.set(url, createRateSet(rates));
  };

  return {
    ratesOf,
    start: (url, rates) => {
      own.set(url, createRateSet(rates.map(createRate)));
    },
    set: (url, rates) => replace(url, rates.map(createRate)),
    raise: (url) =>
      replace(
        url,
        ratesOf(url).rates.map((rate) =>
          createRate({ ...rate, priceMicros: rate.priceMicros + Math.floor(rate.priceMicros / 4) + RISE_MICROS }),
        ),
      ),
    findForReport: (url, licenseType, cuid) => {
      const current = findRate(ratesOf(url).rates, licenseType, cuid);
      if (current !== undefined) {
        return current;
      }
      // Newest first: the rate that the use was most likely bought at.
      return former
        .get(url)
        ?.find((rate) => rate.licenseType === licenseType && findRate([rate], licenseType, cuid) !== undefined);
    },
  };
}
