import { expect, test } from "vitest";
import { LicetError } from "../../../src/errors.ts";
import { Silence } from "../../../src/worker/silence.ts";
import { createFakeClock } from "../../doubles/fake-clock.ts";

const LEASE_MS = 10_000;
const UNREACHABLE = new LicetError("SERVICE_UNREACHABLE", "no answer in time", { details: { url: "http://a" } });
const EXPIRED = new LicetError("WORKER_EXPIRED", "not known");

function open() {
  const clock = createFakeClock();
  const said: string[] = [];
  const log = { info: (line: string) => said.push(line), warn: (line: string) => said.push(line) };
  return { clock, said, silence: new Silence({ clock, log, random: () => 0.5 }, LEASE_MS) };
}

test("a session without an answer is over when its share is over, although its beats may have been heard", () => {
  const { clock, said, silence } = open();
  expect(silence.grow(UNREACHABLE)).toBe(false);
  clock.advance(LEASE_MS - 1);
  expect(silence.grow(UNREACHABLE)).toBe(false);
  expect(silence.beats).toBe(2);
  clock.advance(1);
  expect(silence.grow(UNREACHABLE)).toBe(true);
  expect(said).toEqual([
    "no answer in time. Without it the worker starts nothing more, and keeps what it has paid for",
    "no answer in time: this worker gives up its leases, and comes again",
  ]);
});

test("an answer begins the time anew", () => {
  const { clock, said, silence } = open();
  silence.grow(UNREACHABLE);
  clock.advance(LEASE_MS - 1);
  silence.break();
  expect([silence.beats, said.at(-1)]).toEqual([0, "the service answers again"]);
  clock.advance(LEASE_MS - 1);
  expect(silence.grow(UNREACHABLE)).toBe(false);
});

test("a session that the service does not know is over at once", () => {
  const { said, silence } = open();
  expect(silence.grow(EXPIRED)).toBe(true);
  expect(said).toEqual([expect.stringContaining("does not know this worker any more")]);
});
