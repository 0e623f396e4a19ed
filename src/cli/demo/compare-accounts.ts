/** Compares the ledger with the gateway's own account, which shares no code with it: exact to the micro and page by page. */
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
  const { totals: gateway } = sandbox.audit();
  const reportedUses = Object.values(gateway).reduce((sum, of) => sum + of.reportedUses, 0);
  const currencies = new Set([...Object.keys(gateway), ...Object.keys(totals.spend)]);
  return [
    ...(await comparePages(agent, sandbox, totals.purchases.settled)),
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

/**
 * Each document has a charge of its own at exactly its price. The other settled purchases lost their answer to the kill: they are the
 * charges that are left, except those of nothing, which licet resolves as not charged and asks for again.
 */
async function comparePages(agent: Agent, sandbox: Sandbox, settled: number): Promise<readonly string[]> {
  const left = sandbox.audit().charges.map(({ url, priceMicros }) => `${priceMicros} micros for ${url}`);
  const differences: string[] = [];
  let documents = 0;
  for await (const { purchaseUrl, priceMicros } of agent.documents()) {
    documents += 1;
    const index = left.indexOf(`${priceMicros} micros for ${purchaseUrl}`);
    if (index < 0) {
      differences.push(
        `${purchaseUrl}: the ledger has a document for ${priceMicros} micros, the gateway no such charge`,
      );
    } else {
      left.splice(index, 1);
    }
  }
  const paidLeft = left.filter((charge) => !charge.startsWith("0 micros"));
  return [...differences, ...differ("charges without a document", settled - documents, paidLeft.length)];
}

function differ(what: string, ledger: number, gateway: number): string[] {
  return ledger === gateway ? [] : [`${what}: the ledger has ${ledger}, the gateway ${gateway}`];
}
