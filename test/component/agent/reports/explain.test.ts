/** What `explain` shows of a page that the ledger knows, or of which some rates cannot be bought. */
import { afterEach, expect, it } from "vitest";
import type { Resources } from "../../../../src/agent/compose.ts";
import { explainAgent } from "../../../../src/agent/reports/explain-agent.ts";
import type { Explanation } from "../../../../src/agent/reports/explanation.ts";
import { thisProcess } from "../../../../src/agent/this-process.ts";
import { TUNING } from "../../../../src/agent/tuning.ts";
import { createWaits } from "../../../../src/agent/waits/waits.ts";
import { formatExplanation } from "../../../../src/cli/commands/explain.ts";
import { parseConfig } from "../../../../src/config/load-config.ts";
import { openFileSpool } from "../../../../src/ledger/sqlite/engine/file-spool.ts";
import { toMicros } from "../../../../src/money/micros.ts";
import { acquire } from "../../../../src/pipeline/acquire/acquire.ts";
import { toEntry, walkPage } from "../../../doubles/ledger-steps.ts";
import { MemoryQueue, SERVICE_QUEUES } from "../../../doubles/memory-queue.ts";
import { NO_SNAPSHOTS } from "../../../doubles/no-snapshots.ts";
import { contentAnswer, LICENSE, listing, PRICE, SILENCE } from "../../../doubles/scripted-gateway.ts";
import { createStageWorld, HOST, NEVER, pageUrl, type StageWorld } from "../../pipeline/stage-world.ts";

let world: StageWorld;
afterEach(() => world.close());

async function explain({ ledger, gateway, clock, deps }: StageWorld, url: string): Promise<Explanation> {
  const resources: Resources = {
    config: parseConfig(
      {
        gateway: { baseUrl: "http://127.0.0.1:8402", apiKey: "key-1234", agentId: "acme-agent" },
        budgets: [{ scope: "all", limit: "1 USD" }],
        policies: { standard: { rules: [{ allow: {} }] } },
        sites: [{ host: HOST, policy: "standard" }],
      },
      { cwd: "/", env: {} },
    ),
    clock,
    ids: deps.ids,
    random: deps.random,
    tuning: TUNING,
    systemUser: () => "tester",
    processes: thisProcess,
    waits: createWaits({ clock, processes: thisProcess, ledger: async () => ledger }),
    ledger: async () => ledger,
    gateway: async () => gateway,
    queue: async () => new MemoryQueue(),
    ...SERVICE_QUEUES,
    converter: async () => ({ convert: async () => ({ ok: true, markdown: "" }), close: async () => {} }),
    openSpool: openFileSpool,
    snapshots: NO_SNAPSHOTS,
    close: async () => {},
  };
  return explainAgent(resources, url);
}

it("names the rates that cannot be bought, with the reason, beside those that the rules tested", async () => {
  const [good] = listing().rates;
  if (good === undefined) {
    throw new Error("the listing has a rate");
  }
  const rates = [
    { ...good, license: { ...LICENSE, licenseType: "CUSTOM_LICENSE", cuid: null } },
    { ...good, error: "withdrawn" },
    good,
  ];
  world = await createStageWorld({ script: { quotePage: () => ({ rates, unreadable: [] }) } });
  const explanation = await explain(world, pageUrl("/a"));
  expect(explanation.live?.flawedRates).toEqual([
    { rateIndex: 0, reason: "a custom licence without an id cannot be ordered" },
    { rateIndex: 1, reason: "the gateway marked it with an error" },
  ]);
  const text = formatExplanation(explanation);
  expect(text).toMatch(/CUSTOM_LICENSE.*\n {4}cannot be bought: a custom licence without an id cannot be ordered\n/);
  expect(text).toMatch(/\n {4}cannot be bought: the gateway marked it with an error, withdrawn\n/);
  expect(text).toMatch(/rule 1: matches\n[\s\S]*Verdict: allowed by rule 1/);
});

it("concludes from the ledger that a page in doubt is not bought, with the purchase and the command", async () => {
  world = await createStageWorld({ script: { fetchContent: () => SILENCE } });
  const lease = await world.leasePurchases(["/a"]);
  await world.drive(acquire(world.deps, lease, NEVER));
  const { purchaseId = 0 } = (await world.purchase("/a")) ?? {};
  const explanation = await explain(world, pageUrl("/a"));
  expect(explanation.conclusion).toMatchObject({
    willBeBought: false,
    reason: "in_doubt",
    purchaseId,
    detail: `will not be bought: its purchase ${purchaseId} is in doubt`,
    hint: `Decide it: licet resolve ${purchaseId} --charged, or --not-charged.`,
  });
  await world.ledger.resolvePurchase({ purchaseId, charged: true, keepOff: true, now: world.clock.now() });
  expect((await explain(world, pageUrl("/a"))).conclusion).toMatchObject({ willBeBought: false, reason: "kept_off" });
});

it("concludes that a page is being bought by another run", async () => {
  world = await createStageWorld();
  await world.leasePurchases(["/a"]);
  expect((await explain(world, pageUrl("/a"))).conclusion).toMatchObject({
    reason: "already_open",
    detail: "will not be bought: purchase 1 of run run_1 is open",
  });
});

it("concludes that an open item stops the site, with the command that closes it", async () => {
  const dearer = { rate: { price: { ...PRICE, micros: toMicros(PRICE.micros + 1) }, license: LICENSE } };
  world = await createStageWorld({ script: { fetchContent: () => contentAnswer(dearer) }, tolerates: /./ });
  await world.drive(acquire(world.deps, await world.leasePurchases(["/a"]), NEVER));
  expect((await explain(world, pageUrl("/b"))).conclusion).toMatchObject({
    willBeBought: false,
    reason: "site_stopped",
    openItemId: 1,
    hint: expect.stringContaining("licet resolve 1 --close"),
  });
});

/** A later run whose walk finds the page with this date. `never`: it only writes down what its catalog says. */
async function walkAgain(
  { ledger, clock, createRun }: StageWorld,
  { runId, lastMod, at, when }: { runId: string; lastMod: string; at: number | null; when: "modified" | "never" },
): Promise<"quoted" | "unchanged"> {
  await createRun(runId);
  const entries = [toEntry("/a", { lastMod, lastModAt: at })];
  const now = clock.now();
  const { unchanged } = await walkPage(ledger, { runId, now, entries, refresh: { when, maxAgeMs: null } });
  await ledger.endRun({ runId, state: "cancelled", reason: null, now });
  return unchanged === 1 ? "unchanged" : "quoted";
}

it("says the same as the next walk of a page that was bought without a date, whose catalog gives dates that cannot be read", async () => {
  world = await createStageWorld();
  await world.drive(acquire(world.deps, await world.leasePurchases(["/a"]), NEVER));
  const dates = [
    { lastMod: "soon", at: null, expected: "unchanged" },
    { lastMod: "later", at: null, expected: "quoted" },
    { lastMod: "soon", at: null, expected: "unchanged" },
  ] as const;
  for (const [index, { expected, ...date }] of dates.entries()) {
    await walkAgain(world, { ...date, runId: `seen_${index}`, when: "never" });
    const { conclusion } = await explain(world, pageUrl("/a"));
    expect(await walkAgain(world, { ...date, runId: `walk_${index}`, when: "modified" })).toBe(expected);
    expect(conclusion.willBeBought).toBe(expected === "quoted");
  }
});

it("says the same as the next walk of a page that changed while its content was sent", async () => {
  world = await createStageWorld({ script: { fetchContent: () => ({ ...contentAnswer(), tookMs: 500 }) } });
  Object.assign(world.gateway, { dateAt: world.clock.now });
  await world.drive(acquire(world.deps, await world.leasePurchases(["/a"]), NEVER));
  const at = (await world.ledger.readPage(pageUrl("/a")))?.stored?.boughtAt ?? 0;
  const date = { lastMod: new Date(at).toISOString(), at };
  await walkAgain(world, { ...date, runId: "seen", when: "never" });
  const { conclusion } = await explain(world, pageUrl("/a"));
  expect(await walkAgain(world, { ...date, runId: "walk", when: "modified" })).toBe("quoted");
  expect(conclusion.willBeBought).toBe(true);
});

it("names the address under which a page is held, where that has the other scheme", async () => {
  world = await createStageWorld();
  await world.drive(acquire(world.deps, await world.leasePurchases(["/a"]), NEVER));
  expect(await explain(world, pageUrl("/a"))).toMatchObject({ storedAs: pageUrl("/a") });
  expect(await explain(world, pageUrl("/b"))).toMatchObject({ storedAs: null });
  const explanation = await explain(world, pageUrl("/a").replace("https:", "http:"));
  expect(explanation).toMatchObject({ record: null, storedAs: pageUrl("/a") });
  expect(formatExplanation(explanation)).toContain(
    `It is held as ${pageUrl("/a")}: licet fetch gives that version and buys nothing.`,
  );
});
