/**
 * What a client of an MCP server may buy: nothing, or pages up to a cap for the whole session, whatever it sends.
 *
 * The cap counts here and nowhere else: one call buys at a time, and its `maxSpend` is what the calls before it have left of the cap. The ledger
 * holds the call to it in the transaction that reserves the money, beside all budgets. Pages that are held do not wait.
 */
import pLimit from "p-limit";
import type { FetchReport, FetchResult } from "../agent/fetch/fetch-report.ts";
import { totalOf } from "../agent/fetch/fetch-spending.ts";
import { LicetError } from "../errors.ts";
import { formatMoney } from "../money/format-money.ts";
import { addMicros, type Micros, subtractMicros, ZERO_MICROS } from "../money/micros.ts";
import type { Money } from "../money/money.ts";
import type { WithAgent } from "./tool.ts";

/** What the person who starts the server allows. */
export interface BuyingTerms {
  /** False: only pages that are held are answered. */
  readonly buys: boolean;
  /** For all calls of the session together. Null: the budgets alone limit them. */
  readonly maxSpend: Money | null;
  /** For each page. Null: the policy alone limits it. */
  readonly maxPrice: Money | null;
}

export interface BuyingSession {
  readonly terms: BuyingTerms;
  fetch(urls: readonly string[], call: SessionCall): Promise<readonly FetchResult[]>;
  /** What the session has spent of its cap, and what is left. Null: it has no cap. */
  spent(): { readonly spent: Money; readonly left: Money } | null;
}

export interface SessionCall {
  /** Of this call alone: it can only be lower than that of the session. */
  readonly maxPrice: Money | null;
  /** Reads on in texts that an earlier call gave, so it buys nothing. */
  readonly readsOn: boolean;
  readonly signal: AbortSignal;
}

/** @param ending aborts when the session is over: what has started is finished, and nothing more is bought */
export function createBuyingSession(
  withAgent: WithAgent<"fetch">,
  terms: BuyingTerms,
  ending: AbortSignal,
): BuyingSession {
  const { buys, maxSpend } = terms;
  const oneAtATime = pLimit(1);
  let spentMicros: Micros = ZERO_MICROS;

  const leftOf = (cap: Money): Money => ({
    ...cap,
    micros: spentMicros >= cap.micros ? ZERO_MICROS : subtractMicros(cap.micros, spentMicros),
  });

  async function buyWithin(cap: Money, urls: readonly string[], options: BuyOptions): Promise<FetchReport> {
    try {
      const report = await withAgent((agent) => agent.fetch(urls, { ...options, maxSpend: leftOf(cap) }));
      const spend = report.spend[cap.currency];
      spentMicros = addMicros(spentMicros, spend === undefined ? ZERO_MICROS : totalOf(spend));
      return report;
    } catch (error) {
      // Nobody knows what the call has spent.
      spentMicros = addMicros(spentMicros, leftOf(cap).micros);
      throw error;
    }
  }

  return {
    terms,
    async fetch(urls, { maxPrice, readsOn, signal }) {
      const price = lowerOf(terms.maxPrice, maxPrice);
      const { results } = await withAgent((agent) => agent.fetch(urls, { storedOnly: true, deriveMarkdown: true }));
      if (!buys || readsOn || results.every(({ outcome }) => outcome !== "not_stored")) {
        return results;
      }
      const options: BuyOptions = {
        deriveMarkdown: true,
        signal: AbortSignal.any([signal, ending]),
        maxPrice: price ?? undefined,
      };
      const report =
        maxSpend === null
          ? await withAgent((agent) => agent.fetch(urls, options))
          : await oneAtATime(() => buyWithin(maxSpend, urls, options));
      return report.results;
    },
    spent: () => (maxSpend === null ? null : { spent: { ...maxSpend, micros: spentMicros }, left: leftOf(maxSpend) }),
  };
}

interface BuyOptions {
  readonly deriveMarkdown: true;
  readonly signal: AbortSignal;
  readonly maxPrice: Money | undefined;
}

/** @throws LicetError USAGE_INVALID for two currencies */
function lowerOf(a: Money | null, b: Money | null): Money | null {
  if (a === null || b === null) {
    return a ?? b;
  }
  if (a.currency !== b.currency) {
    throw new LicetError("USAGE_INVALID", `maxPrice must be in ${a.currency}, not in ${b.currency}`, {
      hint: `This server buys no page for more than ${formatMoney(a)}.`,
      details: { currency: b.currency },
    });
  }
  return a.micros <= b.micros ? a : b;
}
