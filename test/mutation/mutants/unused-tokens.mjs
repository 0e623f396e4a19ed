/** Tokens that expire before the gateway serves their request. @type {readonly import("../mutants.mjs").Mutant[]} */
const PROBE = "test/component/pipeline/probe.test.ts";
const GATE = "test/unit/gateway/gate-order.test.ts";
const LEDGER = "test/contract/ledger-sqlite.test.ts";
const STREAKS = "test/unit/pipeline/answer-streaks.test.ts";

export const UNUSED_TOKEN_MUTANTS = [
  {
    name: "a page is given up for a rest that is longer than its token's life",
    promise: 7,
    suite: PROBE,
    file: "src/pipeline/probe/probe.ts",
    find: "const again = tokenExpires || isAway ? await",
    replace: "const again = isAway ? await",
  },
  {
    name: "a token without a known life that was refused after a rest counts as a refusal",
    promise: 7,
    suite: PROBE,
    file: "src/pipeline/probe/probe.ts",
    find: "const isLate = wasLimited || waitedMs >= TOKEN_MAY_EXPIRE_MS;",
    replace: "const isLate = wasLimited && waitedMs < 0;",
  },
  {
    name: "a token that was refused at once is followed by another one",
    promise: 7,
    suite: PROBE,
    file: "src/pipeline/probe/probe.ts",
    find: "const isLate = wasLimited || waitedMs >= TOKEN_MAY_EXPIRE_MS;",
    replace: "const isLate = wasLimited || waitedMs >= 0;",
  },
  {
    name: "a request that may have been sent is not repeated after its token's life",
    promise: 3,
    suite: PROBE,
    file: "src/pipeline/probe/probe.ts",
    find: "expiresAt: mayHaveBeenSent ? null : token.expiresAt,",
    replace: "expiresAt: token.expiresAt,",
  },
  {
    name: "pages lose tokens without end",
    promise: 7,
    suite: STREAKS,
    file: "src/pipeline/settle/answer-streaks.ts",
    find: "tokens.isEnough ||= count >= UNUSED_TOKENS_IN_A_ROW;",
    replace: "tokens.isEnough ||= count < 0;",
  },
  {
    name: "a site that serves pages between its rests gets no more tokens all the same",
    promise: 7,
    suite: STREAKS,
    file: "src/pipeline/settle/answer-streaks.ts",
    find: "      unused.delete(host);\n",
    replace: "",
  },
  {
    name: "a page is reserved anew although its site was stopped",
    promise: 2,
    suite: LEDGER,
    file: "src/ledger/sqlite/purchases/open-purchases.ts",
    find: "const isClosed = stop != null && !LIMIT_STOPS.includes(stop);",
    replace: "const isClosed = stop != null && leaseId.length === 0;",
  },
  {
    name: "a page that was never started is reserved anew",
    promise: 3,
    suite: LEDGER,
    file: "src/purchase/purchase.ts",
    find: 'discard: { from: ["started"], to: "released" },',
    replace: 'discard: { from: ["reserved", "started"], to: "released" },',
  },
  {
    name: "a page that is reserved anew counts twice against maxPages",
    promise: 6,
    suite: LEDGER,
    file: "src/purchase/purchase.ts",
    find: '  "token_unused",\n  "run_ended",\n  "site_stopped",\n  "decided_anew",\n  "taken_over",\n] as const satisfies',
    replace: '  "run_ended",\n  "site_stopped",\n  "decided_anew",\n  "taken_over",\n] as const satisfies',
  },
  {
    name: "content is sent although its token expired while it waited",
    promise: 7,
    suite: GATE,
    file: "src/gateway/request-gate.ts",
    find: "if (waiter !== null && waiter.expiresAt <= this.#clock.now()) {",
    replace: "if (waiter !== null && waiter.expiresAt < 0) {",
  },
  {
    name: "tokens wait for contents whose tokens have expired",
    promise: 7,
    suite: GATE,
    file: "src/gateway/request-gate.ts",
    find: "const until = Math.min(graceUntil, expiresAt ?? graceUntil);",
    replace: "const until = graceUntil;",
  },
  {
    name: "a rest that the gateway asks for uses up an attempt to index a page",
    promise: 6,
    suite: "test/component/pipeline/probe.test.ts",
    file: "src/pipeline/probe/refetch-indexing.ts",
    find: "        rests += 1;\n        continue;\n",
    replace: "        rests += 1;\n",
  },
];
