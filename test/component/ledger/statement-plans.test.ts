/**
 * Every statement that `status`, the start of a run and its loop really run, with the plan that SQLite makes for it: none may read all of
 * a table. Nothing is timed: a scan of a small table is fast, and slow years later.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { type Connection, openConnection } from "../../../src/ledger/sqlite/engine/connection.ts";
import { loadMigrations, migrate } from "../../../src/ledger/sqlite/engine/migrations.ts";
import { createLedgerCore } from "../../../src/ledger/sqlite/ledger-core.ts";
import { createSqliteLedger } from "../../../src/ledger/sqlite/sqlite-ledger.ts";
import { STATEMENT_GROUPINGS } from "../../../src/statement/statement.ts";
import { systemClock } from "../../../src/time/clock.ts";
import { buyPages, NO_LIMIT, NOON, startPages } from "../../doubles/ledger-shop.ts";
import { begin, toSpec } from "../../doubles/ledger-steps.ts";
import { createUse, recordUses } from "../../doubles/usage-outbox-driver.ts";

/** Indexes of the few rows of a table that are asked for: to read all of one is to read the answer. */
const OF_FEW = [
  "alert_delivery_pending",
  "booking_of_doubt",
  "hint_waiting",
  "open_item_open",
  "purchase_doubts",
  "purchase_open_page",
  "run_dropping",
  "run_plannings",
  "run_unfinished",
  "slot_open",
  "usage_batch_open",
];
/** As many rows as there are counters, schedules or outcomes of sites, or as a query takes of the newest runs. */
const OF_FIXED_SIZE = [
  "SCAN json_each VIRTUAL TABLE INDEX 1:",
  "SCAN f VIRTUAL TABLE INDEX 1:",
  // What the bookings of some days add up to, which are found before.
  "SCAN facts",
  // As few as the sites that are paused.
  "SCAN paused",
  "SCAN counter",
  "SCAN site USING COVERING INDEX site_host_unique",
  "SCAN recent",
  // As few as the runs that have a list.
  "SCAN run_list",
  // One row for each policy that ever retained something.
  "SCAN retained",
  "SCAN schedule USING INDEX sqlite_autoindex_schedule_1",
  "SCAN site_total",
  // As few as what is waited for at present.
  "SCAN w USING INDEX wait_by_run",
  "SCAN wait USING INDEX wait_by_run",
];
/**
 * The newest or oldest few, in the order of the rows themselves: plans, which are passed over, are discarded at their end. The list of runs
 * may read the rows of all of them: there are as few as calls of `licet run`.
 */
const FEW_RUNS = [
  /FROM run WHERE kind <> 'planning' ORDER BY (?:run\.)?id(?: DESC)? LIMIT 1$/,
  /from "run" where "run"."kind" <> (?:'planning'|\?) order by "run"."id" (?:asc|desc) limit \?/,
  /^select "run"."id", "run"."name", .* from "run" left join "run" "successor" .* order by "run"."id" desc limit \?$/,
  /^select count\(\*\) from "run" where /,
  / FROM run WHERE kind <> 'planning' ORDER BY id DESC LIMIT 5000\) recent\s/,
  /^SELECT id FROM run WHERE kind <> 'planning' AND started_at >= \+@from AND started_at < \+@to ORDER BY id DESC LIMIT \+@limit$/,
];

/** The first or the last rows of an order that the table or its index has: as many as the limit says. */
const FIRST_ROWS = [
  /from "use" order by "use"."id" (?:asc|desc) limit \?$/,
  /FROM booking ORDER BY seq DESC LIMIT 1$/,
  /FROM booking_sum ORDER BY id DESC LIMIT 1$/,
  /from \(select [^(]* from "alert" order by "alert"."id" desc limit \?\) "recent" /,
];

type Method = (...args: unknown[]) => unknown;
const RUNS: ReadonlySet<PropertyKey> = new Set(["get", "all", "run", "iterate"]);

/** A ledger that writes down each statement that it runs. */
async function openWatched(): Promise<{ readonly ledger: Ledger; readonly db: Connection; readonly ran: Set<string> }> {
  const directory = await mkdtemp(join(tmpdir(), "licet-plans-"));
  const path = join(directory, "licet.sqlite");
  const db = openConnection(path);
  migrate(db, loadMigrations(), path);
  const ran = new Set<string>();
  const watched = new Proxy(db, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name !== "prepare") {
        return typeof member === "function" ? (member as Method).bind(target) : member;
      }
      return (sql: string) => watchStatement(target.prepare(sql), () => ran.add(sql));
    },
  });
  const ledger = createSqliteLedger(createLedgerCore(watched, path, systemClock));
  onTestFinished(async () => {
    await ledger.close();
    await rm(directory, { recursive: true, force: true });
  });
  return { ledger, db, ran };
}

function watchStatement<Statement extends object>(statement: Statement, onRun: () => void): Statement {
  return new Proxy(statement, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") {
        return member;
      }
      return (...args: unknown[]) => {
        if (RUNS.has(name)) {
          onRun();
        }
        const result = (member as Method).apply(target, args);
        return result === target ? receiver : result;
      };
    },
  });
}

/** What of a statement reads a table from its beginning to its end. */
function findScans(db: Connection, sql: string): string[] {
  const names = [...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name ?? "", 1] as const);
  const parameters = names.length > 0 ? [Object.fromEntries(names)] : Array(sql.split("?").length - 1).fill(1);
  const planOf = (text: string) =>
    db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`).all(...parameters);
  const plan = planOf(sql).map(({ detail }) => detail);
  expect(plan, sql).toEqual(planOf(sql.replace(/\+(?=[?@])/g, "")).map(({ detail }) => detail));
  const scans = plan
    .filter(
      (detail) =>
        detail.startsWith("SCAN ") && !OF_FIXED_SIZE.includes(detail) && !/^SCAN (?:CONSTANT|\(|\d)/.test(detail),
    )
    .filter((detail) => !OF_FEW.some((index) => detail.endsWith(` ${index}`)));
  if (FIRST_ROWS.some((pattern) => pattern.test(sql))) {
    return scans.filter((detail) => !/^SCAN (?:use|alert|booking|booking_sum)$/.test(detail));
  }
  return FEW_RUNS.some((pattern) => pattern.test(sql)) ? scans.filter((detail) => detail !== "SCAN run") : scans;
}

async function scansOf(prepare: (ledger: Ledger) => Promise<unknown>, work: (ledger: Ledger) => Promise<unknown>) {
  const { ledger, db, ran } = await openWatched();
  await prepare(ledger);
  ran.clear();
  await work(ledger);
  const explained = [...ran].filter((sql) => !/^(?:BEGIN|COMMIT|ROLLBACK)/.test(sql));
  expect(explained.length).toBeGreaterThan(0);
  return explained.flatMap((sql) => findScans(db, sql).map((scan) => `${scan}: ${sql.replace(/\s+/g, " ")}`));
}

/** Some of everything that these paths ask about. */
async function fill(ledger: Ledger): Promise<void> {
  await buyPages(ledger, { runId: "run_old", paths: ["/a", "/b"] });
  await recordUses(ledger, [createUse("/a")]);
  const [started] = await startPages(ledger, { runId: "run_doubt", paths: ["/c"] });
  await ledger.holdInDoubt({ purchaseId: started?.purchaseId ?? 0, reason: "token_spent", detail: "", now: NOON });
}

const ANY_DOCUMENT = { url: null, title: null, host: null, license: null, hash: null, after: null, limit: 9 };
const WORKERS = { now: NOON, aliveMs: 1_000, gone: [] };
const BUDGET = { scope: { kind: "all" }, period: "month", limitMicros: NO_LIMIT.limitMicros, currency: "USD" } as const;

describe("no statement reads a whole table", () => {
  it.each<[name: string, work: (ledger: Ledger) => Promise<unknown>]>([
    ["of status", (ledger) => ledger.readStatus()],
    ["of what is waited for", (ledger) => ledger.readWaits()],
    ["of the workers of the service", (ledger) => ledger.readWorkers()],
    ["of the waits that are written", (ledger) => ledger.writeWaits({ process: "x", waits: [] })],
    ["of what the day cost", (ledger) => ledger.readDay({ at: NOON })],
    ...[null, "run_old"].map((runId): [string, (ledger: Ledger) => Promise<unknown>] => [
      `of the denials of ${runId ?? "some days"}`,
      (ledger) =>
        ledger.readDenials({ runId, from: 0, to: NOON + 1, host: "news.example", reason: null, after: null, limit: 9 }),
    ]),
    ...[
      {},
      { host: "news.example", title: "x" },
      { url: "https://news.example/" },
      { hash: "ab".repeat(32) },
      { after: "n9" },
    ].map((query): [string, (ledger: Ledger) => Promise<unknown>] => [
      `of a search for documents by ${JSON.stringify(query)}`,
      (ledger) => ledger.findDocuments({ ...ANY_DOCUMENT, ...query }),
    ]),
    [
      "of the rights that end",
      (ledger) =>
        ledger.readEnding({
          policies: { standard: { retentionMs: 1, onExpiry: "keep" } },
          now: NOON,
          until: NOON + 1,
        }),
    ],
    ["of the sites", (ledger) => ledger.readSites({ host: null, after: "", limit: 9 })],
    ["of one site", (ledger) => ledger.readSites({ host: "news.example", after: "", limit: 9 })],
    [
      "of the ages of a site",
      (ledger) =>
        ledger.readAges({ host: "news.example", now: NOON, agesMs: [1], total: { pages: 2, isAtLeast: false } }),
    ],
    ["of the prices of a site", (ledger) => ledger.readQuoted({ host: "news.example", limit: 9 })],
    ["of what days cost", (ledger) => ledger.readDays({ firstDay: "2026-11-01", lastDay: "2026-11-30", host: null })],
    ["of the status of a run", (ledger) => ledger.readRun("run_old")],
    [
      "of the list of runs",
      (ledger) => ledger.readRuns({ limit: 9, runId: null, host: null, state: null, ...WORKERS }),
    ],
    [
      "of the runs of a site that died",
      (ledger) => ledger.readRuns({ limit: 9, runId: null, host: "news.example", state: "died", ...WORKERS }),
    ],
    [
      "of what a run bought",
      (ledger) =>
        ledger.readRunPurchases({
          runId: "run_old",
          host: null,
          license: null,
          state: null,
          afterPurchaseId: 0,
          limit: 9,
        }),
    ],
    ["of what a run bought, added up", (ledger) => ledger.readPurchaseGroups({ runId: "run_old" })],
    ["of what a run denied", (ledger) => ledger.readDeniedPages({ runId: "run_old", host: null, limit: 9 })],
    ["of what is known of a page", (ledger) => ledger.readPage("https://news.example/a")],
    [
      "of the documents",
      (ledger) => ledger.readDocuments({ host: "news.example", sinceAt: null, afterPageId: 0, limit: 9 }),
    ],
    [
      "of the documents of a run",
      (ledger) =>
        ledger.readRunDocuments({ runId: "run_old", host: null, sinceAt: null, afterPurchaseId: 0, limit: 9 }),
    ],
    [
      "of the new documents of a cursor",
      (ledger) => ledger.readSettled({ afterSeq: 1, throughSeq: 9, host: "news.example", runId: null, limit: 9 }),
    ],
    ["of the document of a purchase", (ledger) => ledger.readDocument(1)],
    [
      "of the pages of a plan that were not bought",
      (ledger) => ledger.readUnbought({ runId: "run_old", passedOver: "already_held", limit: 9 }),
    ],
    ["of a page that is held", (ledger) => ledger.findHeld({ urls: ["https://news.example/a"] })],
    ["of a page that is being bought", (ledger) => ledger.findUnderWay({ urls: ["https://news.example/a"] })],
    [
      "of a page that a run fetched",
      (ledger) => ledger.readFetched({ runId: "run_old", urls: ["https://news.example/a", "https://news.example/c"] }),
    ],
    ["of the pages bought again", (ledger) => ledger.readRepurchases({ hosts: ["news.example"] })],
    [
      "of the budgets' balances",
      (ledger) => ledger.readBalances({ budgets: [BUDGET], hosts: [], runId: null, now: NOON }),
    ],
    ["of the figures", (ledger) => ledger.readFigures({ budgets: [BUDGET], hosts: ["news.example"], now: NOON })],
    ["of the reasons for alerts", (ledger) => ledger.readAlertFacts({ budgets: [BUDGET], since: 0, now: NOON })],
    ["of the alerts that were not delivered", (ledger) => ledger.readAlertStatus()],
    [
      "of the deliveries that are due",
      (ledger) => ledger.takeDeliveries({ receivers: ["a1b2"], now: NOON, leaseMs: 1_000, limit: 9 }),
    ],
    ...STATEMENT_GROUPINGS.map((by): [string, (ledger: Ledger) => Promise<unknown>] => [
      `of a statement by ${by}`,
      (ledger) => ledger.readStatement({ from: 0, to: 86_400_000, by, host: "news.example" }),
    ]),
    [
      "of the evidence of a page",
      (ledger) => ledger.readEvidence({ url: "https://news.example/a", limit: 9, usesLimit: 9 }),
    ],
    ["of the evidence of a hash", (ledger) => ledger.readEvidence({ hash: "ab".repeat(32), limit: 9, usesLimit: 9 })],
    ["of the index of hashes", (ledger) => ledger.indexHashes({ limit: 9 })],
    ["of who decided what", (ledger) => ledger.readActs({ before: null, runId: null, limit: 9 })],
    ["of who decided about a run", (ledger) => ledger.readActs({ before: null, runId: "run_old", limit: 9 })],
    ["of what a request did", (ledger) => ledger.findAct("form 1")],
    ["of the alerts that nobody looks after", (ledger) => ledger.readAlerts({ before: null, isOpen: true, limit: 9 })],
    ["of a pause", (ledger) => ledger.pauseSite({ host: "news.example", now: NOON })],
    ["of the end of a pause", (ledger) => ledger.unpauseSite({ host: "news.example", now: NOON })],
    ["of the pauses", (ledger) => ledger.readPauses()],
    ["of the runs of saved plans", (ledger) => ledger.readPlanRuns({ digests: ["ab"], limit: 9 })],
    ["of the configurations of a run", (ledger) => ledger.readConfigurations({ runId: "run_old" })],
    ["of the look whether a ledger is new", (ledger) => ledger.hasRuns()],
    ["of the sites of a run that are stopped", (ledger) => ledger.readStops("run_old")],
    ["of the newest rows", (ledger) => ledger.readLatestInstant()],
    ["of the slots of a schedule", (ledger) => ledger.readSlots({ schedule: "report", limit: 9 })],
    ["of the look at what a schedule is owed", (ledger) => ledger.readOwedAfter({ schedule: "report", now: NOON })],
    ["of the open slots", (ledger) => ledger.listOpenSlots()],
    [
      "of a slot that ends",
      (ledger) =>
        ledger.endSlot({ schedule: "report", slotAt: 1, process: "x", state: "done", detail: null, now: NOON }),
    ],
    ["of the runs that are not over", (ledger) => ledger.listUnfinished(WORKERS)],
    ["of a run that begins", (ledger) => begin(ledger, { which: { kind: "fresh" }, runId: "run_begun" })],
    ["of a new run", (ledger) => ledger.createRun(toSpec({ runId: "run_new" }))],
    ["of the count of pending uses", (ledger) => ledger.countPendingUses()],
    ["of the look at the progress", (ledger) => ledger.readProgress({ runId: "run_doubt", now: NOON })],
    [
      "of the purchases in doubt of a run",
      (ledger) => ledger.readDoubts({ runId: "run_doubt", afterPurchaseId: 0, limit: 9 }),
    ],
    [
      "of what an invoice names",
      (ledger) =>
        ledger.readInvoiced({ purchaseIds: [1], urls: ["https://news.example/a", "https://news.example/%7e"] }),
    ],
    [
      "of the look for what is reserved",
      (ledger) =>
        ledger.findReserved({ runId: "run_doubt", host: "news.example", part: "https://news.example/premium" }),
    ],
    [
      "of the leases",
      (ledger) => ledger.leaseBatches({ runId: "run_doubt", limit: 9, now: NOON, leaseMs: 1_000, maxWaitingPages: 99 }),
    ],
  ])("%s", async (_name, work) => {
    expect(await scansOf(fill, work)).toEqual([]);
  });

  it("and this test would notice one that does", async () => {
    const { db } = await openWatched();
    for (const sql of [
      "SELECT state, count(*) FROM use GROUP BY state",
      "SELECT count(held_purchase_id) FROM page",
      "SELECT id FROM purchase WHERE state = @state",
      "SELECT count(*) FROM use WHERE state = 'pending'",
    ]) {
      expect(findScans(db, sql), sql).toHaveLength(1);
    }
  });
});
