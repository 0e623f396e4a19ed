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

const TERMS = { limits: { leaseMs: 60_000, batchAttempts: 1 } };

/** A batch to buy without a page. */
function acquireOf(isFinished: boolean) {
  const called: string[] = [];
  const answer = (name: string, value: unknown) => async () => {
    called.push(name);
    return value;
  };
  const { work } = attach({
    beginJob: answer("beginJob", { stage: "acquire", terms: TERMS, opened: { purchases: [], attempt: 1 } }),
    finishAcquireBatch: answer("finishAcquireBatch", isFinished),
    returnBatch: answer("returnBatch", true),
    endJob: answer("endJob", undefined),
  } as Partial<WorkerPort>);
  const done = work.processors.acquire({ stage: "acquire", leaseId: "1.1" }, new AbortController().signal);
  return { called, done };
}

test("a job ends with the call that ends its batch, and needs no other one", async () => {
  const { called, done } = acquireOf(true);
  expect(await done).toBe("done");
  expect(called).toEqual(["beginJob", "finishAcquireBatch"]);
});

test("a job whose batch is not finished is ended by a call", async () => {
  const { called, done } = acquireOf(false);
  expect(await done).toBe("done");
  expect(called).toEqual(["beginJob", "finishAcquireBatch", "returnBatch", "endJob"]);
});
