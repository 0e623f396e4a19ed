/**
 * The gateway's own account: every charge and every reported use. It shares no rules with the client's counting.
 *
 * A charge is booked when a content token is spent. A reported use is booked when a report is accepted. The two are counted
 * separately, because the agreement and not this account decides whether a reported fetch is billed again. Entries are only
 * added. Sums are BigInt, so they cannot lose a micro. A sum beyond the exact JSON numbers is an error, not a guess.
 *
 * Charges are stored in columns (one array for each field), because a benchmark makes hundreds of thousands of them.
 */
import type { Rate } from "../pricing/rate.ts";

/** One charge: a content token spent on a page. */
export interface Charge {
  /** Epoch ms. */
  readonly at: number;
  readonly url: string;
  readonly licenseType: string;
  readonly cuid: string;
  readonly priceMicros: number;
  readonly currency: string;
  /** The `jti` of the token. */
  readonly tokenId: string;
  /** The registered AgentID that fetched. */
  readonly agent: string;
}

/** One accepted entry of a self-report. */
export interface ReportedUse {
  readonly idempotencyId: string;
  readonly url: string;
  readonly licenseType: string;
  readonly cuid: string;
  readonly times: number;
  readonly perUnitMicros: number;
  readonly totalMicros: number;
  readonly currency: string;
}

/** A reported use with the rate that it was booked at. */
export interface BookedUse {
  readonly idempotencyId: string;
  readonly url: string;
  readonly rate: Rate;
  readonly times: number;
}

/** Sums of one currency. */
export interface CurrencyTotals {
  readonly chargedMicros: number;
  readonly chargeCount: number;
  readonly reportedMicros: number;
  /** The sum of `times` over all reported entries. */
  readonly reportedUses: number;
}

interface RunningTotals {
  chargedMicros: bigint;
  chargeCount: bigint;
  reportedMicros: bigint;
  reportedUses: bigint;
}

/** The account of one sandbox. */
export class Account {
  readonly #at: number[] = [];
  readonly #urls: string[] = [];
  readonly #rates: Rate[] = [];
  readonly #tokenIds: string[] = [];
  readonly #agents: string[] = [];
  readonly #uses: BookedUse[] = [];
  readonly #totals = new Map<string, RunningTotals>();

  /** Books a charge at the rate's price. */
  charge(entry: { at: number; url: string; rate: Rate; tokenId: string; agent: string }): void {
    this.#at.push(entry.at);
    this.#urls.push(entry.url);
    this.#rates.push(entry.rate);
    this.#tokenIds.push(entry.tokenId);
    this.#agents.push(entry.agent);
    const totals = this.#totalsOf(entry.rate.currency);
    totals.chargedMicros += BigInt(entry.rate.priceMicros);
    totals.chargeCount += 1n;
  }

  /** Books the entries of one accepted report and returns the index of the first. */
  report(uses: readonly BookedUse[]): number {
    const first = this.#uses.length;
    for (const use of uses) {
      this.#uses.push(use);
      const totals = this.#totalsOf(use.rate.currency);
      totals.reportedMicros += BigInt(use.rate.priceMicros) * BigInt(use.times);
      totals.reportedUses += BigInt(use.times);
    }
    return first;
  }

  /** Entries of an earlier report. */
  usesFrom(first: number, count: number): readonly BookedUse[] {
    return this.#uses.slice(first, first + count);
  }

  /** All charges, oldest first. */
  charges(): Charge[] {
    return this.#urls.map((url, index) => {
      const rate = this.#rates[index] as Rate;
      return {
        at: this.#at[index] as number,
        url,
        licenseType: rate.licenseType,
        cuid: rate.cuid,
        priceMicros: rate.priceMicros,
        currency: rate.currency,
        tokenId: this.#tokenIds[index] as string,
        agent: this.#agents[index] as string,
      };
    });
  }

  /** All reported uses, oldest first. */
  uses(): ReportedUse[] {
    return this.#uses.map(({ idempotencyId, url, rate, times }) => ({
      idempotencyId,
      url,
      licenseType: rate.licenseType,
      cuid: rate.cuid,
      times,
      perUnitMicros: rate.priceMicros,
      totalMicros: toExactNumber(BigInt(rate.priceMicros) * BigInt(times)),
      currency: rate.currency,
    }));
  }

  /** Sums by currency. @throws RangeError when a sum is beyond what JSON can carry exactly. */
  totals(): Record<string, CurrencyTotals> {
    const result: Record<string, CurrencyTotals> = {};
    for (const [currency, running] of this.#totals) {
      result[currency] = {
        chargedMicros: toExactNumber(running.chargedMicros),
        chargeCount: toExactNumber(running.chargeCount),
        reportedMicros: toExactNumber(running.reportedMicros),
        reportedUses: toExactNumber(running.reportedUses),
      };
    }
    return result;
  }

  #totalsOf(currency: string): RunningTotals {
    let totals = this.#totals.get(currency);
    if (totals === undefined) {
      totals = { chargedMicros: 0n, chargeCount: 0n, reportedMicros: 0n, reportedUses: 0n };
      this.#totals.set(currency, totals);
    }
    return totals;
  }
}

function toExactNumber(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) {
    throw new RangeError(`a sum of ${value} is beyond exact JSON numbers`);
  }
  return number;
}
