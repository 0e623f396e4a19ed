/** Who reads beside a writer: each piece of work sees one state, writes nothing, and cannot hold the others up for long. */
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { Snapshots } from "../../src/ledger/snapshots.ts";
import { PLACES } from "../../src/ledger/sqlite/thread/snapshot-ledger.ts";
import { createSnapshots } from "../../src/ledger/sqlite/thread/snapshots.ts";
import { createFakeClock, type FakeClock } from "../doubles/fake-clock.ts";
import { toSpec } from "../doubles/ledger-steps.ts";
import { openTempLedger, type TempLedger } from "../doubles/temp-ledger.ts";

const LONGEST_MS = 5_000;
const IDLE_MS = 60_000;

let temp: TempLedger;
let clock: FakeClock;
let snapshots: Snapshots;
/** The threads that were started. */
let threads: number;

beforeEach(async () => {
  temp = await openTempLedger();
  clock = createFakeClock();
  snapshots = createSnapshots(temp.path, clock);
  threads = 0;
  const count = () => {
    threads += 1;
  };
  process.on("worker", count);
  onTestFinished(() => {
    process.off("worker", count);
  });
});

afterEach(() => snapshots.close());

const has = (ledger: Ledger, runId: string) =>
  ledger.readRun(runId).then(
    () => true,
    () => false,
  );
const sees = (runId: string) => snapshots.read((ledger) => has(ledger, runId));
const addRun = (runId: string) => temp.ledger.createRun(toSpec({ runId }));

it("sees one state of the ledger in all calls of a piece of work, and the next one in the next", async () => {
  await addRun("run_1");
  const seen = await snapshots.read(async (ledger) => {
    const before = await has(ledger, "run_1");
    await addRun("run_2");
    return { before, after: await has(ledger, "run_2") };
  });
  expect(seen).toEqual({ before: true, after: false });
  expect(await sees("run_2")).toBe(true);
  expect(threads).toBe(1);
});

it("cannot write", async () => {
  await expect(snapshots.read((ledger) => ledger.createRun(toSpec({ runId: "run_1" })))).rejects.toThrow();
  expect(await sees("run_1")).toBe(false);
});

it("goes on after work that failed, in the same thread and with a new state", async () => {
  await expect(snapshots.read((ledger) => ledger.readRun("run_none"))).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
  await addRun("run_1");
  expect(await sees("run_1")).toBe(true);
  expect(threads).toBe(1);
});

it("ends work that takes too long, with the state that it saw", async () => {
  await addRun("run_1");
  let isReading = () => {};
  const reading = new Promise<void>((resolve) => {
    isReading = resolve;
  });
  const slow = snapshots.read(async (ledger) => {
    await ledger.hasRuns();
    isReading();
    return new Promise<never>(() => {});
  });
  const refused = expect(slow).rejects.toMatchObject({ code: "SERVICE_BUSY" });
  await reading;
  // It holds up nobody else.
  expect(await sees("run_1")).toBe(true);
  clock.advance(LONGEST_MS);
  await refused;
  await addRun("run_2");
  expect(await Promise.all(Array.from({ length: 2 * PLACES }, () => sees("run_2")))).toEqual(
    Array(2 * PLACES).fill(true),
  );
  expect(threads).toBe(1);
});

it("refuses more work than can wait", async () => {
  const all = await Promise.allSettled(Array.from({ length: 70 }, () => sees("run_1")));
  const refused = all.filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(6);
  expect(refused[0]).toMatchObject({ reason: { code: "SERVICE_BUSY" } });
});

it("ends its thread when nobody has read for a while, and starts another one then", async () => {
  await sees("run_1");
  clock.advance(IDLE_MS - 1);
  await sees("run_1");
  clock.advance(IDLE_MS - 1);
  await sees("run_1");
  expect(threads).toBe(1);
  clock.advance(IDLE_MS);
  await sees("run_1");
  expect(threads).toBe(2);
});

it("says why there is nothing to read", async () => {
  const missing = createSnapshots(`${temp.path}-none`, clock);
  onTestFinished(() => missing.close());
  await expect(missing.read((ledger) => ledger.hasRuns())).rejects.toMatchObject({
    code: expect.stringMatching(/^LEDGER_/),
  });
});
