import { expect, test } from "vitest";
import { LicetError } from "../../../src/errors.ts";
import { untilReached } from "../../../src/worker/until-reached.ts";
import { createFakeClock } from "../../doubles/fake-clock.ts";

const UNREACHABLE = new LicetError("SERVICE_UNREACHABLE", "no answer in time", { details: { url: "http://a" } });
const REFUSED = new LicetError("WORKER_VERSION", "another version", { details: { worker: "2", service: "1" } });
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Fails so many times, and then answers. */
function reach(failures: number, { isOver = (): boolean => false, error = UNREACHABLE as LicetError } = {}) {
  const clock = createFakeClock();
  const stop = new AbortController();
  const said: string[] = [];
  let calls = 0;
  const log = { info: (line: string) => said.push(line), warn: (line: string) => said.push(line) };
  const reaching = { clock, random: () => 0.5, log, stop: stop.signal, what: "the service", isOver };
  const end = untilReached(reaching, async () => {
    calls += 1;
    if (calls <= failures) {
      throw error;
    }
    return "answer";
  });
  return { clock, stop, said, end, calls: () => calls };
}

test("what does not answer is called again after a pause, and that is said once", async () => {
  const { clock, end, said, calls } = reach(3);
  expect(await clock.drive(end, () => true)).toBe("answer");
  expect(calls()).toBe(4);
  expect(said).toEqual([
    "no answer in time. The worker waits for it, and tries again by itself",
    "the service answers",
  ]);
});

test("what a retry cannot mend is thrown", async () => {
  const { end, calls } = reach(1, { error: REFUSED });
  await expect(end).rejects.toBe(REFUSED);
  expect(calls()).toBe(1);
});

test("a worker that is told to stop waits no longer, if nothing keeps it", async () => {
  let isOver = false;
  const { clock, stop, end, calls } = reach(Number.POSITIVE_INFINITY, { isOver: () => isOver });
  await turn();
  isOver = true;
  stop.abort();
  expect(clock.sleeping).toBe(0);
  expect(await end).toBeNull();
  expect(calls()).toBe(1);
});

test("a worker that is told to stop, and has something to bring first, pauses between its calls", async () => {
  const { clock, stop, end, calls } = reach(5);
  await turn();
  stop.abort();
  for (let waited = 0; waited < 20; waited += 1) {
    await turn();
  }
  expect(calls()).toBe(2);
  expect(await clock.drive(end, () => true)).toBe("answer");
});
