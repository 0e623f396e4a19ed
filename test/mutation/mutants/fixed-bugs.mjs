/**
 * Mends of faults that a review showed, each taken out again: what a hostile gateway, a killed process, a clock or a person made of licet
 * before. @type {readonly import("../mutants.mjs").Mutant[]}
 */
export const FIXED_BUG_MUTANTS = [
  // A page's spelling.
  {
    name: "a later catalog line overwrites a page's first spelling",
    promise: 3,
    file: "src/ledger/sqlite/frontier/catalog-pages.ts",
    find: `export function updatePage(tx: Tx, page: CatalogPageRow, { lastMod, lastModAt, propertyId }: WalkedEntry): void {
`,
    replace: `export function updatePage(tx: Tx, page: CatalogPageRow, { url, wireUrl, lastMod, lastModAt, propertyId }: WalkedEntry): void {
  tx.run("UPDATE page SET wire_url = ? WHERE id = ?", wireUrl === url ? null : wireUrl, page.id);
`,
  },
  {
    name: "a purchase is asked for under the page's spelling, not under its own",
    promise: 3,
    file: "src/ledger/sqlite/purchases/open-purchases.ts",
    find: "u.url AS wireUrl",
    replace: "coalesce(p.wire_url, p.url) AS wireUrl",
  },
  {
    name: "what was bought is reported under the page's spelling, not under the purchase's",
    promise: 5,
    file: "src/ledger/sqlite/usage/freeze-report.ts",
    find: '"coalesce(b.url, p.wire_url, p.url)"',
    replace: '"coalesce(p.wire_url, p.url, b.url)"',
  },
  {
    name: "a purchase keeps the first rule's words, whatever rule allowed it",
    promise: 2,
    file: "src/ledger/sqlite/purchases/purchase-rows.ts",
    find: "request.ruleTexts[ruleIndex]",
    replace: "request.ruleTexts[0]",
  },

  // Reports that may have been taken, or were not.
  {
    name: "the ledger lets a report be refused that another attempt may have brought",
    promise: 5,
    file: "src/ledger/sqlite/usage/reject-report.ts",
    find: "WHERE id = ${reportId}` ?? 0) > 1) {",
    replace: "WHERE id = ${reportId}` ?? 0) > 99) {",
  },
  {
    name: "an attempt that is known not to have arrived leaves the reporting window open",
    promise: 5,
    file: "src/ledger/sqlite/usage/send-report.ts",
    find: "iif(min(unknown_attempts, ${unknownAttempts}) = 0, NULL, unknown_since)",
    replace: "unknown_since",
  },
  {
    name: "a report whose connection was refused may have been taken",
    promise: 5,
    file: "src/gateway/once-answer.ts",
    find: "retryAfterMs: null, mayBeTaken: answer.sent };",
    replace: "retryAfterMs: null, mayBeTaken: true };",
  },
  {
    name: "a clock that jumps gives reports up",
    promise: 5,
    file: "src/pipeline/report/report.ts",
    find: "windowMs: deps.limits.reportWindowMs + jumpedMs,",
    replace: "windowMs: deps.limits.reportWindowMs + Math.min(jumpedMs, 0),",
  },
  {
    name: "a setting that is wrong rejects every use, one by one",
    promise: 5,
    file: "src/pipeline/report/reject-report.ts",
    find: "frozen.entries.length === 1 && counters.batches === 0",
    replace: "frozen.entries.length === 1 && counters.batches < 0",
  },
  {
    name: "reporting goes on after the first uses were all refused alone",
    promise: 5,
    file: "src/pipeline/report/reject-report.ts",
    find: "if (suspects.size < MAX_FIRST_REFUSALS) {",
    replace: "if (suspects.size < 1_000 * MAX_FIRST_REFUSALS) {",
  },
  {
    name: "an attempt whose process died counts as one that did not arrive",
    promise: 5,
    file: "src/ledger/sqlite/usage/send-report.ts",
    find: "unknown_attempts = unknown_attempts + 1,",
    replace: "unknown_attempts = unknown_attempts,",
  },
  {
    name: "many receipts that are odd in the same way are counted as one",
    promise: 7,
    file: "src/ledger/sqlite/usage/settle-report.ts",
    find: "      known.count++;",
    replace: "      known.count += 0;",
  },

  // Runs that end, die, and go on.
  {
    name: "an interrupted run keeps its reservations",
    promise: 1,
    file: "src/ledger/sqlite/runs/end-run.ts",
    find: `  takeBack(tx, { runRowId: id, siteId: null, reason: "decided_anew", detail, now });`,
    replace: "  void [takeBack, detail, now];",
  },
  {
    name: "a resumed run goes on with sites that are not configured any more",
    promise: 2,
    file: "src/ledger/sqlite/runs/reopened-run.ts",
    find: `      stopSites(tx, { runRowId, siteId, stop: "not_configured", detail, now });`,
    replace: "      void [stopSites, detail, now];",
  },
  {
    name: "the takeover of a run releases what it has sent",
    promise: 3,
    file: "src/ledger/sqlite/purchases/take-back.ts",
    find: `  for (const { purchaseId, pageId } of reserved) {
`,
    replace: `  const sent = "SELECT p.id FROM batch b JOIN purchase p ON p.batch_id = b.id AND p.state = 'started' WHERE b.run_id = ?";
  for (const purchaseId of reason === "taken_over" ? tx.values<number>(sent, runRowId) : []) {
    endReserved(tx, { purchaseId, reason: "content_refused", detail, now });
  }
  for (const { purchaseId, pageId } of reserved) {
`,
  },
  {
    name: "a run that is alive is taken over",
    promise: 3,
    file: "src/run/what-becomes.ts",
    find: "  if (run.isAlive) {\n    const isInTheWay",
    replace: '  if (run.isAlive && run.state !== "running") {\n    const isInTheWay',
  },
  {
    name: "a cancelled run can be resumed",
    promise: 6,
    file: "src/run/what-becomes.ts",
    find: 'return state === "completed" || state === "cancelled" ? left(state) : null;',
    replace: 'return state === "completed" ? left(state) : null;',
  },
  {
    name: "a plain run begins anew beside one that was interrupted",
    promise: 6,
    file: "src/agent/runs/begin-run.ts",
    find: 'kind: fresh ? "fresh" : "interrupted"',
    replace: 'kind: fresh ? "interrupted" : "fresh"',
  },
  {
    name: "a run that a limit ended cannot go on",
    promise: 6,
    file: "src/ledger/sqlite/runs/choose-run.ts",
    find: "isLimited(row.state)) {",
    replace: "isLimited(row.state) && row.id < 0) {",
  },
  {
    name: "a resumed run's largest number of pages begins anew",
    promise: 1,
    file: "src/ledger/sqlite/runs/reopened-run.ts",
    find: "`UPDATE run SET max_pages = ?,",
    replace: "`UPDATE run SET approved = 0, max_pages = ?,",
  },
  {
    name: "a resumed run forgets the largest spend that it was started with",
    promise: 1,
    file: "src/run/limits.ts",
    find: "maxSpend: callerLimits.maxSpend ?? lesserSpend(own.maxSpend, limits.maxSpend),",
    replace: "maxSpend: callerLimits.maxSpend ?? lesserSpend(null, limits.maxSpend),",
  },
  {
    name: "a resumed run forgets the largest number of pages that it was started with",
    promise: 1,
    file: "src/run/limits.ts",
    find: "maxPages: callerLimits.maxPages ?? lesser(own.maxPages, limits.maxPages),",
    replace: "maxPages: callerLimits.maxPages ?? lesser(null, limits.maxPages),",
  },
  {
    name: "a resumed run's longest duration begins anew",
    promise: 7,
    file: "src/ledger/sqlite/runs/reopened-run.ts",
    find: "resumed_at + max(0, ? - worked_ms - ?)",
    replace: "resumed_at + max(0, ? - 0 * worked_ms - ?)",
  },
  {
    name: "a resumed run buys before it has asked for what was sent",
    promise: 3,
    file: "src/agent/runs/work-period.ts",
    find: `    await probeStarted(deps, { runId: spec.runId, process }, period.ending);
`,
    replace: `    void probeStarted;
`,
  },
  {
    name: "a run that died under a clock that was ahead seems alive until then",
    promise: 6,
    file: "src/ledger/sqlite/runs/unfinished-runs.ts",
    find: "alive_until > @now AND alive_until <= @latest",
    replace: "alive_until > @now",
  },
  {
    name: "a process that is known to have ended seems alive until its lease is over",
    promise: 6,
    file: "src/ledger/sqlite/runs/unfinished-runs.ts",
    find: "!(row.process !== null && gone.includes(row.process))",
    replace: '!(row.process === "" && gone.includes(row.process))',
  },
  {
    name: "who says --skip-if-running is told that a run is at work as an error",
    promise: 7,
    file: "src/agent/runs/begin-run.ts",
    find: "  if (!skips) {",
    replace: "  if (skips || warned.length >= 0) {",
  },
  {
    name: "a run that is to be resumed makes a ledger where none is",
    promise: 1,
    file: "src/agent/runs/run-agent.ts",
    find: 'options.resume === undefined ? "create" : "existing"',
    replace: 'options.resume === undefined ? "create" : "create"',
  },

  // What an answer says of the charge and the license.
  {
    name: "a site that an open item stops is walked by the next run",
    promise: 1,
    file: "src/ledger/sqlite/runs/new-run.ts",
    find: "    applyLastingStop(tx, { runRowId: id, siteId, now: startedAt });",
    replace: "    void [applyLastingStop, siteId];",
  },
  {
    name: "an item that opens while a run decides stops nothing in it",
    promise: 1,
    file: "src/ledger/sqlite/frontier/judge-pages.ts",
    find: "lasting: findLastingStop(tx, siteId),",
    replace: "lasting: findLastingStop(tx, -siteId),",
  },
  {
    name: "an item stops its site in the run of the purchase alone",
    promise: 1,
    file: "src/ledger/sqlite/runs/lasting-stops.ts",
    find: "rs.site_id = ${siteId}",
    replace: "rs.site_id = ${-siteId}",
  },
  {
    name: "the pages of a site that has shown nothing yet are all bought at once",
    promise: 1,
    file: "src/pipeline/acquire/slow-start.ts",
    find: "createSlots(isProven ? Number.POSITIVE_INFINITY : FIRST_PAGES)",
    replace: "createSlots(isProven ? Number.POSITIVE_INFINITY : 100 * FIRST_PAGES)",
  },
  {
    name: "all batches of a site that has shown nothing yet are bought at once",
    promise: 1,
    file: "src/ledger/sqlite/runs/leases.ts",
    find: "|| isProven(tx, runRowId, siteId);",
    replace: "|| isProven(tx, runRowId, siteId) || now > 0;",
  },
  {
    name: "a charge that is not plausible leaves no trace",
    promise: 1,
    file: "src/pipeline/settle/settle.ts",
    find: "if (!isPlausible) {",
    replace: "if (!isPlausible && rateUnreadable !== null) {",
  },
  {
    name: "the licence of an answer that names no price is not read",
    promise: 2,
    file: "src/gateway/endpoints/content.ts",
    find: "return { rate: null, rateUnreadable: null, license, validUntilAt };",
    replace: "return { rate: null, rateUnreadable: null, license: null, validUntilAt };",
  },
  {
    name: "a receipt above 1,000 units is not plausible, also where as much was expected",
    promise: 1,
    file: "src/usage/check-receipt.ts",
    find: "expectedUnitMicros * timesUsed * MAX_TIMES_EXPECTED : 0;",
    replace: "0 * expectedUnitMicros : 0;",
  },
  {
    name: "a receipt that is absurd is booked as it is",
    promise: 1,
    file: "src/usage/check-receipt.ts",
    find: "if (!isPlausible(entry, receipt) || !isCountable) {",
    replace: "if (!isPlausible(entry, receipt) && !isCountable) {",
  },
  {
    name: "permissions that a rate does not list are read as none",
    promise: 2,
    file: "src/gateway/endpoints/rate-option.ts",
    find: `  if (!Array.isArray(value)) {
    return null;`,
    replace: `  if (!Array.isArray(value)) {
    return [];`,
  },
  {
    name: "permissions that the gateway does not say let a page pass what it must lack",
    promise: 2,
    file: "src/policy/match-rule.ts",
    find: 'has(name, effect === "allow")',
    replace: "has(name, false)",
  },
  {
    name: "content without content is bought without a word",
    promise: 7,
    file: "src/pipeline/settle/settle.ts",
    find: "body.length < deps.limits.minContentBytes;",
    replace: "body.length < 0 * deps.limits.minContentBytes;",
  },
  {
    name: "a site whose every answer is a redirect is asked to its last page",
    promise: 7,
    file: "src/pipeline/settle/answer-streaks.ts",
    find: "(grantedHosts.has(host) ? REDIRECTED_IN_A_ROW : 1)",
    replace: "(grantedHosts.has(host) ? REDIRECTED_IN_A_ROW : 1_000)",
  },
  {
    name: "a site that refuses every fresh token is asked to its last page",
    promise: 7,
    file: "src/pipeline/settle/answer-streaks.ts",
    find: "unauthorized.add(host) === UNAUTHORIZED_IN_A_ROW",
    replace: "unauthorized.add(host) === 1_000 * UNAUTHORIZED_IN_A_ROW",
  },
  {
    name: "content that comes late for a page resolved as charged says nothing of another charge",
    promise: 1,
    file: "src/ledger/sqlite/purchases/answer-flaws.ts",
    find: "charge !== null && (charge.micros !== row.chargedMicros || charge.currency !== row.chargedCurrency);",
    replace: "charge !== null && charge.micros < 0;",
  },
  {
    name: "pages that are bought again without a change are not counted",
    promise: 7,
    file: "src/ledger/sqlite/purchases/stored-content.ts",
    find: "stored.contentHash === contentHash ? 1 : 0",
    replace: "stored.contentHash === contentHash ? 0 : 0",
  },
  {
    name: "a fee that is configured anew after the decision is booked in its new height",
    promise: 1,
    file: "src/policy/fee.ts",
    find: "    return setAsideMicros;",
    replace: "    return feeOf(fee, charged);",
  },

  // Tokens, marks, clocks.
  {
    name: "tokens are asked for long before they can be used",
    promise: 7,
    file: "src/pipeline/acquire/acquire.ts",
    find: "await context.deps.tokenSlots.run(() => begin(context, purchase));",
    replace: "await begin(context, purchase);",
  },
  {
    name: "a granted token is not a sign of life",
    promise: 7,
    file: "src/pipeline/acquire/acquire.ts",
    find: `    deps.siteHealth.granted(batch.host, "token");
`,
    replace: "",
  },
  {
    name: "a mark that lies in the future is believed",
    promise: 6,
    file: "src/ledger/sqlite/runs/high-water.ts",
    find: "if (lastFullWalkAt > now || highWaterAt > now) {",
    replace: "if (lastFullWalkAt > now) {",
  },
  {
    name: "a mark that lies in the future is never set back",
    promise: 6,
    file: "src/ledger/sqlite/runs/high-water.ts",
    find: "CASE WHEN high_water_at <= ${now}\n",
    replace: "CASE WHEN high_water_at <= max(${now}, high_water_at)\n",
  },
  {
    name: "a version that was settled in the future stays young until then",
    promise: 6,
    file: "src/catalog/freshness.ts",
    find: "boughtAt - now > AWAY_REFUSAL_MS ?",
    replace: "boughtAt - now > 1_000_000_000 * AWAY_REFUSAL_MS ?",
  },

  // A person at the keyboard.
  {
    name: "a use's key is compared alone",
    promise: 5,
    file: "src/ledger/sqlite/usage/record-uses.ts",
    find: 'return isSame ? "same" : "other";',
    replace: 'return isSame ? "same" : "same";',
  },
  {
    name: "a use under a key that was used for another count is swallowed",
    promise: 5,
    file: "src/ledger/sqlite/usage/record-uses.ts",
    find: "known.url === url && known.times === times &&",
    replace: "known.url === url &&",
  },
  {
    name: "a use that passes a budget is recorded without a person's word",
    promise: 1,
    file: "src/ledger/sqlite/usage/record-uses.ts",
    find: "record.refuseOverBudget === true &&",
    replace: "record.refuseOverBudget === false &&",
  },
  {
    name: "a use that is still to come is recorded",
    promise: 7,
    file: "src/agent/usage/use-agent.ts",
    find: "if (at > clock.now() + MAX_CLOCK_SKEW_MS) {",
    replace: "if (at > clock.now() + 1_000_000 * MAX_CLOCK_SKEW_MS) {",
  },
  {
    name: "a dry run records its uses",
    promise: 5,
    file: "src/ledger/sqlite/usage/record-uses.ts",
    find: "if (record.dryRun === true) {",
    replace: "if (record.dryRun === false) {",
  },
  {
    name: "a page that a person keeps off is bought again",
    promise: 3,
    file: "src/ledger/sqlite/frontier/quote-batches.ts",
    find: "if (keepOff === 1) {",
    replace: "if (keepOff > 1) {",
  },
  {
    name: "a ledger that must exist is made anew where it is not found",
    promise: 1,
    file: "src/agent/open-ledger.ts",
    find: 'access === "create" && mustExist ? "existing" : access',
    replace: 'access === "create" && mustExist ? "create" : access',
  },
  {
    name: "a page that fits no budget in its currency stops buying in all others",
    promise: 1,
    file: "src/budget/limits.ts",
    find: "if (currency === null || budget === null) {",
    replace: "if (currency === null || budget === null || spent.length === 0) {",
  },
  {
    name: "purchases are started while what was paid for cannot be written",
    promise: 4,
    file: "src/pipeline/settle/settle.ts",
    find: "resumeBuying = buyingHold.begin();",
    replace: "void buyingHold;",
  },
  {
    name: "what was paid for is given up at the first full disk",
    promise: 4,
    file: "src/pipeline/settle/settle.ts",
    find: '"LEDGER_LOCKED", "DISK_FULL", "LEDGER_UNWRITABLE"',
    replace: '"LEDGER_LOCKED"',
  },
  {
    name: "purchases are started although the disk is nearly full",
    promise: 4,
    file: "src/ledger/sqlite/purchases/start-purchase.ts",
    find: `  core.room.lookOnce();
  return core.write(`,
    replace: "  return core.write(",
  },
  {
    name: "a largest spend in a currency of no budget buys nothing, without a word",
    promise: 7,
    file: "src/agent/calls/call-settings.ts",
    find: "if (maxSpend !== null && !budgets.some(",
    replace: "if (maxSpend !== null && budgets.length < 0 && !budgets.some(",
  },
  {
    name: "a limit of a library call that is not a number is not a limit",
    promise: 7,
    file: "src/check-options.ts",
    find: 'Number.isSafeInteger(value) && (value as number) >= 1 ? null : "must be a whole number, 1 or more"',
    replace: 'typeof value === "number" ? null : "must be a whole number, 1 or more"',
  },
  {
    name: "exports can be read by everybody",
    promise: 7,
    file: "src/agent/files/temporary-file.ts",
    find: "const FILE_MODE = 0o600;",
    replace: "const FILE_MODE = 0o644;",
  },
  {
    name: "an amount of another sum settles a doubt from an invoice",
    promise: 1,
    file: "src/agent/resolve/invoice-agent.ts",
    find: "(amount.micros === micros || amount.micros === micros + purchase.feeMicros))",
    replace: "(amount.micros > 0 || amount.micros === micros + purchase.feeMicros))",
  },
];
