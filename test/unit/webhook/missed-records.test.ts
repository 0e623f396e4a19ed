import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AccountingHint,
  type AttemptRecord,
  changedAfter,
  findMissedRecords,
} from "../../../src/webhook/missed-records.ts";

const NOON = Date.UTC(2026, 10, 20, 12);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** A page changed at most so long before the first attempt to say so. */
const DELAY = 5 * SECOND;

function attempt(at: number, terms: Partial<AttemptRecord> = {}): AttemptRecord {
  const wireUrl = "https://news.example/a";
  return {
    wireUrl,
    kind: "updated",
    lastAttempt: new Date(at).toISOString(),
    at,
    attempts: 1,
    isAnswered: true,
    ...terms,
  };
}

function delivered(receivedAt: number, terms: Partial<AccountingHint> = {}): AccountingHint {
  const wireUrl = "https://news.example/a";
  return { wireUrl, kind: "updated", source: "delivery", timestamp: "", receivedAt, ...terms };
}

function admitted(at: number): AccountingHint {
  return delivered(at + MINUTE, { source: "history", timestamp: new Date(at).toISOString() });
}

describe("a delivery record", () => {
  const many = { attempts: 4 };
  const failed = { isAnswered: false };
  it.each<[string, AttemptRecord[], AccountingHint[], number]>([
    ["of a delivery that arrived", [attempt(NOON)], [delivered(NOON + 300)], 0],
    ["of a delivery that never arrived", [attempt(NOON, failed)], [], 1],
    ["that something else answered", [attempt(NOON)], [], 1],
    ["of another page", [attempt(NOON, { wireUrl: "https://news.example/b" })], [delivered(NOON)], 1],
    ["of another kind", [attempt(NOON, { kind: "created" })], [delivered(NOON)], 1],
    ["that was admitted before", [attempt(NOON, failed)], [admitted(NOON)], 0],
    [
      "that was admitted before, and tried again since",
      [attempt(NOON + HOUR, { ...many, ...failed })],
      [admitted(NOON)],
      0,
    ],
    ["of an event that was delivered at an earlier attempt", [attempt(NOON + HOUR, many)], [delivered(NOON)], 0],
    ["at another time than the only one that arrived", [attempt(NOON + HOUR)], [delivered(NOON)], 1],
    ["beside one that arrived", [attempt(NOON), attempt(NOON + SECOND, failed)], [delivered(NOON + SECOND)], 1],
    [
      "of a second event that is tried again, too",
      [attempt(NOON, many), attempt(NOON + MINUTE, many)],
      [admitted(NOON - HOUR)],
      1,
    ],
    [
      "beside one that accounts for an earlier hint",
      [attempt(NOON - HOUR), attempt(NOON, many)],
      [delivered(NOON - HOUR)],
      1,
    ],
  ])("%s", (_name, records, hints, missed) => {
    expect(findMissedRecords(records, hints)).toHaveLength(missed);
  });

  it("is missed where it is the one that did not arrive", () => {
    const lost = attempt(NOON + SECOND, failed);
    expect(findMissedRecords([lost, attempt(NOON)], [delivered(NOON + SECOND)])).toEqual([lost]);
  });
});

it("looks a few times at each notification of a page, however many records the page has", () => {
  const count = 4_000;
  let looks = 0;
  const hints = Array.from({ length: count }, (_, n) => ({
    ...delivered(0),
    get receivedAt() {
      looks += 1;
      return NOON + n * MINUTE;
    },
  }));
  const records = Array.from({ length: count }, (_, n) => attempt(NOON + n * MINUTE + SECOND));
  expect(findMissedRecords([...records, attempt(NOON - HOUR)], hints)).toHaveLength(1);
  expect(looks).toBeLessThan(10 * count);
});

describe("the page of a missed record changed", () => {
  it.each([
    ["shortly before the only attempt", attempt(NOON), { coveredUntil: null, now: NOON + HOUR }, NOON - DELAY],
    [
      "after the last reading",
      attempt(NOON, { attempts: 3 }),
      { coveredUntil: NOON - HOUR, now: NOON },
      NOON - HOUR - DELAY,
    ],
    [
      "within a day, where nothing was read",
      attempt(NOON, { attempts: 3 }),
      { coveredUntil: null, now: NOON },
      NOON - 24 * HOUR - DELAY,
    ],
    [
      "before now, where the gateway's clock is ahead",
      attempt(NOON + HOUR),
      { coveredUntil: null, now: NOON },
      NOON - DELAY,
    ],
  ] as const)("%s", (_name, record, reading, expected) => {
    expect(changedAfter(record, reading)).toBe(expected);
  });
});

/** Each record is compared with each notification: slow, and plain to read. */
function findMissedSlowly(records: readonly AttemptRecord[], hints: readonly AccountingHint[]): AttemptRecord[] {
  const left = [...hints];
  const takes = (hint: AccountingHint | undefined) =>
    hint !== undefined && left.splice(left.indexOf(hint), 1).length > 0;
  const nearest = ({ at }: AttemptRecord) =>
    left
      .filter(({ source, receivedAt }) => source === "delivery" && Math.abs(receivedAt - (at ?? 0)) <= 10 * MINUTE)
      .sort(
        (a, b) =>
          Math.abs(a.receivedAt - (at ?? 0)) - Math.abs(b.receivedAt - (at ?? 0)) || a.receivedAt - b.receivedAt,
      )[0];
  let open = [...records].sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
  for (const find of [
    ({ lastAttempt }: AttemptRecord) =>
      left.find(({ source, timestamp }) => source === "history" && timestamp === lastAttempt),
    (record: AttemptRecord) => (record.isAnswered ? nearest(record) : undefined),
    nearest,
    ({ attempts }: AttemptRecord) => (attempts === 1 ? undefined : left[0]),
  ]) {
    open = open.filter((record) => !takes(find(record)));
  }
  return open;
}

it("finds what a comparison of each record with each notification finds", () => {
  const minute = fc.integer({ min: 0, max: 60 });
  const records = fc.array(
    fc.record({ at: minute, attempts: fc.constantFrom(1, 1, 3, null), isAnswered: fc.boolean() }),
    { maxLength: 12 },
  );
  const hints = fc.array(fc.record({ at: minute, isDelivery: fc.boolean() }), { maxLength: 12 });
  fc.assert(
    fc.property(records, hints, (someRecords, someHints) => {
      const given = someRecords.map(({ at, ...terms }) => attempt(NOON + at * MINUTE, terms));
      const known = someHints.map(({ at, isDelivery }) =>
        isDelivery ? delivered(NOON + at * MINUTE + SECOND) : admitted(NOON + at * MINUTE),
      );
      expect(findMissedRecords(given, known)).toEqual(findMissedSlowly(given, known));
    }),
  );
});
