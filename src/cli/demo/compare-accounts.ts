/** Compares the ledger with the gateway's own account, which shares no code with it: exact to the micro. */
import type { Agent } from "../../agent/agent.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";

/** Resolves the purchases in doubt by the gateway's account, as a person would. @returns how many there were */
export async function resolveDoubts(agent: Agent, sandbox: Sandbox): Promise<number> {
  const charged = new Set(sandbox.audit().charges.map(({ url }) => url));
  const { inDoubt } = await agent.status();
  for (const { purchaseId, url } of inDoubt) {
    await agent.resolve(purchaseId, charged.has(url));
  }
  return inDoubt.length;
}

/** @returns the differences; empty when ledger and account agree */
export async function compareAccounts(agent: Agent, sandbox: Sandbox): Promise<readonly string[]> {
  const { totals } = await agent.audit();
  const { totals: gateway, charges } = sandbox.audit();
  // A free page whose answer the kill took away counts as not charged: the gateway may list it, with a price of 0.
  const paidCount = charges.filter(({ priceMicros }) => priceMicros > 0).length;
  const { settled } = totals.purchases;
  const isCountRight = paidCount <= settled && settled <= charges.length;
  const reportedUses = Object.values(gateway).reduce((sum, of) => sum + of.reportedUses, 0);
  const currencies = new Set([...Object.keys(gateway), ...Object.keys(totals.spend)]);
  return [
    ...(isCountRight ? [] : differ("charges", settled, charges.length)),
    ...[...currencies].flatMap((currency) =>
      differ(
        `micros of ${currency} charged`,
        totals.spend[currency]?.settledMicros ?? 0,
        gateway[currency]?.chargedMicros ?? 0,
      ),
    ),
    ...differ("uses reported", totals.uses.reported, reportedUses),
  ];
}

function differ(what: string, ledger: number, gateway: number): string[] {
  return ledger === gateway ? [] : [`${what}: the ledger has ${ledger}, the gateway ${gateway}`];
}
