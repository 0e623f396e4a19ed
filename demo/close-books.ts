/** The end of each demo: the doubts of the kill are resolved, then ledger and gateway are compared, and the demo says whether they agree. */
import type { Agent } from "../src/agent/agent.ts";
import { formatAudit } from "../src/cli/commands/audit.ts";
import { formatAmount } from "../src/cli/output/format-values.ts";
import type { Sandbox } from "../src/sandbox/sandbox.ts";
import { compareBooks, settleDoubts } from "./compare-books.ts";

export interface Books {
  readonly agent: Agent;
  readonly sandbox: Sandbox;
  readonly say: (text: string) => void;
}

export async function resolveDoubts({ agent, sandbox, say }: Books): Promise<void> {
  const doubts = await settleDoubts(agent, sandbox);
  if (doubts > 0) {
    say(`${doubts} in doubt after the kill, now resolved by the gateway's account (licet resolve).`);
  }
}

/**
 * @param others differences that the demo has found itself
 * @returns whether the ledger keeps its promises and agrees with the gateway
 */
export async function giveVerdict({ agent, sandbox, say }: Books, others: readonly string[] = []): Promise<boolean> {
  const audit = await agent.audit();
  say(formatAudit(audit));
  const differences = [...(await compareBooks(agent, sandbox)), ...others];
  if (differences.length > 0) {
    say(`ledger and gateway differ:\n  ${differences.join("\n  ")}`);
    return false;
  }
  const { totals } = audit;
  const spent = Object.entries(totals.spend).map(([currency, { settledMicros }]) =>
    formatAmount(settledMicros, currency),
  );
  say(
    `ledger and gateway agree: ${totals.purchases.settled} charges, ${spent.join(", ")}, ${totals.uses.reported} uses reported`,
  );
  return audit.ok;
}
