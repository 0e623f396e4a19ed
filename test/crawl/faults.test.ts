import { afterEach, describe, expect, test } from "vitest";
import { FAULT_NAMES } from "../../src/sandbox/fault-names.ts";
import { compareAccounts, compareReports } from "../doubles/compare-accounts.ts";
import { type CrawlWorld, createCrawlWorld } from "../doubles/crawl-world.ts";

/** Faults after which receipts do not add up: the use is reported, an open item says what is missing. */
const SPOIL_RECEIPTS = new Set(["receipt-short", "receipt-wrong-total"]);

let world: CrawlWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

describe("with a fault of the gateway at 5 %, licet's ledger and the gateway's account still agree", () => {
  const cases = [...Object.keys(FAULT_NAMES), "all"];
  test.each(cases)("%s", async (fault) => {
    world = await createCrawlWorld({
      sandbox: {
        sites: [
          { kind: "synthetic", host: "news.example", pages: 120, bodyBytes: 500 },
          { kind: "demo", host: "demo.example" },
        ],
        faults: { [fault]: 0.05 },
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
