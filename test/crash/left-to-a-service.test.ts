/** What real processes leave when they are killed, beside a service that goes on with it: under its own limits, once, and no more of it. */
import Database from "better-sqlite3";
import { afterEach, expect, test, vi } from "vitest";
import { newsSite, ONE_PRICE } from "../doubles/cli-world.ts";
import { compareAccounts } from "../doubles/compare-accounts.ts";
import { PATIENCE } from "../doubles/patience.ts";
import { killAt } from "./crash-order.ts";
import { CRASH_TIMEOUT_MS, type CrashWorld, createCrashWorld } from "./crash-world.ts";

vi.setConfig({ testTimeout: CRASH_TIMEOUT_MS });

const PAGES = 30;
const HOSTS = ["news.example", "shop.example", "third.example"];
let world: CrashWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

async function open(schedule?: string) {
  world = await createCrashWorld({
    sandbox: {
      sites: HOSTS.map((host) => ({ ...newsSite(PAGES), host })),
      rates: ONE_PRICE,
      latencyMs: 10,
    },
    config: {
      gateway: { concurrency: 3, quoteBatchSize: 5, catalogPageSize: 10 },
      serve: { port: 0 },
      sites: HOSTS.map((host) => ({ host, policy: "standard", ...(schedule === undefined ? {} : { schedule }) })),
    },
  });
  const opened = world;
  const serve = async () => {
    const service = opened.start(["serve", "--debug"]);
    await service.waitFor(/the service listens on/);
    return service;
  };
  const chargesOf = (host: string) =>
    opened.sandbox.audit().charges.filter(({ url }) => new URL(url).host === host).length;
  return { ...opened, serve, chargesOf };
}

function query(ledgerFile: string, sql: string): unknown[] {
  const database = new Database(ledgerFile, { readonly: true });
  try {
    return database.prepare(sql).pluck().all();
  } finally {
    database.close();
  }
}

test("a killed fetch is only finished: no page of its site is bought that it did not ask for", async () => {
  const { serve, start, ledgerFile, sandbox, expectMatchingAccounts } = await open();
  const service = await serve();
  const wanted = [0, 1, 2].map((number) => `https://news.example/articles/${String(number).padStart(7, "0")}`);
  const killed = await start(["fetch", ...wanted], killAt("startPurchase", "committed", 2)).result;
  expect(killed.signal, killed.stderr).toBe("SIGKILL");
  await service.waitFor(/run \S+ \(fetch\) was left/);
  await vi.waitFor(() => expect(query(ledgerFile, "SELECT state FROM run")).toEqual(["cancelled"]), PATIENCE);
  service.child.kill("SIGTERM");
  await service.result;
  expect(sandbox.audit().charges.length).toBeLessThanOrEqual(wanted.length);
  expect(query(ledgerFile, "SELECT 1 FROM purchase WHERE ended_at IS NULL")).toEqual([]);
  await expectMatchingAccounts({ charges: sandbox.audit().charges.length });
});

test("two runs that die together go on as themselves, each under its own limit", async () => {
  const { serve, start, chargesOf, expectMatchingAccounts } = await open();
  const runs = [
    ["run", "news.example", "--max-spend", "0.06 USD"],
    ["run", "shop.example"],
  ];
  const killed = await Promise.all(runs.map((args) => start(args, killAt("startPurchase", "committed", 3)).result));
  expect(killed.map(({ signal }) => signal)).toEqual(["SIGKILL", "SIGKILL"]);
  const service = await serve();
  await service.waitFor(/run \S+ ended: max_spend/);
  await service.waitFor(/run \S+ ended: completed/);
  service.child.kill("SIGTERM");
  await service.result;
  expect([chargesOf("news.example"), chargesOf("shop.example")]).toEqual([6, PAGES]);
  await expectMatchingAccounts({ charges: 6 + PAGES });
});

test("several slots at work when the service is killed have one run each", async () => {
  const { serve, ledgerFile, sandbox, chargesOf, here } = await open("*/3 * * * * *");
  const killed = await serve();
  await vi.waitFor(() => expect(HOSTS.every((host) => chargesOf(host) > 0)).toBe(true), PATIENCE);
  killed.child.kill("SIGKILL");
  await killed.result;
  const next = await serve();
  const atDeath = query(ledgerFile, "SELECT name FROM run WHERE died_at IS NOT NULL OR state = 'running'");
  expect(atDeath.length).toBeGreaterThan(0);
  await vi.waitFor(() => expect(HOSTS.map(chargesOf)).toEqual(HOSTS.map(() => PAGES)), PATIENCE);
  next.child.kill("SIGTERM");
  await next.result;
  const ofSlots = query(ledgerFile, "SELECT count(DISTINCT run_id) FROM slot WHERE run_id IS NOT NULL");
  expect(query(ledgerFile, "SELECT count(*) FROM run WHERE started_by = 'schedule'")).toEqual(ofSlots);
  const rules = { extraCharges: new Map(), areDoubtsCharged: true };
  expect(compareAccounts(sandbox, ledgerFile, rules)).toEqual([]);
  expect((await here("audit")).code).toBe(0);
});
