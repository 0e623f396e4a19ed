import { describe, expect, test } from "vitest";
import { FAULT_NAMES } from "../../src/sandbox/faults/fault-names.ts";
import { compareAccounts, compareReports } from "../doubles/compare-accounts.ts";
import { createCrawlWorld } from "../doubles/crawl-world.ts";

/** Faults after which receipts do not add up: the use is reported, an open item says what is missing. */
const SPOIL_RECEIPTS = new Set(["receipt-short", "receipt-wrong-total"]);

// Each run waits for its backoffs, in a world of its own: they wait together.
describe("with a fault of the gateway at 10 %, licet's ledger and the gateway's account still agree", {
  concurrent: true,
}, () => {
  // Nobody subscribes here: test/component/sandbox/webhook-faults.test.ts has the faults of webhooks.
  const cases = [...Object.keys(FAULT_NAMES).filter((name) => !name.startsWith("webhook-")), "all"];
  test.for(cases)("%s", async (fault, { onTestFinished }) => {
    const world = await createCrawlWorld({
      sandbox: {
        sites: [
          { kind: "synthetic", host: "news.example", pages: 50, bodyBytes: 500 },
          { kind: "synthetic", host: "demo.example", pages: 60, bodyBytes: 5_000 },
        ],
        faults: { [fault]: 0.1 },
        slowMs: 50,
        defaultPageSize: 25,
        seed: 7,
      },
      config: {
        gateway: { timeoutMs: 300 },
        budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
        sites: [
          { host: "news.example", policy: "standard" },
          { host: "demo.example", policy: "standard" },
        ],
      },
    });
    onTestFinished(() => world.close());
    const agent = await world.openAgent();
    await agent.run();
    world.sandbox.setFaults({});
    await agent.report();
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
    expect(compareReports(world.sandbox, world.ledgerFile)).toEqual([]);
    const { violations } = await agent.audit();
    expect(SPOIL_RECEIPTS.has(fault) ? violations.filter(({ promise }) => promise !== 5) : violations).toEqual([]);
  });
});
