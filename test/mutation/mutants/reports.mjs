/** What people are told: figures of a day, waits, warnings, alerts. @type {readonly import("../mutants.mjs").Mutant[]} */
export const REPORT_MUTANTS = [
  {
    name: "a page that failed does not count in its day",
    promise: 0,
    suite: "test/contract/ledger-sqlite.test.ts",
    file: "src/account/purchase-accounts.ts",
    find: '? "failedPages" : null;',
    replace: "? null : null;",
  },
  {
    name: "a statement of days leaves out the last one",
    promise: 0,
    suite: "test/unit/time/utc-days.test.ts",
    file: "src/time/utc-days.ts",
    find: "to: last + DAY_MS };",
    replace: "to: Math.max(first + DAY_MS, last) };",
  },
];
