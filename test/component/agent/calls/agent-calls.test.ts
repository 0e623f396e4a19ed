/** How an agent's calls use the configuration: its limits, budgets and windows reach the stages unchanged. */
import { afterEach, describe, expect, it } from "vitest";
import type { Resources } from "../../../../src/agent/compose.ts";
import { EventBus } from "../../../../src/agent/events/events.ts";
import { planAgent } from "../../../../src/agent/plans/plan-agent.ts";
import { auditAgent, statusAgent } from "../../../../src/agent/reports/status-agent.ts";
import { runAgent } from "../../../../src/agent/runs/run-agent.ts";
import { thisProcess } from "../../../../src/agent/this-process.ts";
import { TUNING } from "../../../../src/agent/tuning.ts";
import { reportAgent } from "../../../../src/agent/usage/report-agent.ts";
import { useAgent } from "../../../../src/agent/usage/use-agent.ts";
import { createWaits } from "../../../../src/agent/waits/waits.ts";
import { formatStatus } from "../../../../src/cli/commands/status.ts";
import type { Config } from "../../../../src/config/config.ts";
import type { ConfigInput } from "../../../../src/config/config-input.ts";
import { parseConfig } from "../../../../src/config/load-config.ts";
import { openFileSpool } from "../../../../src/ledger/sqlite/engine/file-spool.ts";
import { parseMoney } from "../../../../src/money/parse-money.ts";
import { readTotal } from "../../../doubles/ledger-steps.ts";
import { MemoryQueue, SERVICE_QUEUES } from "../../../doubles/memory-queue.ts";
import { NO_SNAPSHOTS } from "../../../doubles/no-snapshots.ts";
import { catalogPage, type GatewayScript, listAll, listing } from "../../../doubles/scripted-gateway.ts";
import { createStageWorld, HOST, NEVER, pageUrl, type StageWorld } from "../../pipeline/stage-world.ts";

let world: StageWorld;
afterEach(() => world.close());

/** Each costs 0.001 USD. */
const PATHS = ["/a", "/b", "/c", "/d", "/e"];
const HOUR_MS = 3_600_000;

let resources: Resources;

function configure(input: Partial<ConfigInput>): Config {
  return parseConfig(
    {
      gateway: { baseUrl: "http://gateway.example", apiKey: "key-1234", agentId: "acme-agent" },
      budgets: [{ scope: "all", limit: "1 USD" }],
      policies: { standard: { rules: [{ allow: {} }] } },
      sites: [{ host: HOST, policy: "standard" }],
      ...input,
    },
    { cwd: "/", env: {} },
  );
}

/** An agent's resources over a scripted gateway, and its calls. */
async function open(input: Partial<ConfigInput> = {}, script: GatewayScript = {}) {
  const listCatalog = () => catalogPage(PATHS.map((path) => pageUrl(path)));
  world = await createStageWorld({ script: { listCatalog, ...script } });
  const { ledger, gateway, clock, deps } = world;
  const queue = new MemoryQueue();
  resources = {
    config: configure(input),
    clock,
    ids: deps.ids,
    random: deps.random,
    tuning: TUNING,
    systemUser: () => "tester",
    processes: thisProcess,
    waits: createWaits({ clock, processes: thisProcess, ledger: async () => ledger }),
    ledger: async () => ledger,
    gateway: async () => gateway,
    queue: async () => queue,
    ...SERVICE_QUEUES,
    converter: async () => ({ convert: async () => ({ ok: true, markdown: "" }), close: async () => {} }),
    openSpool: openFileSpool,
    snapshots: NO_SNAPSHOTS,
    close: async () => {},
  };
  const drive = <Result>(work: Promise<Result>) => clock.drive(work, () => world.isIdle() && queue.waiting === 0);
  return {
    run: (options: Parameters<typeof runAgent>[2] = {}) => drive(runAgent(resources, new EventBus(), options)),
    status: () => statusAgent(resources),
    audit: () => auditAgent(resources),
    plan: () => drive(planAgent(resources, new EventBus(), {})),
    report: () => drive(reportAgent(resources, new EventBus(), NEVER)),
    use: (uses: Parameters<typeof useAgent>[1], options: Parameters<typeof useAgent>[2] = {}) =>
      useAgent(resources, uses, options),
  };
}

const balance = () => readTotal(world.ledger);

describe("a run", () => {
  it("ends at the largest spend of its call, whatever the configuration says", async () => {
    const { run } = await open({ run: { maxSpend: "1 USD" } });
    const report = await run({ maxSpend: parseMoney("0.0025 USD") });
    expect(report).toMatchObject({ state: "max_spend", pages: { bought: 2 } });
    expect(await balance()).toMatchObject({ spentMicros: 2_000, reservedMicros: 0 });
  });

  it("with a largest spend buys in its currency, also where the budgets prefer another one", async () => {
    const budgets = [
      { scope: "all", limit: "1 EUR" },
      { scope: "all", limit: "1 USD" },
    ];
    const inBoth = {
      rates: ["EUR", "USD"].flatMap((code) => listing(parseMoney(`0.001 ${code}`)).rates),
      unreadable: [],
    };
    const { run } = await open({ budgets }, { quoteBatch: (urls) => new Map(urls.map((url) => [url, inBoth])) });
    expect(await run({ maxSpend: parseMoney("0.5 USD") })).toMatchObject({ pages: { bought: PATHS.length } });
    expect(new Set(world.gateway.requests("issueContentToken").map(({ maxPrice }) => maxPrice.currency))).toEqual(
      new Set(["USD"]),
    );
  });

  it("with a largest spend buys nothing that is listed only in other currencies", async () => {
    const budgets = [
      { scope: "all", limit: "1 USD" },
      { scope: "all", limit: "1 EUR" },
    ];
    const price = parseMoney("0.001 EUR");
    const { run } = await open({ budgets }, { quoteBatch: (urls) => listAll(urls, price) });
    const report = await run({ maxSpend: parseMoney("0.5 USD") });
    expect(report).toMatchObject({ pages: { bought: 0, denied: PATHS.length } });
    expect(world.gateway.requests("issueContentToken")).toHaveLength(0);
  });

  it("keeps to a budget of scope run, and the next run has its own", async () => {
    const budgets = [
      { scope: "all", limit: "1 USD" },
      { scope: "run", limit: "0.002 USD" },
    ];
    const { run } = await open({ budgets });
    expect(await run()).toMatchObject({ state: "budget_exhausted", pages: { bought: 2 } });
    expect(await run()).toMatchObject({ state: "budget_exhausted", pages: { bought: 2 } });
    expect(await balance()).toMatchObject({ spentMicros: 4_000, reservedMicros: 0 });
  });

  it("warns once of a budget of which 80 % is used, at the end of the run or before the next one", async () => {
    const budgets = [
      { scope: "all", limit: "0.006 USD" },
      { scope: "run", limit: "1 USD" },
    ];
    const { run, status } = await open({ budgets });
    const sentence = "83 % of the budget all (USD) is used: 0.005 of 0.006 USD are settled, in doubt or set aside";
    const warning = { label: "all (USD)", percent: 83, countedMicros: 5_000, limitMicros: 6_000, currency: "USD" };
    for (const report of [await run(), await run()]) {
      expect(report.budgetWarnings).toEqual([warning]);
      expect(report.warnings.filter((one) => one === sentence)).toHaveLength(1);
    }
    expect(await status()).toMatchObject({ budgetWarnings: [warning] });
    expect(formatStatus(await status())).toContain(sentence);
  });

  it("sets aside and books the fee that the configuration names", async () => {
    const gateway = { baseUrl: "http://gateway.example", apiKey: "key-1234", agentId: "acme-agent" };
    const { run } = await open({ gateway: { ...gateway, fee: { percent: 2.5 } } });
    await run();
    expect(await balance()).toMatchObject({ spentMicros: PATHS.length * 1_025, reservedMicros: 0 });
  });

  it("keeps the fee separate from the charge, in the run, the status and the audit; the budget counts both", async () => {
    const gateway = { baseUrl: "http://gateway.example", apiKey: "key-1234", agentId: "acme-agent" };
    const { run, status, audit } = await open({ gateway: { ...gateway, fee: { percent: 2.5 } } });
    const spend = { USD: { settledMicros: 5_000, inDoubtMicros: 0, reservedMicros: 0, feeMicros: 125 } };
    expect(await run()).toMatchObject({ spend });
    const reported = await status();
    expect(reported.spend).toEqual(spend);
    expect(reported.budgets).toMatchObject([{ balance: spend.USD, leftMicros: 994_875, overMicros: 0 }]);
    expect(formatStatus(reported)).toMatch(/Spend: 0\.005 USD spent, 0\.000125 USD fees\n/);
    expect(formatStatus(reported)).toMatch(
      /all \(USD\) +0\.005125 USD +0\.000125 USD +0\.00 USD +0\.00 USD +0\.994875 USD/,
    );
    expect((await audit()).totals.spend).toEqual(spend);
  });

  it.each(["run", "plan"] as const)("warns at its start as a %s that the key is sent unencrypted", async (name) => {
    const agent = await open();
    expect((await agent[name]()).warnings[0]).toMatch(/^gateway\.baseUrl begins with http:/);
  });

  it("only in the currency of its largest spend buys nothing that no budget covers", async () => {
    const budgets = [
      { scope: "all", limit: "1 USD" },
      { scope: "site:other.example", limit: "1 EUR" },
    ];
    const sites = [HOST, "other.example"].map((host) => ({ host, policy: "standard" }));
    const price = parseMoney("0.001 EUR");
    const { run } = await open({ budgets, sites }, { quoteBatch: (urls) => listAll(urls, price) });
    expect(await run({ hosts: [HOST], maxSpend: parseMoney("0.5 EUR") })).toMatchObject({
      denials: { no_budget_in_currency: PATHS.length },
    });
  });

  it("shows nothing below zero for a budget that was lowered below the spent amount, but the excess", async () => {
    const { run } = await open({ budgets: [{ scope: "all", limit: "1 USD" }] });
    await run();
    const lowered = await statusAgent({
      ...resources,
      config: configure({ budgets: [{ scope: "all", limit: "0.001 USD" }] }),
    });
    expect(lowered.budgets).toMatchObject([{ leftMicros: 0, overMicros: 4_000 }]);
    expect(formatStatus(lowered)).toContain("over by 0.004 USD");
  });
});

describe("a use", () => {
  it("is set aside when it is recorded, and booked by its report", async () => {
    const { run, use, report } = await open();
    await run();
    expect(await use([{ url: pageUrl("/a"), times: 3 }])).toMatchObject({ recorded: 1, overBudget: false });
    expect(await balance()).toMatchObject({ spentMicros: 5_000, reservedMicros: 3_000 });
    expect(await report()).toMatchObject({ reported: 3, pending: 0 });
    expect(await balance()).toMatchObject({ spentMicros: 8_000, reservedMicros: 0 });
  });

  it("that exceeds a budget is refused, and is recorded and flagged when a person asks for it", async () => {
    const { run, use } = await open({ budgets: [{ scope: "all", limit: "0.006 USD" }] });
    await run();
    expect(await use([{ url: pageUrl("/a") }])).toMatchObject({ recorded: 1, overBudget: false });
    expect(await use([{ url: pageUrl("/a") }])).toMatchObject({ recorded: 0, overBudget: false, refused: [{}] });
    const beyond = await use([{ url: pageUrl("/a") }], { overBudget: true });
    expect(beyond).toMatchObject({ recorded: 1, overBudget: true });
    expect(await balance()).toMatchObject({ spentMicros: 5_000, reservedMicros: 2_000 });
  });

  it("with a key is recorded once, however often it is sent", async () => {
    const { run, use, report } = await open();
    await run();
    const told = { url: pageUrl("/a"), times: 2, key: "line 1" };
    expect(await use([told])).toMatchObject({ recorded: 1, repeated: 0 });
    expect(await use([told, told])).toMatchObject({ recorded: 0, repeated: 2 });
    expect(await report()).toMatchObject({ reported: 2, pending: 0 });
  });
});

describe("a report", () => {
  it("that was unanswered for the configured window is not sent again by itself", async () => {
    const { run, report } = await open(
      { reporting: { window: "1h" } },
      { reportUsage: () => ({ kind: "unanswered", detail: "timed out", retryAfterMs: null, mayBeTaken: true }) },
    );
    await run();
    world.clock.advance(HOUR_MS);
    const sent = world.gateway.requests("reportUsage").length;
    expect(sent).toBeGreaterThan(0);
    expect(await report()).toMatchObject({ reported: 0, needsReconcile: PATHS.length });
    expect(world.gateway.requests("reportUsage")).toHaveLength(sent);
  });
});
