/**
 * `kill -9` at every step: each method of the ledger that writes, before its call, before and after its COMMIT, and after its answer;
 * each call to the gateway before it, on its way, and after it. Every process of a world dies at a step of its own and the next one
 * resumes; the last one ends the run, and everything is compared. A step that a process does not reach is a failure too.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { FaultSettings } from "../../src/sandbox/faults/faults.ts";
import { newsSite, ONE_PRICE } from "../doubles/cli-world.ts";
import { findRedisProblem, type RedisServer, startRedisServer } from "../doubles/redis-server.ts";
import { GATEWAY_MOMENTS, killAt, LEDGER_MOMENTS } from "./crash-order.ts";
import { CRASH_TIMEOUT_MS, type CrashWorld, createCrashWorld } from "./crash-world.ts";
import { chooseHalf, chooseOne, KILL_SEED, KILLS_WANTED } from "./kill-seed.ts";

vi.setConfig({ testTimeout: CRASH_TIMEOUT_MS });

interface Step {
  readonly name: string;
  readonly nth?: number;
  /** What the gateway does meanwhile, to bring the process to this step. */
  readonly faults?: FaultSettings;
  readonly limits?: Readonly<Record<string, number>>;
  /** Instead of `run`. */
  readonly args?: readonly string[];
}

const GATEWAY_CALLS: ReadonlySet<string> = new Set([
  "listCatalog",
  "quoteBatch",
  "issueContentToken",
  "issueIndexingToken",
  "fetchContent",
  "reportUsage",
]);

/** In the order of a page's way, so that each process gets as far as its own step. */
const WAY_OF_A_PAGE: readonly Step[] = [
  { name: "beginRun" },
  { name: "leaseBatches" },
  { name: "listCatalog" },
  { name: "recordCatalogPage" },
  { name: "quoteBatch" },
  { name: "beginRun" },
  { name: "decide" },
  { name: "issueContentToken", nth: 3 },
  { name: "startPurchase", nth: 2 },
  { name: "fetchContent", nth: 4 },
  { name: "settlePurchase", nth: 2 },
  { name: "finishAcquireBatch" },
  { name: "renewLease", limits: { leaseMs: 30 } },
  { name: "leaseFlusher" },
  { name: "renewFlusher" },
  { name: "freezeReport" },
  { name: "recordAttempt" },
  { name: "reportUsage" },
  { name: "settleReport" },
  { name: "releaseFlusher" },
  { name: "endRun" },
];

/** What a gateway's failures, a plan and an operator bring a ledger to. */
const WAY_OF_TROUBLE: readonly Step[] = [
  // Only a run makes a ledger: without one a plan works in memory, where nothing outlives it.
  { name: "beginRun" },
  // The next run clears a dead plan away as soon as its leases are over.
  { name: "discardPlan", args: ["plan"], limits: { leaseMs: 200 } },
  { name: "decide", args: ["plan"], limits: { leaseMs: 200 } },
  { name: "stopSite", faults: { "catalog:status-503": 1 }, limits: { batchAttempts: 1 } },
  { name: "returnBatch", faults: { "bulk:status-503": 1 } },
  { name: "releasePurchase", nth: 2, faults: { "token:token-500": 1 } },
  { name: "holdInDoubt", nth: 2, faults: { "content:reset-after-charge": 1 } },
  { name: "recordMarkdown", nth: 2 },
  { name: "postponeReport", faults: { "report:status-503": 1 } },
];

/** By themselves: a process that dies at another step may lose the refusal of the report that is on its way just then. */
const WAY_OF_A_REFUSAL: readonly Step[] = [
  { name: "rejectReport" },
  { name: "postponeReport", faults: { "report:status-503": 1 } },
];

const WAY_OF_AN_INDEX: readonly Step[] = [
  { name: "issueIndexingToken", nth: 2 },
  { name: "renewIndexingToken", nth: 2, faults: { "content:reset-before": 1 } },
];

const WAY_OF_A_CUT_WALK: readonly Step[] = [
  { name: "recordCatalogPage", nth: 2 },
  { name: "endWalk", faults: { "catalog:status-503": 1 }, limits: { batchAttempts: 1 } },
];

/** `after` finds on disk what `committed` does: only the long loop tries it too. */
const MOMENTS = KILLS_WANTED === null ? LEDGER_MOMENTS.slice(0, -1) : LEDGER_MOMENTS;
/** For worlds whose steps are all killed at the same moment. */
const SIDES_OF_A_COMMIT = LEDGER_MOMENTS.slice(1, 3);
const PAGES = 36;
const CATALOG_PAGE = 9;
const problem = findRedisProblem();

let world: CrashWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

interface OpenOptions {
  /** @default "embedded" */
  readonly queueUrl?: string;
  readonly policy?: object;
  /** Fewer than a report's 7 has the gateway refuse reports, which are halved. @default 7 */
  readonly maxUsageEntries?: number;
}

async function open({
  queueUrl = "embedded",
  policy = {},
  maxUsageEntries = 7,
}: OpenOptions = {}): Promise<CrashWorld> {
  world = await createCrashWorld({
    sandbox: { sites: [newsSite(PAGES)], rates: ONE_PRICE, latencyMs: 6, maxUsageEntries },
    config: {
      queue: { url: queueUrl },
      gateway: { concurrency: 4, quoteBatchSize: 6, catalogPageSize: CATALOG_PAGE },
      reporting: { batchSize: 7 },
      policies: { standard: { rules: [{ allow: {} }], ...policy } },
    },
  });
  return world;
}

/** One process a step, each killed there, at the moment that is `momentOf` its index. */
async function walkThrough(
  steps: readonly Step[],
  momentOf: (index: number) => number,
  { sandbox, crawl, start }: CrashWorld,
) {
  for (const [index, { name, nth = 1, faults = {}, limits = {}, args }] of steps.entries()) {
    const moments = GATEWAY_CALLS.has(name) ? GATEWAY_MOMENTS : LEDGER_MOMENTS;
    const at = moments[momentOf(index) % moments.length] ?? "before";
    sandbox.setFaults(faults);
    const order = { ...killAt(name, at, nth), limits };
    const { signal, stderr, stdout } = args === undefined ? await crawl(order) : await start(args, order).result;
    expect(signal, `${name} (${at}) was not reached:\n${stdout}\n${stderr}`).toBe("SIGKILL");
  }
  sandbox.setFaults({});
}

/** Every step of a page's way at a moment of its own: in as many turns as there are moments, each step is killed at each. */
const TURNS = chooseOne(MOMENTS.map((_, turn) => turn));
const momentInTurn = (turn: number) => (index: number) => (turn + index) % MOMENTS.length;

/** The embedded queue ends with its process. On Redis, the queue of a killed process stays until that process counts as dead. */
const QUEUES = problem === null ? ["embedded", "redis"] : ["embedded"];
/** Of so many steps of the way, one on the one queue, and the next one on the other queue; the seed decides which. */
const PITCH = 10;
const PARTS = QUEUES.flatMap((queue, at) =>
  Array.from({ length: PITCH }, (_, first) => first)
    .filter((first) => KILLS_WANTED !== null || first === (KILL_SEED + at) % PITCH)
    .map((first) => ({ queue, first })),
);
/** The run that makes the ledger, and every second step. */
const TROUBLE = [...WAY_OF_TROUBLE.slice(0, 1), ...chooseHalf(WAY_OF_TROUBLE.slice(1))];

const without = problem === null ? "" : `, without Redis: ${problem}`;

describe(`killed at every step (LICET_KILL_SEED=${KILL_SEED}${without})`, () => {
  let redis: RedisServer | null = null;
  beforeAll(async () => {
    redis = problem === null ? await startRedisServer() : null;
  });
  afterAll(async () => {
    await redis?.stop();
  });

  describe.each(PARTS)(
    `on the way of a page, at one of ${PITCH} steps (from $first, on $queue)`,
    ({ queue, first }) => {
      test.each(TURNS)(
        "(turn %i) a run resumes to its end: every page is bought once and reported once",
        async (turn) => {
          const opened = await open({ queueUrl: queue === "redis" ? (redis?.url ?? "") : queue });
          const steps = WAY_OF_A_PAGE.filter((_, index) => index % PITCH === first);
          await walkThrough(steps, momentInTurn(turn), opened);
          await opened.settle({ charges: PAGES });
        },
      );
    },
  );

  test.each(chooseOne(SIDES_OF_A_COMMIT))(
    "on the way of trouble (%s), a run resumes to its end: what was released was not charged, what is in doubt was",
    async (at) => {
      const opened = await open({ policy: { format: "both" } });
      await walkThrough(TROUBLE, () => LEDGER_MOMENTS.indexOf(at), opened);
      await opened.settle({ charges: null });
    },
  );

  // A report whose refusal was lost may have been taken: no later refusal halves it, so it stays for a person (`classifyRefusal`).
  test("when the refusal of a report is on disk, a run resumes to its end: its halves are reported", async () => {
    const opened = await open({ maxUsageEntries: 5 });
    await walkThrough(WAY_OF_A_REFUSAL, () => LEDGER_MOMENTS.indexOf("committed"), opened);
    await opened.settle({ charges: PAGES });
  });

  test.each(chooseOne(SIDES_OF_A_COMMIT))(
    "while indexing (%s), a run resumes to its end: every page is held and none was charged",
    async (at) => {
      const opened = await open({ policy: { intent: "indexing" } });
      await walkThrough(WAY_OF_AN_INDEX, () => LEDGER_MOMENTS.indexOf(at), opened);
      expect((await opened.settle({ charges: 0 })).code).toBe(0);
    },
  );

  test("while a walk is interrupted, a run resumes to its end with the pages that were found", async () => {
    const opened = await open();
    await walkThrough(WAY_OF_A_CUT_WALK, () => LEDGER_MOMENTS.indexOf("committed"), opened);
    await opened.settle({ charges: 2 * CATALOG_PAGE });
  });

  test.each(chooseOne(SIDES_OF_A_COMMIT))("while a use is recorded (%s), it is reported once", async (moment) => {
    const opened = await open();
    await opened.resume();
    const url = opened.sandbox.audit().charges[0]?.url ?? "";
    const use = ["use", url, "--times", "3", "--key", "once"];
    expect((await opened.start(use, killAt("recordUses", moment)).result).signal).toBe("SIGKILL");
    expect((await opened.here(...use)).code).toBe(0);
    expect((await opened.start(["report"], killAt("settleReport", moment)).result).signal).toBe("SIGKILL");
    await opened.settle({ charges: PAGES, uses: { [url]: 3 } });
  });
});
