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
  {
    name: "a frame does not go back to where the one before began",
    promise: 0,
    suite: "test/unit/cli/screen.test.ts",
    file: "src/cli/watch/screen.ts",
    find: "rows = lines.length;",
    replace: "rows = 0;",
  },
  {
    name: "a run that is followed ends with 0, whatever became of it",
    promise: 0,
    suite: "test/cli/follow.test.ts",
    file: "src/cli/watch/follow-run.ts",
    find: "return last === null ? EXIT.interrupted : exitCodeOfRun(last.report);",
    replace: "return last === null ? EXIT.interrupted : EXIT.done;",
  },
];
