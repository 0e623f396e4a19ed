/** What the progress line says is true: what is done, what was spent, and when the run ends. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type AgentEvents, EventBus } from "../../../src/agent/events/events.ts";
import { createPace } from "../../../src/cli/progress/pace.ts";
import { watchCounts } from "../../../src/cli/progress/progress-counts.ts";
import { formatProgress } from "../../../src/cli/progress/progress-text.ts";
import { toMicros } from "../../../src/money/micros.ts";

const HOST = "news.example";
const BEGIN = 1_700_000_000_000;
const LIMITS: AgentEvents["run.started"]["limits"] = {
  maxPages: null,
  maxSpendMicros: null,
  currency: null,
  deadlineAt: null,
  sites: {},
};

interface World {
  readonly limits?: Partial<typeof LIMITS>;
  readonly order?: "catalog" | "cheapest";
  readonly hosts?: readonly string[];
  /** What may be spent: by the run, and by site. */
  readonly spend?: number;
  readonly siteSpend?: Readonly<Record<string, number>>;
}

function begin({ limits, order = "catalog", hosts = [HOST], spend, siteSpend = {} }: World = {}) {
  let now = BEGIN;
  const bus = new EventBus();
  const { counts } = watchCounts(bus as never, { now: () => now });
  const toLimit = (micros: number | undefined) =>
    new Map(micros === undefined ? [] : [["USD", toMicros(micros)] as const]);
  const spendLimits = { run: () => toLimit(spend), site: (host: string) => toLimit(siteSpend[host]) };
  const pace = createPace(spendLimits);
  const emit = <Name extends keyof AgentEvents>(name: Name, event: AgentEvents[Name]) => bus.emit(name, event);
  emit("run.started", { runId: "run_1", hosts, resumed: false, order, limits: { ...LIMITS, ...limits }, before: null });
  pace(counts, now);
  return {
    counts,
    emit,
    walk: (candidates: number, ended = true, host = HOST) =>
      emit("walk.page", { host, seen: candidates, candidates, ended }),
    decide: (approved: number, denied = {}, host = HOST) => emit("pages.decided", { host, approved, denied }),
    buy: (pages: number, micros = 10_000, host = HOST) => {
      for (let page = 0; page < pages; page++) {
        const url = `https://${host}/${page}`;
        emit("page.bought", { url, chargedMicros: toMicros(micros), feeMicros: toMicros(0), currency: "USD" });
      }
    },
    /** The seconds that are left, `seconds` after the begin. */
    leftAfter: (seconds: number) => {
      now = BEGIN + seconds * 1_000;
      const { leftMs } = pace(counts, now);
      return leftMs === null ? null : Math.round(leftMs / 1_000);
    },
    line: (width: number) => formatProgress({ counts, limits: spendLimits }, pace(counts, now), { now, width }),
  };
}

test("what a limit left is not done, and what it approved is done when it is bought", () => {
  const { counts, walk, decide, buy } = begin();
  walk(100);
  decide(40, { max_pages: 50, denied_by_rule: 10 });
  expect(counts).toMatchObject({ done: 10, total: 50, denied: 60 });
  buy(39);
  expect(counts).toMatchObject({ done: 49, total: 50, hostsInWork: [HOST] });
  buy(1);
  expect(counts).toMatchObject({ done: 50, total: 50, hostsInWork: [] });
});

test("a site that is stopped has what is under way left, and no more", () => {
  const { counts, emit, walk, decide, buy } = begin();
  walk(500, false);
  decide(30);
  buy(20);
  emit("site.stopped", { host: HOST, hosts: [HOST], stop: "max_pages", detail: "30 pages" });
  expect(counts).toMatchObject({ done: 20, total: 30, hostsInWork: [HOST] });
  buy(10);
  expect(counts).toMatchObject({ done: 30, total: 30, hostsInWork: [] });
});

test("a page in doubt whose answer comes late is one page and one amount, and a fee is spent money", () => {
  const { counts, emit, walk, decide } = begin();
  walk(1);
  decide(1);
  const url = `https://${HOST}/late`;
  emit("page.in_doubt", { url, reason: "token_expired", quotedMicros: toMicros(20_000), currency: "USD" });
  expect(counts).toMatchObject({ inDoubt: 1, bought: 0, done: 1 });
  emit("page.bought", { url, chargedMicros: toMicros(18_000), feeMicros: toMicros(1_800), currency: "USD" });
  expect(counts).toMatchObject({ inDoubt: 0, bought: 1, done: 1, total: 1 });
  expect(counts.spent.get("USD")).toBe(19_800);
  expect(counts.doubtful.get("USD")).toBe(0);
});

test.each<[string, World, number | null]>([
  ["all that is known", {}, 90],
  ["the number of pages of the run", { limits: { maxPages: 30 } }, 20],
  ["the number of pages of the site", { limits: { sites: { [HOST]: 15 } } }, 5],
  ["the money that is left", { spend: 250_000 }, 15],
  ["the budget of the site", { siteSpend: { [HOST]: 120_000 } }, 2],
  ["the deadline", { limits: { deadlineAt: new Date(BEGIN + 17_000).toISOString() } }, 7],
  ["the least of them", { spend: 250_000, limits: { maxPages: 12 } }, 2],
  ["a limit that is far away, which changes nothing", { spend: 900_000_000, limits: { maxPages: 5_000 } }, 90],
])("the time that is left is that of %s", (_name, world, seconds) => {
  const { walk, decide, buy, leftAfter } = begin(world);
  walk(100);
  decide(10);
  buy(10);
  expect(leftAfter(10)).toBe(seconds);
});

test("half of the pages are denied, so a limit of purchases takes twice as many", () => {
  const { walk, decide, buy, leftAfter } = begin({ limits: { maxPages: 30 } });
  walk(1_000);
  decide(10, { denied_by_rule: 10 });
  buy(10);
  // 20 pages in 10 s, of which 10 were bought: 20 more purchases are 40 pages.
  expect(leftAfter(10)).toBe(20);
});

test("while a catalog is read, only a limit within what is known tells the end", () => {
  const open = (world: World) => {
    const { walk, decide, buy, leftAfter } = begin(world);
    walk(100, false);
    decide(10);
    buy(10);
    return leftAfter(10);
  };
  expect(open({})).toBeNull();
  expect(open({ limits: { maxPages: 5_000 } })).toBeNull();
  expect(open({ limits: { maxPages: 40 } })).toBe(30);
});

test("from the best down, nothing is said before the first purchases are decided", () => {
  const { walk, decide, buy, leftAfter } = begin({ order: "cheapest", spend: 200_000 });
  walk(1_000);
  decide(0, { denied_by_rule: 10 });
  expect(leftAfter(5)).toBeNull();
  decide(20);
  buy(10);
  // 20 pages in 10 s, of which 10 were bought: the money is enough for 10 more, and not for the 980 that are known.
  expect(leftAfter(10)).toBe(10);
});

test("the money stays in a line of 80 columns, whatever else there is to say, and no amount is cut", () => {
  const count = fc.integer({ min: 0, max: 9_999_999 });
  fc.assert(
    fc.property(count, count, fc.boolean(), fc.integer({ min: 45, max: 77 }), (seen, inDoubt, isRetrying, width) => {
      const { emit, counts, walk, line } = begin({ hosts: [HOST, "a-long-name.example"], spend: 123_456_789_000 });
      walk(seen, false);
      Object.assign(counts, { inDoubt, spent: new Map([["USD", toMicros(98_765_432_100)]]) });
      if (isRetrying) {
        const answer = { call: "content", because: "rate_limited", status: 429 } as const;
        emit("gateway.retry", { ...answer, attempt: 3, attempts: 5, waitMs: 4_000 });
      }
      const text = line(width);
      expect(text.length).toBeLessThanOrEqual(width);
      expect(text).toContain("98765.4321 of 123456.789 USD");
      if (isRetrying && width === 77) {
        expect(text).toMatch(/^gateway answers 4/);
      }
    }),
  );
});
