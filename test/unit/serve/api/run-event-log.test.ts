import { expect, it } from "vitest";
import { EventBus } from "../../../../src/agent/events/events.ts";
import { createRunEventLogs } from "../../../../src/serve/api/run-event-log.ts";
import type { LiveRun, RunEnd } from "../../../../src/serve/runs/run-manager.ts";

function createRuns() {
  const started: ((run: LiveRun) => void)[] = [];
  let now = 0;
  const findLog = createRunEventLogs(
    {
      onStart: (listener) => {
        started.push(listener);
        return () => {};
      },
    },
    { now: () => ++now },
  );
  return {
    findLog,
    start: (runId: string) => {
      let end: (end: RunEnd) => void = () => {};
      const ended = new Promise<RunEnd>((resolve) => {
        end = resolve;
      });
      const events = new EventBus();
      const run: LiveRun = { runId, hosts: [], trigger: "manual", events, ended, stop: () => {} };
      for (const listener of started) {
        listener(run);
      }
      return { events, end: () => end({ kind: "failed", error: new Error("ended") }) };
    },
  };
}

const warn = (events: EventBus, count: number) => {
  for (let index = 1; index <= count; index++) {
    events.emit("warning", { message: `warning ${index}` });
  }
};

it("keeps the last thousand events, and gives those after one", () => {
  const { findLog, start } = createRuns();
  const { events } = start("run_a");
  const log = findLog("run_a");
  expect(log?.after(null)).toEqual([]);
  warn(events, 2_500);
  const kept = log?.after(null) ?? [];
  expect(kept).toHaveLength(1_000);
  expect(kept.at(0)).toMatchObject({ name: "warning", data: { message: "warning 1501" } });
  expect(kept.at(-1)).toMatchObject({ data: { message: "warning 2500" } });
  expect(log?.after(kept.at(-3)?.id ?? "")).toEqual(kept.slice(-2));
  expect(log?.after(kept.at(-1)?.id ?? "")).toEqual([]);
});

it("gives all events of a resumed run to who has seen events of before", async () => {
  const { findLog, start } = createRuns();
  const first = start("run_a");
  warn(first.events, 7);
  const seen = findLog("run_a")?.after(null).at(-1)?.id ?? "";
  first.end();
  const second = start("run_a");
  warn(second.events, 3);
  await Promise.resolve();
  expect(findLog("run_a")?.after(seen)).toHaveLength(3);
});

it("tells listeners what comes, until they leave, and forgets a run that has ended", async () => {
  const { findLog, start } = createRuns();
  const { events, end } = start("run_a");
  const heard: string[] = [];
  const leave = findLog("run_a")?.listen(({ id }) => heard.push(id));
  warn(events, 2);
  events.emit("gateway.request", {} as never);
  leave?.();
  warn(events, 1);
  expect(heard).toHaveLength(2);
  end();
  await expect.poll(() => findLog("run_a")).toBeNull();
});
