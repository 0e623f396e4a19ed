/** `/metrics` of a service over a sandbox: what it says, and that the documents, the rules and the dashboard name only what is there. */
import { readFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { createServiceWorld, type ServiceWorld } from "../../../doubles/service-world.ts";

const HOST = "news.example";

async function open(): Promise<ServiceWorld> {
  const world = await createServiceWorld({
    sandbox: { sites: [{ kind: "synthetic", host: HOST, pages: 4, bodyBytes: 500 }] },
    config: {
      budgets: [
        { scope: "all", per: "day", limit: "100 USD" },
        { scope: "run", limit: "50 USD" },
        { scope: "all", per: "month", limit: "9 EUR" },
      ],
      sites: [{ host: HOST, policy: "standard" }],
    },
  });
  onTestFinished(() => world.close());
  return world;
}

/** The value of each series, by its name with labels. */
function parse(text: string): ReadonlyMap<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  );
}

/** Every metric that the service can have is described, also those without a series now. */
async function listMetrics(world: ServiceWorld): Promise<ReadonlyMap<string, string>> {
  const { text } = await world.call("GET", "/metrics");
  return new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type]));
}

it("says what the ledger says, also of a run of another process, and counts it once", async () => {
  const world = await open();
  const agent = await world.openAgent();
  const { pages, spend } = await agent.run();
  const settled = (spend.USD?.settledMicros ?? 0) + (spend.USD?.feeMicros ?? 0);
  const answer = await world.call("GET", "/metrics");
  expect(answer.headers["content-type"]).toMatch(/^text\/plain; version=0\.0\.4/);
  const series = parse(answer.text);
  expect(pages.bought).toBeGreaterThan(0);
  expect(Object.fromEntries(series)).toMatchObject({
    [`licet_pages_seen_total{site="${HOST}"}`]: pages.seen,
    [`licet_pages_total{site="${HOST}",outcome="bought"}`]: pages.bought,
    [`licet_pages_total{site="${HOST}",outcome="failed"}`]: 0,
    'licet_purchases{state="settled"}': pages.bought,
    [`licet_spend_micros_total{site="${HOST}",currency="USD"}`]: settled,
    'licet_budget_settled_micros{budget="all per day",currency="USD"}': settled,
    'licet_budget_headroom_micros{budget="all per day",currency="USD"}': 100_000_000 - settled,
    'licet_budget_headroom_micros{budget="all per month",currency="EUR"}': 9_000_000,
    'licet_budget_limit_micros{budget="run",currency="USD"}': 50_000_000,
    'licet_budget_exhausted{budget="all per day",currency="USD"}': 0,
    'licet_open_items{kind="overcharged"}': 0,
    'licet_runs_live{trigger="schedule"}': 0,
    licet_unreported_uses: 0,
    licet_ledger_readable: 1,
    licet_service_fence: 1,
  });
  expect(series.has('licet_budget_headroom_micros{budget="run",currency="USD"}')).toBe(false);
  expect(series.has("licet_sweep_age_seconds")).toBe(false);
  expect(series.get("licet_ledger_file_bytes")).toBeGreaterThan(0);
});

it("has a help text for each metric, and the documents list exactly these metrics", async () => {
  const world = await open();
  const { text } = await world.call("GET", "/metrics");
  const names = [...(await listMetrics(world)).keys()];
  expect(names.filter((name) => !new RegExp(`^# HELP ${name} .{10}`, "m").test(text))).toEqual([]);
  const own = names.filter((name) => name.startsWith("licet_"));
  expect(own.length).toBeGreaterThan(30);
  expect(own.filter((name) => !/^licet_[a-z_]+$/.test(name))).toEqual([]);
  const reference = readFileSync("docs/service-reference.md", "utf8");
  const documented = [...reference.matchAll(/^\| `(licet_\w+)`/gm)].map(([, name = ""]) => name);
  expect(documented.toSorted()).toEqual(own.toSorted());
});
