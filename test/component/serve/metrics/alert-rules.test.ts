/**
 * Plays each rule for Prometheus with `promtool test rules`, over the series of real services: before a trouble no alert fires, after it the alert of
 * the rule does. A series that a trouble changes must be there before: what is born with the trouble has no change that `increase` could see.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse, stringify } from "yaml";
import { openSqliteLedger } from "../../../../src/ledger/sqlite/open.ts";
import type { ConfigFile, WorldOptions } from "../../../doubles/crawl-world.ts";
import { PATIENCE } from "../../../doubles/patience.ts";
import { findPromtoolProblem } from "../../../doubles/promtool.ts";
import { createServiceWorld, type ServiceWorld } from "../../../doubles/service-world.ts";

const RULES = resolve("config/deploy/prometheus/licet.rules.yml");
const HOST = "news.example";
/** One sample a minute: so many before the trouble, and in it. */
const BEFORE_MINUTES = 30;
const AFTER_MINUTES = 150;
/** Prometheus adds it to each series. */
const TARGET = 'job="licet",instance="here"';

const WAIT = { ...PATIENCE, interval: 200 };

const SANDBOX: WorldOptions["sandbox"] = { sites: [{ kind: "synthetic", host: HOST, pages: 2, bodyBytes: 200 }] };
const CONFIG: ConfigFile = {
  budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
  sites: [{ host: HOST, policy: "standard", schedule: "0 3 1 1 *" }],
  webhooks: [{ id: "main", path: "/webhooks/main", url: "https://agent.example/webhooks/main", secret: "s" }],
  alerts: [{ on: ["run_failed"], exec: ["/bin/false"] }],
  serve: { port: 0, tokens: [{ name: "fleet", token: "worker-token", can: "work" }] },
};

const problem = findPromtoolProblem();

type Series = ReadonlyMap<string, number>;
/** What a trouble makes of a series: another value, so much more of it, or more of it each minute. */
interface Change {
  readonly to?: number;
  readonly by?: number;
  readonly perMinute?: number;
}

/** By the beginning of the name with labels. */
type Trouble = Readonly<Record<string, Change>>;

/** By the name of the rule. Each must have a line. */
const TROUBLES: Readonly<Record<string, Trouble>> = {
  LicetDown: { up: { to: 0 } },
  LicetRestarts: { process_start_time_seconds: { perMinute: 60 } },
  LicetGatewayAway: { 'licet_dependency_up{dependency="gateway"': { to: 0 } },
  LicetGatewayAwayLong: { 'licet_dependency_up{dependency="gateway"': { to: 0 } },
  // What a service does whose key was changed, between its runs: it reads the delivery records once in some minutes.
  LicetGatewayRefusesKey: { 'licet_gateway_requests_total{endpoint="history",status="401"': { perMinute: 1 } },
  LicetQueueAway: { 'licet_dependency_up{dependency="queue"': { to: 0 } },
  LicetLedgerUnreadable: { licet_ledger_readable: { to: 0 } },
  LicetDiskLow: { licet_ledger_disk_free_bytes: { to: 4e9 } },
  LicetDiskFull: { licet_ledger_disk_free_bytes: { to: 4e8 } },
  LicetWalLarge: { licet_ledger_wal_bytes: { to: 3e8 } },
  LicetBudgetNearlyUsed: { licet_budget_headroom_micros: { to: 1 } },
  LicetBudgetUsedUp: { licet_budget_exhausted: { to: 1 } },
  LicetBudgetExceeded: { licet_budget_headroom_micros: { to: -1 } },
  LicetRunFailed: { 'licet_runs_ended_total{trigger="schedule",state="failed"': { by: 1 } },
  LicetRunsFail: { 'licet_runs_ended_total{trigger="webhook",state="failed"': { by: 4 } },
  LicetInDoubt: { 'licet_purchases{state="in_doubt"': { to: 1 } },
  LicetManyInDoubt: { 'licet_purchases{state="in_doubt"': { to: 10 } },
  LicetSiteStopped: { 'licet_open_items{kind="overcharged"': { to: 1 } },
  LicetOpenItems: { 'licet_open_items{kind="missing_receipt"': { to: 1 } },
  LicetUnreported: { licet_unreported_oldest_age_seconds: { to: 4_000 } },
  LicetUnreportedLong: { licet_unreported_oldest_age_seconds: { to: 30_000 } },
  LicetScheduleLate: { [`licet_schedule_overdue_seconds{schedule="site:${HOST}"`]: { to: 301 } },
  LicetScheduleLost: { [`licet_schedule_overdue_seconds{schedule="site:${HOST}"`]: { to: 3_601 } },
  LicetSlotFailed: { [`licet_slots{schedule="site:${HOST}",state="failed"`]: { by: 1 } },
  LicetDeliveriesRefused: { 'licet_webhook_deliveries_total{webhook="main",outcome="signature"': { perMinute: 1 } },
  LicetDeliveriesMisdirected: { 'licet_webhook_deliveries_total{webhook="main",outcome="unknown_path"': { by: 1 } },
  LicetSweepOld: { licet_sweep_age_seconds: { to: 3_601 } },
  LicetAlertsUndelivered: { 'licet_alert_deliveries{state="given_up"': { to: 1 } },
  LicetWorkerLost: { 'licet_workers{state="lost"': { to: 1 } },
  LicetWorkersMissing: { 'licet_queue_batches{stage="acquire"': { to: 3 } },
  LicetEventLoopSlow: { nodejs_eventloop_lag_p99_seconds: { to: 2 } },
};

const RULES_TEXT = readFileSync(RULES, "utf8");
const { groups } = parse(RULES_TEXT) as { groups: { rules: { alert: string }[] }[] };
const rules = groups.flatMap((group) => group.rules.map(({ alert }) => alert));
/** Every word of the rules, so the names of all series that they look at. The others would only take time. */
const LOOKED_AT = new Set(RULES_TEXT.match(/\w+/g));

it("each rule has a trouble that it is played with", () => {
  expect(Object.keys(TROUBLES).toSorted()).toEqual(rules.toSorted());
});

describe.skipIf(problem !== null)(`the rules${problem === null ? "" : ` (${problem})`}`, () => {
  let world: ServiceWorld;
  let healthy: Series;
  let directory: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "licet-rules-"));
    world = await createServiceWorld({ sandbox: SANDBOX, config: CONFIG });
    // After the first readings of the service: its dependencies, and the delivery records.
    healthy = await vi.waitFor(async () => {
      const series = await scrape(world);
      expect(
        ["licet_sweep_age_seconds", 'licet_dependency_up{dependency="gateway"}'].filter((name) => !series.has(name)),
      ).toEqual([]);
      expect([...series].filter(([name, value]) => showsStandstill(name, value))).toEqual([]);
      return series;
    }, WAIT);
  });
  afterAll(async () => {
    rmSync(directory, { recursive: true, force: true });
    await world.close();
  });

  /** Whether alerts fire at some time: what promtool says of it. */
  function play(before: Series, trouble: Trouble, firing: Readonly<Record<string, boolean>>): string {
    const changes = Object.entries(trouble);
    const isThere = (part: string) => [...before.keys()].some((name) => name.startsWith(part));
    expect(changes.map(([part]) => part).filter((part) => !isThere(part))).toEqual([]);
    const series = [...before].map(([name, value]) => {
      const change = changes.find(([part]) => name.startsWith(part))?.[1];
      return { series: withTarget(name), values: toValues(value, change) };
    });
    const expected = Object.entries(firing).map(([alert, fires]) => ({
      expr: `count(max_over_time(ALERTS{alertname="${alert}",alertstate="firing"}[${AFTER_MINUTES}m])) > bool 0 or vector(0)`,
      eval_time: `${BEFORE_MINUTES + AFTER_MINUTES}m`,
      exp_samples: [{ labels: "{}", value: fires ? 1 : 0 }],
    }));
    // The other rules would be evaluated too, each minute of it.
    const asked = groups.map((group) => ({ ...group, rules: group.rules.filter(({ alert }) => alert in firing) }));
    const rulesFile = join(directory, "rules.yml");
    writeFileSync(rulesFile, stringify({ groups: asked.filter((group) => group.rules.length > 0) }));
    const file = join(directory, "test.json");
    const test = { interval: "1m", input_series: series, promql_expr_test: expected };
    writeFileSync(file, JSON.stringify({ rule_files: [rulesFile], evaluation_interval: "1m", tests: [test] }));
    const { stdout, stderr } = spawnSync("promtool", ["test", "rules", file], { encoding: "utf8" });
    return (stdout + stderr).replace(/^Unit Testing:.*\n/, "").trim();
  }

  it("are quiet while all is well", () => {
    expect(play(healthy, {}, Object.fromEntries(rules.map((alert) => [alert, false])))).toBe("SUCCESS");
  });

  it.each(rules)("%s fires in its trouble", (alert) => {
    expect(play(healthy, TROUBLES[alert] ?? {}, { [alert]: true })).toBe("SUCCESS");
  });

  it("see the first failure of a schedule, and a changed key under which no reading ever worked", async () => {
    const ledger = await openSqliteLedger({ path: world.ledgerFile, access: "existing" });
    const slot = { schedule: `site:${HOST}`, slotAt: Date.now() - 60_000, process: "test" };
    await ledger.claimSlot({ ...slot, now: Date.now() });
    await ledger.endSlot({ ...slot, state: "failed", detail: "CLOCK_BEHIND", now: Date.now() });
    await ledger.close();
    const series = `licet_slots{schedule="site:${HOST}",state="failed"}`;
    const failed = await vi.waitFor(async () => {
      const value = (await scrape(world)).get(series);
      expect(value).not.toBe(healthy.get(series));
      return value;
    }, WAIT);
    expect(play(healthy, { [series]: { to: failed ?? 0 } }, { LicetSlotFailed: true })).toBe("SUCCESS");

    const other = await createServiceWorld({ sandbox: SANDBOX, config: { ...CONFIG, gateway: { apiKey: "changed" } } });
    try {
      const refused = 'licet_gateway_requests_total{endpoint="history",status="401"}';
      const before = await vi.waitFor(async () => {
        const known = await scrape(other);
        expect(known.get(refused)).toBeGreaterThan(0);
        expect(known.has("licet_sweep_age_seconds")).toBe(true);
        return known;
      }, WAIT);
      const trouble = { [refused]: { perMinute: 1 }, licet_sweep_age_seconds: { perMinute: 60 } };
      expect(play(before, trouble, { LicetGatewayRefusesKey: true, LicetSweepOld: true })).toBe("SUCCESS");
    } finally {
      await other.close();
    }
  });
});

/** Every series of a service with its value, and that it answers. */
async function scrape(world: ServiceWorld): Promise<Series> {
  const { text } = await world.call("GET", "/metrics");
  const lines = text.split("\n").filter((line) => LOOKED_AT.has(/^\w+/.exec(line)?.[0] ?? ""));
  const series = lines.map((line): [string, number] => {
    const end = line.lastIndexOf(" ");
    return [line.slice(0, end), Number(line.slice(end))];
  });
  return new Map([["up", 1], ...series.filter(([, value]) => Number.isFinite(value))]);
}

/** Whether a machine that just stood still made the value: a probe was not answered in time, or the event loop was late. */
function showsStandstill(name: string, value: number): boolean {
  return name.startsWith("licet_dependency_up") ? value === 0 : name.startsWith("nodejs_eventloop_lag") && value > 1;
}

/** With the labels that Prometheus adds. */
function withTarget(name: string): string {
  return name.endsWith("}") ? `${name.slice(0, -1)},${TARGET}}` : `${name}{${TARGET}}`;
}

/** In the notation of promtool: a value, what it grows by each minute, and how many more there are. */
function toValues(value: number, change: Change | undefined): string {
  const line = (from: number, by: number, minutes: number) => `${from}${by < 0 ? "" : "+"}${by}x${minutes}`;
  const before = line(value, 0, BEFORE_MINUTES);
  if (change === undefined) {
    return `${before} ${line(value, 0, AFTER_MINUTES)}`;
  }
  const { to = value + (change.by ?? 0), perMinute = 0 } = change;
  return `${before} ${line(to, perMinute, AFTER_MINUTES)}`;
}
