/** `agent.run({ plan })`: what was approved is bought, once, never dearer, and nothing else, whatever the gateway does meanwhile. */
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { Agent } from "../../src/agent/agent.ts";
import type { RunReport } from "../../src/agent/runs/run-report.ts";
import { formatPlanHeader, type PlanHeader, parsePlanHeader } from "../../src/plan/plan-header.ts";
import type { RateInput } from "../../src/sandbox/pricing/rate.ts";
import { compareAccounts } from "../doubles/compare-accounts.ts";
import { ALLOW_ALL, type ConfigFile, type CrawlWorld, createCrawlWorld } from "../doubles/crawl-world.ts";

const PRICE = 10_000;
const CONFIG: ConfigFile = {
  budgets: [
    { scope: "all", per: "month", limit: "100 USD" },
    { scope: "all", per: "month", limit: "100 EUR" },
  ],
  sites: [{ host: "news.example", policy: "standard" }],
};

interface PlanWorld extends CrawlWorld {
  readonly plan: string;
  readonly agent: Agent;
}

function toUrl(name: string): string {
  return `https://news.example/${name}`;
}

async function open(names: readonly string[], config: ConfigFile = CONFIG): Promise<PlanWorld> {
  const pages = names.map((name) => ({
    url: toUrl(name),
    markdown: `The page ${name}.`,
    rates: [{ priceMicros: name === "free" ? 0 : PRICE }],
  }));
  const world = await createCrawlWorld({
    sandbox: { sites: [{ kind: "pages", host: "news.example", pages }] },
    config,
  });
  onTestFinished(world.close);
  return { ...world, plan: join(world.directory, "plan.jsonl"), agent: await world.openAgent() };
}

/** What the gateway charged, by page. */
function charges({ sandbox }: CrawlWorld): Record<string, number[]> {
  const byPage: Record<string, number[]> = {};
  for (const { url, priceMicros } of sandbox.audit().charges) {
    const name = new URL(url).pathname.slice(1);
    byPage[name] = [...(byPage[name] ?? []), priceMicros];
  }
  return byPage;
}

const reasonsOf = ({ plan }: RunReport) =>
  Object.fromEntries(
    plan?.examples.map(({ url, reason, now }) => [url.slice(toUrl("").length), { reason, now }]) ?? [],
  );

test("buys what still fits at most at its planned price, and says what no longer fits with both prices", async () => {
  const names = ["same", "cheaper", "dearer", "euro", "other-license", "unsold", "gone", "free", "new-cheap"];
  const world = await open(names);
  const { agent, sandbox, plan } = world;
  await agent.plan({ out: plan });
  const move = (name: string, ...rates: RateInput[]) => sandbox.setRates(toUrl(name), rates);
  move("cheaper", { priceMicros: PRICE - 1 });
  move("dearer", { priceMicros: PRICE + 1 });
  move("euro", { priceMicros: PRICE - 1, currency: "EUR" });
  move("other-license", { priceMicros: 1, licenseType: "ON_DEMAND_FULL_USE_LICENSE" });
  move("unsold");
  move("free", { priceMicros: 1 });
  // Cheaper under another licence, which `prefer: cheapest` would choose.
  move("new-cheap", { priceMicros: PRICE }, { priceMicros: 1, licenseType: "ON_DEMAND_FULL_USE_LICENSE" });
  sandbox.removePage(toUrl("gone"));
  sandbox.addPage({ url: toUrl("unplanned"), markdown: "New.", rates: [{ priceMicros: 1 }] });

  const report = await agent.run({ plan });
  expect(charges(world)).toEqual({ same: [PRICE], cheaper: [PRICE - 1], "new-cheap": [PRICE] });
  expect(report.plan).toMatchObject({ path: plan, pages: 9, edited: false, bought: 3, stored: 0 });
  expect(reasonsOf(report)).toEqual({
    dearer: { reason: "max_price", now: { setAsideMicros: PRICE + 1, currency: "USD" } },
    euro: { reason: "max_price", now: { setAsideMicros: PRICE - 1, currency: "EUR" } },
    "other-license": { reason: "not_planned", now: null },
    unsold: { reason: "not_licensable", now: null },
    gone: { reason: expect.stringMatching(/not_licensable|not_quoted|quote_refused/), now: null },
    free: { reason: "max_price", now: { setAsideMicros: 1, currency: "USD" } },
  });
  expect(report.plan?.examples[0]).toMatchObject({ planned: { setAsideMicros: expect.any(Number), currency: "USD" } });
  await compareAccounts(sandbox, world.ledgerFile);
});

test("is refused under another configuration, after its expiry, or with a line more, and nothing is begun", async () => {
  const world = await open(["a", "b"]);
  const { agent, plan } = world;
  await agent.plan({ out: plan });
  await world.configure({
    ...CONFIG,
    gateway: { fee: { percent: 2 } },
    policies: { standard: { rules: [{ deny: {} }] } },
  });
  const refused = (await world.openAgent()).run({ plan });
  await expect(refused).rejects.toMatchObject({
    code: "PLAN_REFUSED",
    message: expect.stringContaining('gateway.fee is new: {"percent":"2"}'),
    details: {
      reason: "configuration",
      differences: [
        { where: "gateway.fee" },
        { where: "policies.standard.rules[0]", planned: '{"allow":{}}', now: '{"deny":{}}' },
      ],
    },
  });
  const whole = await readFile(plan, "utf8");
  await writeFile(plan, `${whole}{"url":"${toUrl("b")}","maxPrice":"9 USD"}\n`);
  await expect(agent.run({ plan })).rejects.toMatchObject({
    code: "PLAN_REFUSED",
    details: { reason: "changed", line: 4 },
  });
  await agent.plan({ out: plan, expires: "1ms" });
  await expect(agent.run({ plan })).rejects.toMatchObject({ code: "PLAN_REFUSED", details: { reason: "expired" } });
  await expect(agent.run({ plan, hosts: ["news.example"] })).rejects.toMatchObject({ code: "PLAN_REFUSED" });
  expect(charges(world)).toEqual({});
  await expect(agent.status()).rejects.toMatchObject({ code: "LEDGER_MISSING" });
});

test("a pipe is refused, because a plan is read more than once", async () => {
  const { agent, plan, directory } = await open(["a"]);
  await agent.plan({ out: plan });
  const pipe = join(directory, "pipe");
  execFileSync("mkfifo", [pipe]);
  const [result] = await Promise.allSettled([agent.run({ plan: pipe }), writeFile(pipe, await readFile(plan))]);
  expect(result).toMatchObject({
    reason: { code: "PLAN_REFUSED", message: expect.stringContaining("is a pipe"), details: { reason: "unreadable" } },
  });
});

test("buys each page once: applied twice, and after another run has bought some, also where pages are always refreshed", async () => {
  const sites = [{ host: "news.example", policy: "standard", refresh: { when: "always" } }];
  const world = await open(["a", "b", "c"], { ...CONFIG, sites });
  const { agent, plan } = world;
  await agent.plan({ out: plan });
  await agent.run({ list: [toUrl("b")] });
  expect((await agent.run({ plan })).plan).toMatchObject({ bought: 2, stored: 1, missed: {} });
  expect((await agent.run({ plan })).plan).toMatchObject({ bought: 0, stored: 3, missed: {} });
  expect(charges(world)).toEqual({ a: [PRICE], b: [PRICE], c: [PRICE] });
});

test.each([3_600_000, -3_600_000])(
  "buys each page once from a plan of a clock that is %d ms away, from every copy of its file",
  async (aheadMs) => {
    const sites = [{ host: "news.example", policy: "standard", refresh: { when: "always" } }];
    const world = await open(["a", "b"], { ...CONFIG, sites });
    const { agent, plan, directory } = world;
    await agent.run({ list: [toUrl("a")] });
    await agent.plan({ out: plan });
    const [first = "", ...lines] = (await readFile(plan, "utf8")).split("\n");
    const header = parsePlanHeader(first) as PlanHeader;
    const [createdAt, expiresAt] = [header.createdAt + aheadMs, header.expiresAt + aheadMs];
    await writeFile(plan, [formatPlanHeader({ ...header, createdAt, expiresAt }), ...lines].join("\n"));
    const copy = join(directory, "copy.jsonl");
    await writeFile(copy, [await readFile(plan, "utf8"), ""].join("\n"));
    const applied = await agent.run({ plan });
    expect(applied.plan).toMatchObject({ bought: 2, stored: 0 });
    expect(applied.warnings.some((warning) => warning.includes("ahead of this one"))).toBe(aheadMs > 0);
    expect((await (await world.openAgent()).run({ plan: copy })).plan).toMatchObject({ bought: 0, stored: 2 });
    expect((await agent.run({ plan })).plan).toMatchObject({ bought: 0, stored: 2 });
    expect(charges(world)).toEqual({ a: [PRICE, PRICE], b: [PRICE] });
    expect(await agent.audit()).toMatchObject({ ok: true });
  },
);

test("a person may take pages out and lower prices; the run says that the plan was edited", async () => {
  const world = await open(["a", "b", "c"]);
  const { agent, plan } = world;
  await agent.plan({ out: plan });
  const [header = "", ...lines] = (await readFile(plan, "utf8")).trimEnd().split("\n");
  const kept = lines.filter((line) => !line.includes("/a"));
  await writeFile(
    plan,
    [header, ...kept.map((line) => line.replace('"maxPrice":"0.01 USD"', '"maxPrice":"0.009 USD"'))].join("\n"),
  );
  world.sandbox.setRates(toUrl("b"), [{ priceMicros: 9_000 }]);
  const report = await agent.run({ plan });
  expect(report.plan).toMatchObject({
    pages: 2,
    edited: true,
    removed: 1,
    lowered: 2,
    bought: 1,
    missed: { max_price: 1 },
  });
  expect(report.warnings).toContain(`${plan} was edited after it was made: 1 page taken out, 2 prices lowered`);
  expect(charges(world)).toEqual({ b: [9_000] });
});

test("an interrupted application goes on with the plan, or with the run, and buys each page once", async () => {
  const names = Array.from({ length: 30 }, (_, index) => `p${index}`);
  const world = await open(names);
  const { agent, plan } = world;
  await agent.plan({ out: plan });
  const stop = new AbortController();
  const stopped = { signal: stop.signal, onDocument: () => stop.abort(), onDocumentConcurrency: 1 };
  const first = await agent.run({ plan, ...stopped });
  expect(first.state).toBe("interrupted");
  const again = new AbortController();
  const second = await agent.run({
    plan,
    signal: again.signal,
    onDocument: () => again.abort(),
    onDocumentConcurrency: 1,
  });
  expect([second.runId, second.resumed]).toEqual([first.runId, true]);
  const third = await agent.run({ resume: first.runId });
  expect(third).toMatchObject({ runId: first.runId, plan: { pages: 30, bought: 30, missed: {} } });
  expect(charges(world)).toEqual(Object.fromEntries(names.map((name) => [name, [PRICE]])));
  await compareAccounts(world.sandbox, world.ledgerFile);
});

test("a run that goes on is refused when the configuration has changed since", async () => {
  const world = await open(["a", "b", "c"]);
  const { agent, plan } = world;
  await agent.plan({ out: plan });
  const stopped = await agent.run({ plan, signal: AbortSignal.abort() });
  await world.configure({ ...CONFIG, policies: { standard: { rules: [{ allow: { maxPrice: "1 USD" } }] } } });
  const later = await world.openAgent();
  await expect(later.run({ resume: stopped.runId })).rejects.toMatchObject({ code: "PLAN_REFUSED" });
  await world.configure(CONFIG);
  const last = await (await world.openAgent()).run({ resume: stopped.runId });
  expect(last.plan).toMatchObject({ bought: 3 });
});

test("two processes that apply a plan at once buy each page once", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
  const world = await open(names);
  await world.agent.plan({ out: world.plan });
  const agents = [world.agent, await world.openAgent()];
  const ends = await Promise.allSettled(agents.map((agent) => agent.run({ plan: world.plan })));
  const failures = ends.flatMap((end) => (end.status === "rejected" ? [end.reason.code] : []));
  expect(failures.filter((code) => code !== "RUN_ALIVE")).toEqual([]);
  expect(charges(world)).toEqual(Object.fromEntries(names.map((name) => [name, [PRICE]])));
});

const movement = fc.record({
  priceMicros: fc.integer({ min: 0, max: 2 * PRICE }),
  currency: fc.constantFrom("USD", "USD", "EUR"),
  licenseType: fc.constantFrom("ON_DEMAND_LICENSE" as const, "ON_DEMAND_FULL_USE_LICENSE" as const),
});

test("whatever prices do, no page costs more than planned, and no page outside the plan is bought", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(fc.array(movement, { maxLength: 2 })), { minLength: 4, maxLength: 8 }),
      async (moves) => {
        const world = await createPlanWorld(moves.length);
        try {
          await world.agent.plan({ out: world.plan });
          world.sandbox.addPage({ url: toUrl("unplanned"), markdown: "New.", rates: [{ priceMicros: 0 }] });
          for (const [index, rates] of moves.entries()) {
            if (rates !== null) {
              world.sandbox.setRates(toUrl(`p${index}`), rates);
            }
          }
          const { plan } = await world.agent.run({ plan: world.plan });
          const charged = charges(world);
          for (const [name, amounts] of Object.entries(charged)) {
            expect(name).toMatch(/^p\d+$/);
            expect(amounts).toHaveLength(1);
            expect(amounts[0]).toBeLessThanOrEqual(PRICE);
          }
          const missed = Object.values(plan?.missed ?? {}).reduce((sum, count) => sum + count, 0);
          expect((plan?.bought ?? 0) + missed).toBe(moves.length);
        } finally {
          await world.close();
        }
      },
    ),
    { numRuns: 6 },
  );
});

async function createPlanWorld(count: number): Promise<PlanWorld> {
  const pages = Array.from({ length: count }, (_, index) => ({
    url: toUrl(`p${index}`),
    markdown: "Words.",
    rates: [{ priceMicros: PRICE }],
  }));
  const world = await createCrawlWorld({
    sandbox: { sites: [{ kind: "pages", host: "news.example", pages }] },
    config: { ...CONFIG, policies: ALLOW_ALL },
  });
  return { ...world, plan: join(world.directory, "plan.jsonl"), agent: await world.openAgent() };
}
