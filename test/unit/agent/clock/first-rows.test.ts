/** The newest rows as evidence about a clock: what a wrong clock wrote meanwhile proves nothing. */
import { expect, it } from "vitest";
import { createFirstRows } from "../../../../src/agent/clock/first-rows.ts";
import type { Ledger } from "../../../../src/ledger/ledger.ts";
import type { ClockWord } from "../../../../src/time/clock-judgement.ts";

const HOUR_MS = 3_600_000;
const AHEAD_MS = 960 * HOUR_MS;
const BEGAN = Date.UTC(2026, 10, 19);

function open(at: number | null) {
  const known = { at, word: null as ClockWord | null, now: BEGAN, elapsed: 7 };
  const ledger = {
    readLatestInstant: async () => known.at,
    readClockWord: async () => known.word,
  } as unknown as Ledger;
  const clock = { now: () => known.now, elapsed: () => known.elapsed, sleep: async () => {} };
  const rows = createFirstRows();
  return { known, read: async () => (await rows.read(clock, ledger)).latestAt };
}

it.each([BEGAN, null])(
  "rows that come by a clock that was set meanwhile prove nothing (rows at first: %s)",
  async (at) => {
    const { known, read } = open(at);
    expect(await read()).toBe(at);
    Object.assign(known, { at: BEGAN + AHEAD_MS, now: BEGAN + AHEAD_MS, elapsed: 7 + HOUR_MS });
    expect(await read()).toBe(BEGAN + HOUR_MS);
  },
);

it("rows that come with the time count", async () => {
  const { known, read } = open(BEGAN - HOUR_MS);
  await read();
  Object.assign(known, { at: BEGAN + 40 * HOUR_MS, elapsed: 7 + 41 * HOUR_MS });
  expect(await read()).toBe(BEGAN + 40 * HOUR_MS);
});

it("after a person's word, what the rows say then counts", async () => {
  const { known, read } = open(BEGAN);
  await read();
  Object.assign(known, { at: BEGAN + AHEAD_MS, word: { at: BEGAN + AHEAD_MS, gatewayAt: null } });
  expect(await read()).toBe(BEGAN + AHEAD_MS);
});
