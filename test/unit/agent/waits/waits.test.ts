import { beforeEach, describe, expect, test } from "vitest";
import { createWaits, type Waits } from "../../../../src/agent/waits/waits.ts";
import type { NewWait, Wait } from "../../../../src/run/wait.ts";

const AWAY: NewWait = {
  place: "gateway",
  runId: "run_1",
  code: "GATEWAY_TIMEOUT",
  message: "no answer",
  hint: null,
  until: null,
};
const PAUSE: NewWait = { ...AWAY, place: "rate_limit", code: "GATEWAY_RATE_LIMITED", until: 60_000 };

let now = 0;
let isAway = false;
let written: (readonly Wait[])[] = [];
let told: string[] = [];
let waits: Waits;

beforeEach(() => {
  now = 1_000;
  isAway = false;
  written = [];
  told = [];
  waits = createWaits({
    clock: { now: () => now },
    processes: { begin: () => "host:1:a", end: () => {} },
    ledger: async () => ({
      writeWaits: async ({ process, waits: rows }) => {
        if (isAway) {
          throw new Error("the disk is full");
        }
        expect(process).toBe("host:1:a");
        written.push(rows);
      },
    }),
  });
  waits.onChange(({ place }, isOver) => told.push(`${place} ${isOver ? "is over" : "begins"}`));
});

/** What is written is written in turns of the event loop. */
const settle = async () => {
  for (let turn = 0; turn < 10; turn++) {
    await Promise.resolve();
  }
};

describe("a wait", () => {
  test("is written when it begins and when it ends, however often it is noticed", async () => {
    for (let page = 0; page < 100; page++) {
      waits.begin(AWAY);
      await settle();
    }
    expect(written).toEqual([[{ ...AWAY, since: 1_000 }]]);
    waits.end("run_1", ["gateway"]);
    for (let page = 0; page < 100; page++) {
      waits.end("run_1", ["gateway"]);
    }
    await settle();
    expect(written).toEqual([[{ ...AWAY, since: 1_000 }], []]);
    expect(told).toEqual(["gateway begins", "gateway is over"]);
  });

  test("is of one run, and is over with it", async () => {
    waits.begin(AWAY);
    waits.begin({ ...AWAY, runId: "run_2" });
    waits.forget("run_1");
    await settle();
    expect(waits.current()).toMatchObject([{ runId: "run_2" }]);
    expect(written.at(-1)).toMatchObject([{ runId: "run_2" }]);
  });

  test("that the gateway asked for lasts until its end, also when another request is answered", async () => {
    waits.begin(PAUSE);
    now = 59_999;
    waits.end("run_1", ["gateway", "rate_limit"]);
    expect(waits.current()).toHaveLength(1);
    now = 60_000;
    waits.end("run_1", ["rate_limit"]);
    expect(waits.current()).toEqual([]);
  });

  test("whose end moves by little is not written again, and this process says what every other process says", async () => {
    waits.begin(PAUSE);
    waits.begin({ ...PAUSE, until: 61_000, message: "no answer, attempt 2" });
    await settle();
    expect(written).toEqual([[{ ...PAUSE, since: 1_000 }]]);
    expect(waits.current()).toEqual(written.at(-1));
    now = 60_999;
    waits.end("run_1", ["rate_limit"]);
    expect(waits.current()).toHaveLength(1);
    waits.begin({ ...PAUSE, until: 90_000 });
    await settle();
    expect(written).toHaveLength(2);
    expect(waits.current()).toEqual(written.at(-1));
  });

  test("whose end moves by little again and again is written when it has moved far from what was written", async () => {
    for (let until = 60_000; until <= 90_000; until += 1_000) {
      waits.begin({ ...PAUSE, until });
      await settle();
      expect(until - (written.at(-1)?.[0]?.until ?? 0)).toBeLessThan(5_000);
    }
    expect(written).toHaveLength(7);
  });

  test("for the ledger is known here although it cannot be written, and the next change is written whole", async () => {
    isAway = true;
    waits.begin({ ...AWAY, place: "disk", code: "DISK_FULL" });
    await settle();
    expect(written).toEqual([]);
    expect(waits.current()).toHaveLength(1);
    isAway = false;
    waits.begin(AWAY);
    await settle();
    expect(written.at(-1)).toHaveLength(2);
  });

  test("leaves no row when the process ends in order; a process that never waited writes nothing", async () => {
    await waits.close();
    expect(written).toEqual([]);
    waits.begin(AWAY);
    await settle();
    await waits.close();
    expect(written.at(-1)).toEqual([]);
  });
});
