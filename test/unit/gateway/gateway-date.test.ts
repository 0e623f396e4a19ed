import { expect, test } from "vitest";
import { createGatewayDate } from "../../../src/gateway/gateway-date.ts";

const NOON = Date.UTC(2026, 10, 22, 12);
const HOUR_MS = 3_600_000;

const headers = (values: Readonly<Record<string, string>>): Buffer[] =>
  Object.entries(values).flatMap(([name, value]) => [Buffer.from(name), Buffer.from(value)]);
const dated = (at: number, more: Readonly<Record<string, string>> = {}) =>
  headers({ "Content-Type": "text/html", Date: new Date(at).toUTCString(), ...more });

/** Its wall clock says nothing true. */
function create() {
  let passedMs = 5_000;
  const date = createGatewayDate({ now: () => 0, elapsed: () => passedMs });
  return {
    date,
    pass: (ms: number) => {
      passedMs += ms;
    },
  };
}

test("moves the date of an answer on by the time that passed since", () => {
  const { date, pass } = create();
  expect(date.read()).toBeNull();
  date.note(dated(NOON));
  pass(90_000);
  expect(date.read()).toBe(NOON + 90_000);
});

test("takes the newest of several: a proxy's cached answer has an old one", () => {
  const { date, pass } = create();
  date.note(dated(NOON - 5 * HOUR_MS));
  date.note(dated(NOON));
  pass(1_000);
  date.note(dated(NOON - 5 * HOUR_MS));
  expect(date.read()).toBe(NOON + 1_000);
});

test("adds the age that a cache names", () => {
  const { date } = create();
  date.note(dated(NOON - HOUR_MS, { Age: "3600" }));
  expect(date.read()).toBe(NOON);
});

test.each([
  ["no date", headers({ "content-type": "text/html" })],
  ["a date that is none", headers({ date: "yesterday" })],
])("learns nothing from %s", (_what, answer) => {
  const { date } = create();
  date.note(answer);
  expect(date.read()).toBeNull();
});

test.each(["-5", "1e9", "99999999999", "soon"])("does not believe an age of %s", (age) => {
  const { date } = create();
  date.note(dated(NOON, { age }));
  expect(date.read()).toBe(NOON);
});

test("believes one wrong date for some minutes only", () => {
  const { date, pass } = create();
  date.note(dated(NOON + 400 * 24 * HOUR_MS));
  for (let minutes = 0; minutes < 25; minutes += 5) {
    pass(300_000);
    date.note(dated(NOON + (minutes + 5) * 60_000));
  }
  expect(date.read()).toBe(NOON + 25 * 60_000);
});

test("knows nothing any more when no answer came for long", () => {
  const { date, pass } = create();
  date.note(dated(NOON));
  pass(HOUR_MS);
  expect(date.read()).toBeNull();
});
