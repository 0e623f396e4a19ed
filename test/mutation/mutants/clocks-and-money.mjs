/**
 * What a wrong clock, a gateway's error or a request without an answer must not do. @type {readonly import("../mutants.mjs").Mutant[]}
 */
const AHEAD = "test/component/agent/clock/clock-ahead.test.ts";
const TRUSTED = "test/component/agent/clock/trusted-clock.test.ts";

export const CLOCK_AND_MONEY_MUTANTS = [
  {
    name: "a receipt with an error counts as reported without a word",
    promise: 5,
    suite: "test/hostile/receipts.test.ts",
    file: "src/usage/check-receipt.ts",
    find: "    error === null\n",
    replace: "    error === null || error !== null\n",
  },
  {
    name: "a version counts as asked for when its purchase was started, not when its probe was sent",
    promise: 3,
    suite: "test/component/agent/fetch/asked-at.test.ts",
    file: "src/pipeline/settle/settle.ts",
    find: "askedAt: answer.tookMs === undefined ? null : now - answer.tookMs,",
    replace: "askedAt: null,",
  },
  {
    name: "a purge believes every clock",
    promise: 4,
    suite: AHEAD,
    file: "src/agent/rights/purge-agent.ts",
    find: "if (!dryRun && named === null && Object",
    replace: "if (!dryRun && named !== null && Object",
  },
  {
    name: "a cursor passes documents whose rights ended by any clock",
    promise: 4,
    suite: AHEAD,
    file: "src/agent/documents/cursor-agent.ts",
    find: "let isClockSure = false;",
    replace: "let isClockSure = true;",
  },
  {
    name: "a run renews what ended by a clock that is ahead",
    promise: 3,
    suite: AHEAD,
    file: "src/agent/clock/run-clock.ts",
    find: "return !isDoubtful(judgement);",
    replace: "return !isDoubtful(judgement) || told.size > 0;",
  },
  {
    name: "pages are out of date by a clock that is ahead",
    promise: 3,
    suite: AHEAD,
    file: "src/pipeline/age-terms.ts",
    find: "({ ...refresh, maxAgeMs: null })",
    replace: "refresh",
  },
  {
    name: "a fetch buys again what ended by a clock that is ahead",
    promise: 3,
    suite: AHEAD,
    file: "src/agent/fetch/doubtful-ends.ts",
    find: "if (!isDoubtful(judgement)) {",
    replace: "if (!isDoubtful(judgement) || byClock.length > 0) {",
  },
  {
    name: "the gateway's Date is not compared",
    promise: 4,
    suite: "test/unit/time/clock-judgement.test.ts",
    file: "src/time/clock-judgement.ts",
    find: "if (gatewayAt !== null) {",
    replace: "if (gatewayAt !== null && latestAt === null) {",
  },
  {
    name: "the oldest Date of several answers counts",
    promise: 4,
    suite: "test/unit/gateway/gateway-date.test.ts",
    file: "src/gateway/gateway-date.ts",
    find: "newest = Math.max(newest ?? Number.NEGATIVE_INFINITY,",
    replace: "newest = Math.min(newest ?? Number.POSITIVE_INFINITY,",
  },
  {
    name: "a word about the clock leaves bookings in the order of the wrong clock",
    promise: 4,
    suite: TRUSTED,
    file: "src/ledger/sqlite/runs/clock-words.ts",
    find: "behind: latestAt !== null && isBehind(now, latestAt) ? 1 : 0",
    replace: "behind: 0",
  },
  {
    name: "a booking of next month completes a month that goes on",
    promise: 4,
    suite: TRUSTED,
    file: "src/statement/create-statement.ts",
    find: "return now !== null && now >= to && (",
    replace: "return lastBookedAt !== null && lastBookedAt >= to || now !== null && now >= to && (",
  },
  {
    name: "a month is closed by a clock that is ahead",
    promise: 4,
    suite: TRUSTED,
    file: "src/agent/reports/statement-agent.ts",
    find: "if (!isDoubtful(judgement) || (",
    replace: "if (!isDoubtful(judgement) || judgement.byMs > 0 || (",
  },
];
