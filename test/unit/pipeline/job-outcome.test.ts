import { describe, expect, it } from "vitest";
import { toProcessor } from "../../../jobs/outcome.ts";
import { LicetError } from "../../../src/errors.ts";
import { createInFlightRegistry } from "../../../src/pipeline/work/in-flight-jobs.ts";
import type { LeaseJob } from "../../../src/queue/queue.ts";
import { createFakeClock } from "../../doubles/fake-clock.ts";

const JOB: LeaseJob = { stage: "acquire", leaseId: "1.1" };
const NEVER = new AbortController().signal;

function open() {
  const stop = new AbortController();
  const failures: LicetError[] = [];
  const inFlight = createInFlightRegistry(createFakeClock());
  return {
    stop,
    failures,
    inFlight,
    context: { stop: stop.signal, inFlight, onFailure: (e: LicetError) => failures.push(e) },
  };
}

describe("the outcome of a job", () => {
  it("is done when the stage ends, and the in-flight jobs count its begin and its end", async () => {
    const { context, inFlight } = open();
    const seen: string[][] = [];
    const process = toProcessor(context, async () => {
      seen.push([...inFlight.active]);
    });
    expect(await process(JOB, NEVER)).toEqual("done");
    expect(seen).toEqual([["1.1"]]);
    expect(inFlight.active.size).toBe(0);
    expect(inFlight.takeEnded()).toEqual(["1.1"]);
  });

  it.each(["GATEWAY_UNAUTHORIZED", "GATEWAY_UNREACHABLE", "GATEWAY_FAILED", "LEDGER_LOCKED", "USAGE_INVALID"] as const)(
    "is a drop for the operating error %s, which is reported to the run",
    async (code) => {
      const { context, failures, inFlight } = open();
      const error = new LicetError(code, "no");
      const process = toProcessor(context, () => Promise.reject(error));
      expect(await process(JOB, NEVER)).toEqual("drop");
      expect(failures).toEqual([error]);
      expect(inFlight.takeEnded()).toEqual(["1.1"]);
    },
  );

  it("throws a bug on, and the job has ended in any case", async () => {
    const { context, failures, inFlight } = open();
    const process = toProcessor(context, () => Promise.reject(new Error("bug: impossible")));
    await expect(process(JOB, NEVER)).rejects.toThrow("impossible");
    expect(failures).toEqual([]);
    expect(inFlight.active.size).toBe(0);
  });

  it("drops a job that is delivered again while it is active here, without ending the first", async () => {
    const { context, inFlight } = open();
    let finish = () => {};
    let begun = 0;
    const process = toProcessor(context, () => {
      begun++;
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    const first = process(JOB, NEVER);
    expect(await process(JOB, NEVER)).toEqual("drop");
    expect([...inFlight.active]).toEqual(["1.1"]);
    finish();
    expect(await first).toEqual("done");
    expect(begun).toBe(1);
  });

  it.each(["run", "queue"])("aborts the stage's signal when the %s stops", async (who) => {
    const { context, stop } = open();
    const queue = new AbortController();
    let heard = false;
    const process = toProcessor(context, async (_job, signal) => {
      (who === "run" ? stop : queue).abort();
      heard = signal.aborted;
    });
    await process(JOB, queue.signal);
    expect(heard).toBe(true);
  });
});
