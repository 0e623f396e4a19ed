/** The wall clock is set wrong, or set right, during a run: by an hour in both directions, between two processes, and over midnight. */
import Database from "better-sqlite3";
import { afterEach, expect, test, vi } from "vitest";
import { newsSite, ONE_PRICE, PRICE_MICROS } from "../doubles/cli-world.ts";
import { PATIENCE } from "../doubles/patience.ts";
import { killAt } from "./crash-order.ts";
import { CRASH_TIMEOUT_MS, type CrashWorld, createCrashWorld, findImpoliteness } from "./crash-world.ts";
import { chooseOne, KILL_SEED } from "./kill-seed.ts";

vi.setConfig({ testTimeout: CRASH_TIMEOUT_MS });

const PAGES = 40;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** In the middle of a run: Node and the queue take most of a second to start. */
const SOON_MS = 1_500;
const LIMIT_PAGES = 12;
/** So that twelve pages, two at once, take longer than it is to midnight, however fast the machine is. */
const SLOW_MS = 150;

let world: CrashWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

async function open(budgets: readonly object[], latencyMs = 40): Promise<CrashWorld> {
  world = await createCrashWorld({
    sandbox: { sites: [newsSite(PAGES)], rates: ONE_PRICE, latencyMs },
    config: {
      gateway: { concurrency: 2, quoteBatchSize: 4, catalogPageSize: 10 },
      reporting: { batchSize: 7 },
      budgets,
    },
  });
  return world;
}

const WAYS: readonly (readonly [string, number])[] = [
  ["forth", HOUR_MS],
  ["back", -HOUR_MS],
];
/** Of no period: an hour may lie between two days, weeks or months. */
const NO_LIMIT = [{ scope: "all", per: "total", limit: "100 USD" }];

test.each(chooseOne(WAYS))(
  `an hour %s in the middle of a run changes nothing (LICET_KILL_SEED=${KILL_SEED})`,
  async (_way, byMs) => {
    const opened = await open(NO_LIMIT);
    const clock = { startMs: 0, jumps: [{ afterMs: SOON_MS, byMs }] };
    const result = await opened.crawl({ clock });
    expect(findImpoliteness(result)).toEqual([]);
    expect(result.code, result.stderr).toBe(0);
    await opened.expectMatchingAccounts({ charges: PAGES });
  },
);

test.each(chooseOne(WAYS))(
  `an hour %s between a killed process and the next delays nothing, also with leases of the dead process (LICET_KILL_SEED=${KILL_SEED})`,
  async (_way, byMs) => {
    const opened = await open(NO_LIMIT);
    await opened.crawl({ ...killAt("settlePurchase", "before", 7), clock: { startMs: -byMs, jumps: [] } });
    await opened.crawl({ ...killAt("reportUsage", "sent"), clock: { startMs: 0, jumps: [] } });
    await opened.crawl({ ...killAt("settleReport", "before"), clock: { startMs: -byMs, jumps: [] } });
    await opened.settle({ charges: PAGES });
  },
);

test("midnight in the middle of a run: no day's budget is exceeded, whichever day a page is counted in", async () => {
  const limit = `${(LIMIT_PAGES * PRICE_MICROS) / 1_000_000} USD`;
  const opened = await open([{ scope: "all", per: "day", limit }], SLOW_MS);
  const midnight = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
  const startMs = midnight - SOON_MS - Date.now();
  const result = await opened.crawl({ clock: { startMs, jumps: [] } });
  expect(result.code, result.stderr).toBe(3);
  const first = countByDay(opened.ledgerFile);
  expect(
    first.every(({ pages }) => pages <= LIMIT_PAGES),
    JSON.stringify(first),
  ).toBe(true);
  // Back to the true day: a run needs a person's word. Then its budget is as the clock left it; then two days on.
  const refused = await opened.resume();
  expect(refused.code, refused.stderr).toBe(1);
  expect(refused.stderr).toContain("--trust-clock");
  expect(countByDay(opened.ledgerFile)).toEqual(first);
  await opened.here("run", "--trust-clock");
  await opened.crawl({ clock: { startMs: 2 * DAY_MS, jumps: [] } });
  const days = countByDay(opened.ledgerFile);
  expect(
    days.every(({ pages }) => pages <= LIMIT_PAGES),
    JSON.stringify(days),
  ).toBe(true);
  await opened.expectMatchingAccounts({ charges: days.reduce((sum, { pages }) => sum + pages, 0) });
  expect(days.at(-1)?.pages).toBe(
    Math.min(LIMIT_PAGES, PAGES - days.slice(0, -1).reduce((sum, day) => sum + day.pages, 0)),
  );
});

/** Pages that count in each UTC day: those not released, by the instant of their reservation. */
function countByDay(ledgerFile: string): { day: string; pages: number }[] {
  const database = new Database(ledgerFile, { readonly: true });
  try {
    const select = database.prepare<[], { day: string; pages: number }>(
      `SELECT date(reserved_at / 1000, 'unixepoch') AS day, count(*) AS pages FROM purchase
       WHERE state <> 'released' GROUP BY 1 ORDER BY 1`,
    );
    return select.all();
  } finally {
    database.close();
  }
}

test("a service whose clock was eight hours ahead for some slots goes on with its schedules and its reports", async () => {
  const opened = await open(NO_LIMIT);
  await opened.configure({
    budgets: NO_LIMIT,
    reporting: { every: "2s" },
    serve: { port: 0 },
    sites: [{ host: "news.example", policy: "standard", schedule: "*/2 * * * * *" }],
  });
  const jumps = [
    { onSignal: 1, byMs: 8 * HOUR_MS },
    { onSignal: 2, byMs: -8 * HOUR_MS },
  ];
  const service = opened.start(["serve", "--debug"], { clock: { startMs: 0, jumps } });
  await service.waitFor(/the service listens on/);
  const countSlots = (schedule: string, since: number) => {
    const database = new Database(opened.ledgerFile, { readonly: true });
    const count = database.prepare(
      "SELECT count(*) FROM slot WHERE schedule = ? AND state = 'done' AND slot_at > ? AND slot_at < ?",
    );
    const slots = count.pluck().get(schedule, since, since + HOUR_MS);
    database.close();
    return slots;
  };
  const untilSome = async (since: number) => {
    for (const schedule of ["site:news.example", "report"]) {
      await vi.waitFor(() => expect(countSlots(schedule, since)).toBeGreaterThan(1), PATIENCE);
    }
  };
  const begin = Date.now();
  await untilSome(begin);
  service.child.kill("SIGUSR2");
  await untilSome(begin + 8 * HOUR_MS);
  service.child.kill("SIGUSR2");
  await service.waitFor(/site:news\.example: the clock was ahead when slots until/);
  await service.waitFor(/report: the clock was ahead when slots until/);
  await untilSome(Date.now());
  service.child.kill("SIGTERM");
  expect(findImpoliteness(await service.result)).toEqual([]);
  expect((await opened.here("audit")).code).toBe(0);
});
