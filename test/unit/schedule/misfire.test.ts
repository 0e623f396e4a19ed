import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DueQuery, findDue, MAX_COUNTED_SLOTS } from "../../../src/schedule/misfire.ts";
import { createCronSlots, createIntervalSlots } from "../../../src/schedule/slot.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOON = Date.parse("2026-11-20T12:00:00Z");

/** Due each hour. The service has run for days, and the slot of noon has its row. */
const query = (own: Partial<DueQuery> = {}): DueQuery => ({
  times: createCronSlots("0 * * * *", "UTC"),
  misfire: "once",
  after: NOON,
  now: NOON + HOUR_MS + 1_000,
  watchedSince: NOON - 100 * HOUR_MS,
  onTimeMs: MINUTE_MS,
  ...own,
});
const at = (hours: number) => NOON + hours * HOUR_MS;

describe("what is due", () => {
  it.each<[string, Partial<DueQuery>, ReturnType<typeof findDue>]>([
    ["nothing before the next slot", { now: at(1) - 1 }, null],
    ["a slot, from its instant on", { now: at(1) }, { run: at(1), missed: null }],
    ["a slot on time, also with skip", { misfire: "skip" }, { run: at(1), missed: null }],
    ["the slot that came while no service was there", { watchedSince: at(1) }, { run: at(1), missed: null }],
    [
      "not that slot with skip",
      { misfire: "skip", watchedSince: at(1) },
      { run: null, missed: { slotAt: at(1), firstAt: at(1), slots: 1 } },
    ],
    [
      "one run for all slots of a day without a service",
      { now: at(24) + 1, watchedSince: at(24) },
      { run: at(24), missed: { slotAt: at(23), firstAt: at(1), slots: 23 } },
    ],
    [
      "no run for them with skip",
      { misfire: "skip", now: at(24) + 1, watchedSince: at(24) },
      { run: null, missed: { slotAt: at(24), firstAt: at(1), slots: 24 } },
    ],
    [
      "with skip, the slot that is on time, when a machine awakes with it",
      { misfire: "skip", now: at(5) + 1_000 },
      { run: at(5), missed: { slotAt: at(4), firstAt: at(1), slots: 4 } },
    ],
    [
      "no slot of the time in which the machine was suspended, with skip",
      { misfire: "skip", now: at(5) + 2 * MINUTE_MS },
      { run: null, missed: { slotAt: at(5), firstAt: at(1), slots: 5 } },
    ],
    ["nothing when the clock was set back behind the last row", { now: NOON - HOUR_MS }, null],
  ])("is %s", (_name, own, due) => {
    expect(findDue(query(own))).toEqual(due);
  });

  it("counts the missed slots up to a limit", () => {
    const due = findDue(query({ times: createIntervalSlots(1_000), after: 0, watchedSince: NOON, now: NOON }));
    expect(due).toEqual({
      run: NOON,
      missed: { slotAt: NOON - 1_000, firstAt: 1_000, slots: MAX_COUNTED_SLOTS },
    });
  });

  it("loses no slot and runs none twice, however the clock and the service come and go", () => {
    fc.assert(
      fc.property(
        fc.constantFrom<DueQuery["misfire"]>("once", "skip"),
        fc.array(fc.tuple(fc.integer({ min: -3, max: 20 }), fc.boolean()), { minLength: 1, maxLength: 30 }),
        (misfire, moves) => {
          const times = createIntervalSlots(10 * MINUTE_MS);
          const rows: { readonly firstAt: number; readonly slotAt: number; readonly slots: number }[] = [];
          let now = NOON;
          let watchedSince = NOON;
          for (const [steps, restarts] of moves) {
            now += steps * 3 * MINUTE_MS;
            watchedSince = restarts ? now : Math.min(watchedSince, now);
            // As the ledger finds it: a row of missed slots begins with the first of them.
            const begun = rows.filter(({ firstAt }) => firstAt <= now).map(({ slotAt }) => slotAt);
            const due = findDue(query({ times, misfire, after: Math.max(NOON, ...begun), now, watchedSince }));
            const run = due?.run ?? null;
            rows.push(
              ...(run === null ? [] : [{ firstAt: run, slotAt: run, slots: 1 }]),
              ...(due?.missed === null || due === null ? [] : [due.missed]),
            );
          }
          const inOrder = rows.toSorted((a, b) => a.slotAt - b.slotAt);
          let before = NOON;
          for (const { firstAt, slotAt, slots } of inOrder) {
            expect(firstAt).toBe(before + 10 * MINUTE_MS);
            expect(slots).toBe((slotAt - before) / (10 * MINUTE_MS));
            before = slotAt;
          }
        },
      ),
    );
  });
});
