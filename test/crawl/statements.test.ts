/** Three months with a gateway that loses answers, month by month against the gateway's own account. */
import { expect, test } from "vitest";
import type { Agent } from "../../src/agent/agent.ts";
import { createResources } from "../../src/agent/compose.ts";
import { createAgentOn } from "../../src/agent/create-agent.ts";
import { EventBus } from "../../src/agent/events/events.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import type { StatementTotal } from "../../src/statement/statement.ts";
import { STATEMENT_GROUPINGS } from "../../src/statement/statement.ts";
import { compareAccounts } from "../doubles/compare-accounts.ts";
import { createCrawlWorld } from "../doubles/crawl-world.ts";
import { createQuickClock, type QuickClock } from "../doubles/quick-clock.ts";

const HOST = "news.example";
const PAGES = 40;

/** To the same instant of the next month's 15th. */
function jumpToMiddle(clock: QuickClock): string {
  const now = new Date(clock.now());
  clock.jump(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 15, 12) - now.getTime());
  return new Date(clock.now()).toISOString().slice(0, 7);
}

/** The gateway's people say which of the purchases in doubt they charged. */
async function resolveDoubts(agent: Agent, sandbox: Sandbox, most: number): Promise<void> {
  const { inDoubt } = await agent.status();
  const { charges } = sandbox.audit();
  for (const { purchaseId, url } of inDoubt.slice(0, most)) {
    await agent.resolve(
      purchaseId,
      charges.some((charge) => charge.url === url),
    );
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

test("statements say month by month what the gateway charged, within the doubts, and stay as they were", async ({
  onTestFinished,
}) => {
  const clock = createQuickClock(1);
  const first = jumpToMiddle(clock);
  const world = await createCrawlWorld({
    sandbox: {
      sites: [{ kind: "synthetic", host: HOST, pages: PAGES, bodyBytes: 500 }],
      rates: { default: [{ license: "ON_DEMAND_LICENSE", price: "0.0123 USD" }] },
      faults: { "content:reset-after-charge": 0.3 },
      seed: 11,
      clock,
    },
    config: {
      gateway: { timeoutMs: 300, fee: { percent: 3 } },
      budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
      sites: [{ host: HOST, policy: "standard", refresh: { when: "always" } }],
    },
  });
  onTestFinished(() => world.close());
  const { sandbox } = world;
  const bus = new EventBus();
  const config = await loadConfig({ path: world.configFile, cwd: world.directory, env: {} });
  const agent = createAgentOn({ ...createResources(config, bus), clock }, bus);
  onTestFinished(() => agent.close());
  const totalOf = async (month: string) => (await agent.statement({ month })).totals[0] as StatementTotal;
  const reported = () => sandbox.audit().totals.USD?.reportedMicros ?? 0;

  await agent.run();
  const reportedFirst = reported();

  const second = jumpToMiddle(clock);
  const firstStatements = async () =>
    JSON.stringify(await Promise.all(STATEMENT_GROUPINGS.map((by) => agent.statement({ month: first, by }))));
  const closed = await firstStatements();
  await resolveDoubts(agent, sandbox, 3);
  sandbox.setFaults({});
  await agent.use([{ url: sandbox.audit().charges[0]?.url ?? "", times: 7 }]);
  await agent.run();
  const reportedSecond = reported();

  const third = jumpToMiddle(clock);
  await resolveDoubts(agent, sandbox, Number.POSITIVE_INFINITY);
  expect(await firstStatements()).toBe(closed);
  expect(JSON.parse(closed)).toMatchObject(STATEMENT_GROUPINGS.map((by) => ({ by, complete: true })));

  const months = [first, second, third];
  const totals = await Promise.all(months.map(totalOf));
  const { charges } = sandbox.audit();
  for (const [index, month] of months.entries()) {
    const charged = sum(
      charges.filter(({ at }) => new Date(at).toISOString().startsWith(month)).map(({ priceMicros }) => priceMicros),
    );
    const { bought, doubts } = totals[index] as StatementTotal;
    // What was charged and not bought is in doubt, with its fee.
    expect(charged - bought.chargedMicros).toBeGreaterThanOrEqual(0);
    expect(charged - bought.chargedMicros).toBeLessThanOrEqual(doubts.opened.setAsideMicros);
  }
  expect(totals[0]?.doubts.opened.pages).toBeGreaterThan(3);
  expect(totals.map(({ receiptsMicros }) => receiptsMicros)).toEqual([
    reportedFirst,
    reportedSecond - reportedFirst,
    0,
  ]);
  // The doubts are over by then, by the word of those who know: nothing is left between the two books.
  expect(totals.at(-1)?.doubts.openAtEnd.pages).toBe(0);
  expect(sum(totals.map(({ total, uses }) => total.chargedMicros - uses.chargedMicros))).toBe(
    sandbox.audit().totals.USD?.chargedMicros,
  );
  expect(compareAccounts(sandbox, world.ledgerFile)).toEqual([]);
  const { ok, totals: audited } = await agent.audit();
  expect(ok).toBe(true);
  expect({
    settledMicros: sum(totals.map(({ total }) => total.chargedMicros)),
    feeMicros: sum(totals.map(({ total }) => total.feeMicros)),
    inDoubtMicros: 0,
  }).toMatchObject({
    settledMicros: audited.spend.USD?.settledMicros,
    feeMicros: audited.spend.USD?.feeMicros,
    inDoubtMicros: audited.spend.USD?.inDoubtMicros,
  });
});
