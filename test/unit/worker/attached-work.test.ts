import { expect, test } from "vitest";
import { LicetError } from "../../../src/errors.ts";
import { systemClock } from "../../../src/time/clock.ts";
import { attachWork } from "../../../src/worker/attached-work.ts";
import type { WorkerTools } from "../../../src/worker/worker-deps.ts";
import type { WorkerPort } from "../../../src/worker/worker-port.ts";

const UNREACHABLE = new LicetError("SERVICE_UNREACHABLE", "no answer in time", { details: { url: "http://a" } });

function attach(port: Partial<WorkerPort>) {
  const lost: unknown[] = [];
  const work = attachWork({
    work: "work",
    tools: { port, clock: systemClock } as WorkerTools,
    toOperating: () => UNREACHABLE,
    onLost: (error) => lost.push(error),
  });
  const quote = () => work.processors.quote({ stage: "quote", leaseId: "1.1" }, new AbortController().signal);
  return { work, lost, quote };
}

test("a call that was given up says that nobody knows of the job, and the job is dropped", async () => {
  const { work, lost, quote } = attach({ beginJob: () => Promise.reject(UNREACHABLE) });
  expect(await quote()).toBe("drop");
  expect(lost).toEqual([UNREACHABLE]);
  expect(work.jobs).toBe(0);
});

test("a job counts from before it begins, so that no worker leaves with one", async () => {
  let answer: (begun: null) => void = () => {};
  const { work, lost, quote } = attach({
    beginJob: () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  });
  const done = quote();
  expect(work.jobs).toBe(1);
  answer(null);
  expect(await done).toBe("drop");
  expect([work.jobs, lost]).toEqual([0, []]);
});
