/** Runs: resuming, taking over, limits, shortened walks, and budgets of several currencies. @type {readonly import("../mutants.mjs").Mutant[]} */
export const RUN_MUTANTS = [
  {
    name: "what was reserved before a run was resumed or taken over stays reserved",
    promise: 2,
    file: "src/ledger/sqlite/runs/assign-run.ts",
    find: "const released = takeBack(tx, { runRowId: id, siteId: null, reason, detail, now });",
    replace: "const released = takeBack(tx, { runRowId: -1, siteId: null, reason, detail, now });",
  },
  {
    name: "a resumed run goes on with the terms that its sites had when it began",
    promise: 2,
    file: "src/ledger/sqlite/runs/reopened-run.ts",
    find: "UPDATE run_site SET max_pages = ${site.maxPages}, full_walk_every_ms = ${site.fullWalkEveryMs}, overlap_ms = ${site.overlapMs}\n        WHERE run_id = ${runRowId}",
    replace:
      "UPDATE run_site SET max_pages = ${site.maxPages}, full_walk_every_ms = ${site.fullWalkEveryMs}, overlap_ms = ${site.overlapMs}\n        WHERE run_id = ${-runRowId}",
  },
  {
    name: "a run that died is taken over by nobody",
    promise: 6,
    file: "src/run/what-becomes.ts",
    find: 'return state === "running" || reserved + started > 0;',
    replace: 'return state === "running" && reserved + started < 0;',
  },
  {
    name: "what a dead run had started is asked for by nobody",
    promise: 6,
    file: "src/agent/runs/owned-run.ts",
    find: "if (started > 0 && (await probeKept(",
    replace: "if (started < 0 && (await probeKept(",
  },
  {
    name: "a run begins while another process works on its sites",
    promise: 6,
    file: "src/ledger/sqlite/runs/begin-run.ts",
    find: `  if (alive !== undefined) {
`,
    replace: `  if (alive !== undefined && alive.reserved < 0) {
`,
  },
  {
    name: "a person's limit on a resumed run is not heard",
    promise: 1,
    file: "src/run/limits.ts",
    find: "    maxPages: callerLimits.maxPages ?? lesser(own.maxPages, limits.maxPages),\n    maxSpend: callerLimits.maxSpend ?? lesserSpend(own.maxSpend, limits.maxSpend),",
    replace:
      "    maxPages: lesser(own.maxPages, limits.maxPages),\n    maxSpend: lesserSpend(own.maxSpend, limits.maxSpend),",
  },
  {
    name: "a clock that was ahead once puts full walks off",
    promise: 7,
    file: "src/ledger/sqlite/runs/high-water.ts",
    find: "if (lastFullWalkAt > now || highWaterAt > now) {",
    replace: "if (highWaterAt > now) {",
  },
  {
    name: "pages in another currency than a run's maxSpend are hidden below the mark",
    promise: 7,
    file: "src/ledger/sqlite/runs/high-water.ts",
    find: 'PASSING_UNDER_MAX_SPEND: readonly DenialReason[] = ["no_budget_in_currency"]',
    replace: 'PASSING_UNDER_MAX_SPEND: readonly DenialReason[] = ["site_stopped"]',
  },
  {
    name: "pages whose quote was refused are hidden below the mark",
    promise: 7,
    file: "src/ledger/sqlite/runs/high-water.ts",
    find: '  "quote_refused",\n];',
    replace: "];",
  },
  {
    name: "a report waits for the date of a clock that was ahead",
    promise: 5,
    file: "src/ledger/sqlite/usage/send-report.ts",
    find: "AND not_before > ${latestWaitEnd(now, LONGEST_REST_MS)}",
    replace: "AND not_before > ${Number.MAX_SAFE_INTEGER}",
  },
  {
    name: "a report that certainly never arrived is given up like one that may have",
    promise: 5,
    file: "src/pipeline/report/report.ts",
    find: 'const unknownAttempts = meaning === "open" ? before + 1 : before;',
    replace: "const unknownAttempts = before + 1;",
  },
  {
    name: "a refusal after silence ends a report",
    promise: 5,
    file: "src/pipeline/report/refused-report.ts",
    find: "const isRepeated = unknownAttempts > 0;",
    replace: "const isRepeated = unknownAttempts > 1_000;",
  },
  {
    name: "the notifications of a killed webhook run are taken for done",
    promise: 6,
    file: "src/ledger/sqlite/hints/end-hints.ts",
    find: 'return isStopped === 1 ? "after_limit" : "at_once";',
    replace: 'return isStopped === 1 ? "after_limit" : "done";',
  },
  {
    name: "a webhook run whose frontier was dropped by a clock that was ahead goes on without it",
    promise: 6,
    file: "src/ledger/sqlite/runs/reopened-run.ts",
    find: "isOfHints ? tx.has(IS_DROPPED, id)",
    replace: "isOfHints ? tx.has(IS_DROPPED, -1)",
  },
  {
    name: "a cancel leaves a run that has nothing started to whoever takes it next",
    promise: 6,
    suite: "test/contract/ledger-sqlite.test.ts",
    file: "src/ledger/sqlite/runs/cancel-run.ts",
    find: "if (started === 0) {",
    replace: "if (started < 0) {",
  },
];
