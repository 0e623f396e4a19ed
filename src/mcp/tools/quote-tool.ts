import pLimit from "p-limit";
import { z } from "zod";
import type { Agent, Explanation } from "../../agent/agent.ts";
import { isLicetError } from "../../errors.ts";
import { formatMoney } from "../../money/format-money.ts";
import { type Tool, toCleanJson, type WithAgent } from "../tool.ts";
import { urlsArgument } from "./page-arguments.ts";

/** Rates that are requested at once. */
const AT_ONCE = 4;

const quoteArguments = z.strictObject({ urls: urlsArgument });

/** What each page costs, and what the policy would decide. Costs nothing and changes nothing. */
export function createQuoteTool(withAgent: WithAgent<"explain">): Tool<z.infer<typeof quoteArguments>> {
  return {
    name: "quote",
    description:
      "Asks what pages cost and whether the policy and the budgets would allow them. Free of charge; buys nothing. Use it before `fetch` when the price matters.",
    hints: {
      title: "Quote pages",
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    },
    arguments: quoteArguments,
    call: async ({ urls }) => {
      const limit = pLimit(AT_ONCE);
      const quotes = await withAgent((agent) => Promise.all(urls.map((url) => limit(() => quoteOne(agent, url)))));
      return [toCleanJson({ quotes })];
    },
  };
}

async function quoteOne(agent: Pick<Agent, "explain">, url: string): Promise<object> {
  try {
    return toQuote(await agent.explain(url, { needsLedger: false }));
  } catch (error) {
    if (!isLicetError(error)) {
      throw error;
    }
    return { url, wouldBuy: false, why: error.message, hint: error.hint ?? null };
  }
}

function toQuote({ url, conclusion, live, liveError, record, budgets }: Explanation): object {
  return {
    url,
    isStored: record?.stored != null,
    wouldBuy: conclusion.willBeBought,
    why: conclusion.detail,
    hint: conclusion.hint,
    price: live?.price == null ? null : formatMoney(live.price),
    rates: live?.listing.rates.map(({ license, price }) => ({
      license: license.licenseType,
      price: formatMoney(price),
    })),
    fitsBudgets: live?.price == null ? null : budgets.every(({ fits }) => fits),
    error: liveError,
  };
}
