import { createRate, createRateSet, findRate, type Rate, type RateInput, type RateSet } from "./rate.ts";
import { createRateSpread } from "./rate-spread.ts";
import type { RateRules } from "./rates-file.ts";

/** A price that rises grows by a quarter and by this much, so that a free page rises too. */
const RISE_MICROS = 1_000;
/** How many rates that a page no longer has are remembered, newest first. */
const MAX_FORMER_RATES = 64;

/** What every page costs: rates that were set for the page, else the rates file's, else the spread's. */
export interface RateBook {
  ratesOf(url: string): RateSet;
  /** Sets the rates of one page. What it had before can still be reported. @throws Error on a rate that is none. */
  set(url: string, rates: readonly RateInput[]): void;
  /** Gives a new page its rates. @throws Error on a rate that is none. */
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
