import { expect, it } from "vitest";
import type { ServiceLog } from "../../../../src/serve/log/service-log.ts";
import { type StopStep, stopInTime } from "../../../../src/serve/process/stop-service.ts";
import { createFakeClock } from "../../../doubles/fake-clock.ts";

function createStop(withinMs = 10_000) {
  const clock = createFakeClock();
  const lines: string[] = [];
  const order: string[] = [];
  const log: ServiceLog = { debug: () => {}, info: () => {}, warn: (message) => void lines.push(message) };
  const step = (name: string, work: StopStep["work"] = async () => {}): StopStep => ({
    name,
    work: async (signal) => {
      order.push(name);
      await work(signal);
    },
  });
  const stop = (steps: Parameters<typeof stopInTime>[1]) => stopInTime({ clock, log, withinMs }, steps);
  return { clock, lines, order, step, stop };
}

const never = () => new Promise<never>(() => {});
const settle = () => new Promise((resolve) => setImmediate(resolve));

it("begins the working steps together, and the closing steps one after the other when the work has ended", async () => {
  const { order, step, stop } = createStop();
  let end = () => {};
  const runs = step("runs", () => new Promise<void>((resolve) => (end = resolve)));
  const stopped = stop({
    working: [runs, step("schedules")],
    closing: [step("http", () => settle() as Promise<void>), step("ledger")],
  });
  await settle();
  expect(order).toEqual(["runs", "schedules"]);
  end();
  expect(await stopped).toEqual([]);
  expect(order).toEqual(["runs", "schedules", "http", "ledger"]);
});

it("leaves a step that hangs, with its name, and has time for closing all the same", async () => {
  const { clock, lines, order, step, stop } = createStop(10_000);
  const stopped = stop({ working: [step("runs", never), step("reports")], closing: [step("http"), step("ledger")] });
  await settle();
  clock.advance(7_499);
  await settle();
  expect(order).not.toContain("http");
  clock.advance(1);
  expect(await stopped).toEqual(["runs"]);
  expect(order).toEqual(["runs", "reports", "http", "ledger"]);
  expect(lines).toEqual(["stopping: runs did not end in time; the next service continues"]);
});

it("ends in time when a closing step hangs too, and names only what was begun", async () => {
  const { clock, step, stop } = createStop(10_000);
  const stopped = stop({ working: [], closing: [step("http", never), step("ledger")] });
  await settle();
  clock.advance(2_000);
  expect(await stopped).toEqual(["http"]);
});

it("aborts the signal of a step when its time is over, and takes what it then does at once", async () => {
  const { clock, step, stop } = createStop();
  const reports = step("reports", (signal) => new Promise((resolve) => signal.addEventListener("abort", resolve)));
  const stopped = stop({ working: [reports], closing: [] });
  await settle();
  clock.advance(7_500);
  expect(await stopped).toEqual([]);
});

it("logs a step that fails, and goes on", async () => {
  const { lines, order, step, stop } = createStop();
  const fails = step("runs", async () => {
    throw new Error("no disk");
  });
  expect(await stop({ working: [fails], closing: [step("ledger")] })).toEqual([]);
  expect(lines).toEqual(["stopping: runs failed: no disk"]);
  expect(order).toEqual(["runs", "ledger"]);
});
