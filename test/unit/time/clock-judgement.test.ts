import { expect, test } from "vitest";
import {
  AWAY_REFUSAL_MS,
  AWAY_WARNING_MS,
  describeJudgement,
  isBehind,
  isDoubtful,
  judgeClock,
  LONGEST_GAP_MS,
} from "../../../src/time/clock-judgement.ts";

const NOON = Date.UTC(2026, 10, 22, 12);
const DAY_MS = 86_400_000;
const NOTHING = { now: NOON, latestAt: null, gatewayAt: null, word: null };

test.each([
  ["knows of nothing else", NOTHING, "agrees"],
  ["has just written rows", { ...NOTHING, latestAt: NOON - LONGEST_GAP_MS }, "agrees"],
  ["is far ahead of the rows", { ...NOTHING, latestAt: NOON - LONGEST_GAP_MS - 1 }, "ahead"],
  ["is behind the rows", { ...NOTHING, latestAt: NOON + DAY_MS }, "agrees"],
  [
    "is far ahead of old rows, and the gateway says the same",
    { ...NOTHING, latestAt: NOON - 90 * DAY_MS, gatewayAt: NOON },
    "agrees",
  ],
  [
    "has rows of the same wrong clock, and the gateway says otherwise",
    { ...NOTHING, latestAt: NOON - 1, gatewayAt: NOON - DAY_MS },
    "away",
  ],
  ["is nearly a minute ahead of the gateway", { ...NOTHING, gatewayAt: NOON - AWAY_WARNING_MS + 1 }, "agrees"],
  ["is a minute ahead of the gateway", { ...NOTHING, gatewayAt: NOON - AWAY_WARNING_MS }, "differs"],
  ["is nearly an hour ahead of the gateway", { ...NOTHING, gatewayAt: NOON - AWAY_REFUSAL_MS + 1 }, "differs"],
  ["is an hour ahead of the gateway", { ...NOTHING, gatewayAt: NOON - AWAY_REFUSAL_MS }, "away"],
  ["is an hour behind the gateway", { ...NOTHING, gatewayAt: NOON + AWAY_REFUSAL_MS }, "away"],
] as const)("a clock that %s", (_what, evidence, kind) => {
  expect(judgeClock(evidence).kind).toBe(kind);
  expect(isDoubtful(judgeClock(evidence))).toBe(kind === "away" || kind === "ahead");
});

test.each([
  ["the same difference", 0, "agrees"],
  ["nearly an hour more", AWAY_REFUSAL_MS - 1, "agrees"],
  ["an hour more", AWAY_REFUSAL_MS, "away"],
  ["a year more", 365 * DAY_MS, "away"],
])("a person's word about the gateway's clock holds for %s", (_what, moreMs, kind) => {
  const word = { at: NOON - DAY_MS, gatewayAt: NOON - DAY_MS - 30 * DAY_MS };
  expect(judgeClock({ ...NOTHING, word, gatewayAt: NOON - 30 * DAY_MS - moreMs }).kind).toBe(kind);
});

test("says whose clock says what", () => {
  const judgement = judgeClock({ ...NOTHING, gatewayAt: NOON + 2 * DAY_MS });
  expect(judgement.kind).toBe("away");
  expect(judgement.kind === "agrees" ? "" : describeJudgement(NOON, judgement)).toBe(
    "the clock of this machine (2026-11-22T12:00:00.000Z) is 2 days behind the gateway's Date (2026-11-24T12:00:00.000Z)",
  );
});

test("bears five minutes between two machines", () => {
  expect([isBehind(NOON, NOON + 300_000), isBehind(NOON, NOON + 300_001)]).toEqual([false, true]);
});
