import { z } from "zod";
import type { Agent } from "../../agent/agent.ts";
import type { BudgetStatus } from "../../agent/reports/status-report.ts";
import { assertLicetError } from "../../errors.ts";
import { formatMoney } from "../../money/format-money.ts";
import type { Money } from "../../money/money.ts";
import type { BuyingSession } from "../buying-session.ts";
import { READS, type Tool, type WithAgent } from "../tool.ts";

const spendArguments = z.strictObject({});
const amount = z.string().nullable();
const spendFacts = z.object({
  session: z.object({ buys: z.boolean(), maxPrice: amount, maxSpend: amount, spent: amount, left: amount }),
  budgets: z.array(z.object({ budget: z.string(), limit: z.string(), left: amount, over: amount })).nullable(),
});
type SpendFacts = z.infer<typeof spendFacts>;

/** What the budgets and the session still allow. */
export function createSpendTool(
  withAgent: WithAgent<"status">,
  session: BuyingSession,
): Tool<z.infer<typeof spendArguments>, SpendFacts> {
  return {
    name: "spend",
    description:
      "Says what the budgets and this session still allow: limit, used and left of each budget. Reads the ledger alone.",
    hints: { title: "Budgets and spend", ...READS, openWorldHint: false },
    arguments: spendArguments,
    facts: spendFacts,
    call: async () => ({
      facts: { session: describeSession(session), budgets: await withAgent(readBudgets) },
      texts: [],
    }),
  };
}

function describeSession({ terms, spent }: BuyingSession): SpendFacts["session"] {
  const { buys, maxSpend, maxPrice } = terms;
  const used = spent();
  return {
    buys,
    maxPrice: format(maxPrice),
    maxSpend: format(maxSpend),
    spent: format(used?.spent ?? null),
    left: format(used?.left ?? null),
  };
}

/** Null: there is no ledger yet, so nothing was spent. */
async function readBudgets(agent: Pick<Agent, "status">): Promise<SpendFacts["budgets"]> {
  try {
    return (await agent.status()).budgets.map(describeBudget);
  } catch (error) {
    assertLicetError(error, "LEDGER_MISSING");
    return null;
  }
}

function describeBudget({
  label,
  budget,
  leftMicros,
  overMicros,
}: BudgetStatus): NonNullable<SpendFacts["budgets"]>[number] {
  const { currency, limitMicros } = budget;
  return {
    budget: label,
    limit: formatMoney({ micros: limitMicros, currency }),
    // A budget per run counts each call of `fetch` by itself.
    left: leftMicros === null ? null : formatMoney({ micros: leftMicros, currency }),
    over: overMicros === null || overMicros === 0 ? null : formatMoney({ micros: overMicros, currency }),
  };
}

function format(amount: Money | null): string | null {
  return amount === null ? null : formatMoney(amount);
}
