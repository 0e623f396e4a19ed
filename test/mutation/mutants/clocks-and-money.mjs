/**
 * What a wrong clock, a gateway's error or a request without an answer must not do. @type {readonly import("../mutants.mjs").Mutant[]}
 */
export const CLOCK_AND_MONEY_MUTANTS = [
  {
    name: "a receipt with an error counts as reported without a word",
    promise: 5,
    suite: "test/hostile/receipts.test.ts",
    file: "src/usage/check-receipt.ts",
    find: "    error === null\n",
    replace: "    error === null || error !== null\n",
  },
];
