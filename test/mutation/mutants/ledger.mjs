/** Money, budgets, the ledger and its outbox. @type {readonly import("../mutants.mjs").Mutant[]} */
export const LEDGER_MUTANTS = [
  // Money that moves with a purchase.
  {
    name: "a reservation sets aside the price alone, without fee and report",
    promise: 1,
    file: "src/ledger/sqlite/frontier/reservation-writer.ts",
    find: "reservedMicros += cost.micros;",
    replace: "reservedMicros += row.quotedMicros;",
  },
  {
    name: "a release gives back the price alone: fee and report stay reserved",
    promise: 1,
    file: "src/ledger/sqlite/purchases/end-purchase.ts",
    find: "accountOf(tx, row, row.currency).reservedMicros -= setAsideMicros(row);",
    replace: "accountOf(tx, row, row.currency).reservedMicros -= row.quotedMicros;",
  },
  {
    name: "the reservations of a run that ends are never given back",
    promise: 1,
    file: "src/ledger/sqlite/purchases/end-purchase.ts",
    find: `  if (row.currency !== null) {
    accountOf`,
    replace: `  if (row.currency !== null && release.reason !== "run_ended") {
    accountOf`,
  },
  {
    name: "a settlement leaves what was reserved for it reserved",
    promise: 1,
    file: "src/ledger/sqlite/purchases/settle-purchase.ts",
    find: `if (row.currency !== null) {
    accountOf`,
    replace: `if (row.currency !== null && row.overcharged === 1) {
    accountOf`,
  },
  {
    name: "a settlement books the quote in the balances, whatever was charged",
    promise: 1,
    file: "src/ledger/sqlite/purchases/settle-purchase.ts",
    find: "account.settledMicros += row.chargedMicros + row.chargedFeeMicros;",
    replace: "account.settledMicros += row.quotedMicros + row.chargedFeeMicros;",
  },
  {
    name: "a charge above the quote is written down as the quote",
    promise: 1,
    file: "src/ledger/sqlite/purchases/purchase-rows.ts",
    find: "charged_micros = coalesce(?, quoted_micros), charged_fee_micros",
    replace: "charged_micros = min(coalesce(?, quoted_micros), quoted_micros), charged_fee_micros",
  },
  {
    name: "the fee of a charge is not counted as spent",
    promise: 1,
    file: "src/ledger/sqlite/purchases/settle-purchase.ts",
    find: "account.settledMicros += row.chargedMicros + row.chargedFeeMicros;",
    replace: "account.settledMicros += row.chargedMicros;",
  },
  {
    name: "a charge counts in the period in which it came, not where it was reserved",
    promise: 1,
    file: "src/ledger/sqlite/purchases/settle-purchase.ts",
    find: `  }
  bookCharge(tx, row);
  keepContent(tx, row, settlement);
`,
    replace: `  }
  bookCharge(tx, { ...row, reservedAt: settlement.now });
  keepContent(tx, row, settlement);
`,
  },
  {
    name: "a doubt frees the money that may have been charged",
    promise: 1,
    file: "src/ledger/sqlite/purchases/end-purchase.ts",
    find: "account.inDoubtMicros += aside;",
    replace: "account.inDoubtMicros += row.useReserveMicros;",
  },
  {
    name: "a doubt counts twice: as reserved and as in doubt",
    promise: 1,
    file: "src/ledger/sqlite/purchases/end-purchase.ts",
    find: "account.reservedMicros -= aside;",
    replace: "account.reservedMicros -= row.useReserveMicros;",
  },
  {
    name: "a doubt that is settled by a late answer stays in the balance of doubts",
    promise: 1,
    file: "src/ledger/sqlite/purchases/settle-purchase.ts",
    find: "inDoubtMicros -= setAsideMicros(found);",
    replace: "inDoubtMicros -= found.useReserveMicros;",
  },
  {
    name: "a resolution as not charged frees nothing",
    promise: 1,
    file: "src/ledger/sqlite/purchases/resolve-purchase.ts",
    find: "account.inDoubtMicros -= setAsideMicros(row);",
    replace: "account.inDoubtMicros -= charged ? setAsideMicros(row) : 0;",
  },
  {
    name: "a resolution as charged frees the doubt and books no charge",
    promise: 1,
    file: "src/ledger/sqlite/purchases/resolve-purchase.ts",
    find: "account.settledMicros += amountMicros;",
    replace: "account.settledMicros += charged ? row.feeMicros : 0;",
  },
  {
    name: "a resolution as charged forgets the fee",
    promise: 1,
    file: "src/ledger/sqlite/purchases/resolve-purchase.ts",
    find: "charged ? addMicros(row.quotedMicros, row.feeMicros) : ZERO_MICROS",
    replace: "charged ? row.quotedMicros : ZERO_MICROS",
  },
  {
    name: "what was resolved as charged can be resolved again",
    promise: 1,
    file: "src/ledger/sqlite/purchases/resolve-purchase.ts",
    find: 'if (row.state !== "in_doubt") {',
    replace: 'if (row.state !== "in_doubt" && row.state !== "settled") {',
  },
  {
    name: "a resolution as not charged leaves no row that says so",
    promise: 3,
    file: "src/ledger/sqlite/purchases/resolve-purchase.ts",
    find: `  tx.run(
    "INSERT INTO resolution (purchase_id, outcome, amount_micros, currency, source, at) VALUES (?, ?, ?, ?, ?, ?)",
    purchaseId,`,
    replace: `  tx.run(
    "INSERT INTO resolution (purchase_id, outcome, amount_micros, currency, source, at) SELECT ?, ?, ?, ?, ?, ? WHERE ?2 = 'charged'",
    purchaseId,`,
  },

  // Budgets.
  {
    name: "a budget is asked without the fee that will come on top",
    promise: 1,
    file: "src/policy/price.ts",
    find: "micros: setAsideMicros(setAside)",
    replace: "micros: setAsideMicros({ ...setAside, feeMicros: ZERO_MICROS })",
  },
  {
    name: "a budget is asked without the report that will be charged again",
    promise: 1,
    file: "src/policy/price.ts",
    find: "micros: setAsideMicros(setAside)",
    replace: "micros: setAsideMicros({ ...setAside, useReserveMicros: ZERO_MICROS })",
  },
  {
    name: "budgets are read before the transaction that reserves",
    promise: 1,
    file: "src/ledger/sqlite/frontier/decide.ts",
    find: `  const { run, limits } = readRunLimits(tx, runRowId, request, false);
`,
    replace: `  const kept = ((tx as unknown as { kept?: Map<number, ReturnType<typeof readRunLimits>> }).kept ??= new Map());
  const { run, limits } = kept.get(runRowId) ?? kept.set(runRowId, readRunLimits(tx, runRowId, request, false)).get(runRowId)!;
`,
  },
  {
    name: "a balance is read without what the same transaction has moved",
    promise: 1,
    file: "src/ledger/sqlite/money/balance-book.ts",
    find: "    read({ scope, period, currency }) {\n      flush();",
    replace: "    read({ scope, period, currency }) {",
  },
  {
    name: "a page is bought while anything is left of a budget",
    promise: 1,
    file: "src/budget/limits.ts",
    find: "limits.find(({ left }) => cost.micros > left)",
    replace: "limits.find(({ left }) => left <= 0 && cost.micros > 0)",
  },
  {
    name: "a page that meets a budget to the micro is refused",
    promise: 6,
    file: "src/budget/limits.ts",
    find: "limits.find(({ left }) => cost.micros > left)",
    replace: "limits.find(({ left }) => cost.micros >= left)",
  },
  {
    name: "of several budgets only the first is asked",
    promise: 1,
    file: "src/budget/limits.ts",
    find: "limits.find(({ left }) => cost.micros > left)",
    replace: "limits.slice(0, 1).find(({ left }) => cost.micros > left)",
  },
  {
    name: "of several budgets only the last is asked",
    promise: 1,
    file: "src/budget/limits.ts",
    find: "limits.find(({ left }) => cost.micros > left)",
    replace: "limits.slice(-1).find(({ left }) => cost.micros > left)",
  },
  {
    name: "within one decision only the first budget is counted down",
    promise: 1,
    file: "src/budget/limits.ts",
    find: "for (const one of cost === null ? [] : limits) {",
    replace: "for (const one of cost === null ? [] : limits.slice(0, 1)) {",
  },
  {
    name: "a budget counts money of every currency against its limit",
    promise: 1,
    file: "src/budget/covering-budgets.ts",
    find: "const key = budget.currency === currency ? budgetBalanceKey(budget, movement) : null;",
    replace: "const key = budgetBalanceKey(budget, movement);",
  },
  {
    name: "what no budget covers is bought without one",
    promise: 1,
    file: "src/budget/limits.ts",
    find: "limits.length > 0 && (maxSpend",
    replace: "(maxSpend",
  },
  {
    name: "a run's maxSpend lets other currencies pass",
    promise: 1,
    file: "src/budget/limits.ts",
    find: "limits.length > 0 && (maxSpend === null || maxSpend.currency === currency)",
    replace: "(limits.length > 0 || maxSpend === null)",
  },
  {
    name: "a run's maxSpend forgets what is in doubt",
    promise: 1,
    file: "src/budget/limits.ts",
    find: "micros - spent.settledMicros - spent.inDoubtMicros - spent.reservedMicros",
    replace: "micros - spent.settledMicros - spent.reservedMicros",
  },
  {
    name: "a run buys one page more than its maxPages",
    promise: 1,
    file: "src/budget/limits.ts",
    find: "if (runPagesLeft < 1) {",
    replace: "if (runPagesLeft < 0) {",
  },
  {
    name: "a site gives one page more than its maxPages",
    promise: 1,
    file: "src/budget/limits.ts",
    find: "if (pagesLeft < 1) {",
    replace: "if (pagesLeft < 0) {",
  },
  {
    name: "a run's maxPages counts anew in each batch",
    promise: 1,
    file: "src/ledger/sqlite/frontier/page-decisions.ts",
    find: `tx.run("UPDATE run SET approved = approved + ? WHERE id = ?", approved, runRowId);`,
    replace: `tx.run("UPDATE run SET approved = approved + ? WHERE id = ?", 0, runRowId);`,
  },
  {
    name: "a budget forgets what is in doubt",
    promise: 1,
    file: "src/budget/headroom.ts",
    find: "budget.limitMicros - balance.settledMicros - balance.inDoubtMicros - balance.reservedMicros",
    replace: "budget.limitMicros - balance.settledMicros - balance.reservedMicros",
  },
  {
    name: "a budget forgets what is reserved: a charge counts only once it has come",
    promise: 1,
    file: "src/budget/headroom.ts",
    find: "budget.limitMicros - balance.settledMicros - balance.inDoubtMicros - balance.reservedMicros",
    replace: "budget.limitMicros - balance.settledMicros - balance.inDoubtMicros",
  },
  {
    name: "no money is counted by the week",
    promise: 1,
    file: "src/budget/scope.ts",
    find: "for (const period of BUDGET_PERIODS) {",
    replace: 'for (const period of BUDGET_PERIODS.filter((one) => one !== "week")) {',
  },
  {
    name: "a site's budget of a month is counted against the money of a day",
    promise: 1,
    file: "src/budget/scope.ts",
    find: "? { scope: `site:${scope.host}`, period: periodKey(period, movement.at) }",
    replace: '? { scope: `site:${scope.host}`, period: periodKey(period === "month" ? "day" : period, movement.at) }',
  },
  {
    name: "weeks begin on Sunday",
    promise: 1,
    file: "src/time/period.ts",
    find: "const EPOCH_DAYS_AFTER_MONDAY = 3;",
    replace: "const EPOCH_DAYS_AFTER_MONDAY = 4;",
  },
  {
    name: "the week of a year's end belongs to the year of its day, and so is two weeks",
    promise: 1,
    file: "src/time/period.ts",
    find: "const year = new Date(thursdayAt).getUTCFullYear();",
    replace: "const year = new Date(at).getUTCFullYear();",
  },
  {
    name: "months end a day early",
    promise: 1,
    file: "src/time/period.ts",
    find: "return `month:${isoDate(at).slice(0, 7)}`;",
    replace: "return `month:${isoDate(at + DAY_MS).slice(0, 7)}`;",
  },
  {
    name: "days end an hour late",
    promise: 1,
    file: "src/time/period.ts",
    find: "return `day:${isoDate(at)}`;",
    replace: "return `day:${isoDate(at - 3_600_000)}`;",
  },
  {
    name: "days are those of the machine's clock on the wall",
    promise: 1,
    file: "src/time/period.ts",
    find: "return new Date(at).toISOString().slice(0, 10);",
    replace: "return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 10);",
  },
  {
    name: "an account is kept over midnight: tomorrow's money counts today",
    promise: 1,
    file: "src/ledger/sqlite/money/balance-book.ts",
    find: "${key.host} ${key.currency} ${Math.floor(key.at / DAY_MS)} ${key.runId}",
    replace: "${key.host} ${key.currency} ${key.runId}",
  },
  {
    name: "two currencies of one host share an account",
    promise: 1,
    file: "src/ledger/sqlite/money/balance-book.ts",
    find: "${key.host} ${key.currency} ${Math.floor",
    replace: "${key.host} ${Math.floor",
  },
  {
    name: "movements in two currencies are added up",
    promise: 1,
    file: "src/ledger/sqlite/money/balance-book.ts",
    find: "const name = `${row.scope} ${row.period} ${row.currency}`;",
    replace: "const name = `${row.scope} ${row.period}`;",
  },
  {
    name: "what a failed transaction moved is written with the next",
    promise: 1,
    file: "src/ledger/sqlite/engine/group-commit.ts",
    find: "      discard();\n",
    replace: "",
  },
  {
    name: "balances are written after the commit that they belong to",
    promise: 1,
    file: "src/ledger/sqlite/engine/group-commit.ts",
    find: "      flush();\n      commit.run();\n",
    replace: "      commit.run();\n      flush();\n",
  },
  {
    name: "a later use is set aside as if it were one, however many times",
    promise: 1,
    file: "src/ledger/sqlite/usage/record-uses.ts",
    find: "const amount = license.unitMicros * use.times;",
    replace: "const amount = license.unitMicros;",
  },
  {
    name: "a fetch that is charged again on its report is not set aside",
    promise: 1,
    file: "src/ledger/sqlite/purchases/stored-content.ts",
    find: "accountOf(tx, row, currency).reservedMicros += useReserveMicros;",
    replace: "accountOf(tx, row, currency).reservedMicros += quotedMicros - useReserveMicros;",
  },
  {
    name: "the report of a fetch counts in the period of the answer, its reservation in that of the decision",
    promise: 1,
    file: "src/ledger/sqlite/purchases/stored-content.ts",
    find: `    now,
    reservedAt,
    now,`,
    replace: `    now,
    now,
    now,`,
  },
  {
    name: "a report settles a use by its receipt and leaves the rest reserved",
    promise: 1,
    file: "src/ledger/sqlite/usage/report-uses.ts",
    find: ".reservedMicros -= multiplyMicros(toMicros(unitMicros), times);",
    replace: ".reservedMicros -= Math.min(share, multiplyMicros(toMicros(unitMicros), times));",
  },
  {
    name: "a receipt in another currency is booked in the licence's",
    promise: 1,
    file: "src/ledger/sqlite/usage/report-uses.ts",
    find: "balances.account({ ...movement, currency: chargedCurrency }).settledMicros += share;",
    replace: "balances.account({ ...movement, currency }).settledMicros += share;",
  },
  {
    name: "the parts of a split amount are rounded down one by one",
    promise: 1,
    file: "src/money/split-micros.ts",
    find: "const due = (BigInt(total) * weightSoFar) / whole;",
    replace: "const due = givenSoFar + (BigInt(total) * BigInt(weight)) / whole;",
  },
  {
    name: "a fee is rounded down",
    promise: 1,
    file: "src/money/multiply-ppm.ts",
    find: "return toMicros((product - rest) / PARTS_PER_MILLION + (rest > 0 ? 1 : 0));",
    replace: "return toMicros((product - rest) / PARTS_PER_MILLION);",
  },
  {
    name: "a fixed fee is added in whatever currency it is",
    promise: 1,
    file: "src/policy/fee.ts",
    find: "return fee.fixed !== null && fee.fixed.currency === price.currency ?",
    replace: "return fee.fixed !== null ?",
  },
  {
    name: "a limit's decimals are read as if they stood at the end",
    promise: 1,
    file: "src/money/parse-money.ts",
    find: 'decimals.padEnd(MAX_DECIMALS, "0")',
    replace: 'decimals.padStart(MAX_DECIMALS, "0")',
  },

  // One charge per decision: purchases, leases, doubt.
  {
    name: "a purchase is started again although it was started before",
    promise: 3,
    file: "src/purchase/purchase.ts",
    find: 'start: { from: ["reserved"], to: "started" }',
    replace: 'start: { from: ["reserved", "started"], to: "started" }',
  },
  {
    name: "a stale lease starts a purchase",
    promise: 3,
    file: "src/ledger/sqlite/purchases/purchase-rows.ts",
    find: "WHERE id = ? AND fence = ? AND state",
    replace: "WHERE id = ? AND fence >= ? AND state",
  },
  {
    name: "a start is told before it is committed",
    promise: 3,
    file: "src/ledger/sqlite/purchases/start-purchase.ts",
    find: "  return core.write((tx) => moveToStarted(tx, start));",
    replace: `  void core.write((tx) => moveToStarted(tx, start));
  return true;`,
  },
  {
    name: "stale leases open, decide and finish batches",
    promise: 3,
    file: "src/ledger/sqlite/runs/batches.ts",
    find: "FROM batch WHERE id = ? AND fence = ? AND state",
    replace: "FROM batch WHERE id = ? AND fence >= ? AND state",
  },
  {
    name: "a stale lease is renewed, on behalf of somebody else",
    promise: 6,
    file: "src/ledger/sqlite/runs/leases.ts",
    find: "UPDATE batch SET ready_at = ? WHERE id = ? AND fence = ? AND state",
    replace: "UPDATE batch SET ready_at = ? WHERE id = ? AND fence >= ? AND state",
  },
  {
    name: "a stale lease gives somebody else's batch back",
    promise: 6,
    file: "src/ledger/sqlite/runs/leases.ts",
    find: "SET state = 'ready', ready_at = ? WHERE id = ? AND fence = ? AND state",
    replace: "SET state = 'ready', ready_at = ? WHERE id = ? AND fence >= ? AND state",
  },
  {
    name: "a lease that has run out is given to the next under the same number",
    promise: 3,
    file: "src/ledger/sqlite/runs/leases.ts",
    find: "fence = fence + 1, ready_at",
    replace: "fence = fence + (state <> 'leased'), ready_at",
  },
  {
    name: "a batch is finished with purchases still open",
    promise: 6,
    file: "src/ledger/sqlite/purchases/open-purchases.ts",
    find: `AND ended_at IS NULL LIMIT 1", batch.id) !== undefined`,
    replace: `AND ended_at IS NULL LIMIT 1", batch.id) === 0`,
  },
  {
    name: "the ledger of a build before the release is opened as one of today",
    promise: 4,
    suite: "test/component/ledger/open.test.ts",
    file: "src/ledger/sqlite/engine/connection.ts",
    find: "if (!isEmpty && applicationId === UNRELEASED_APPLICATION_ID) {",
    replace:
      "if (applicationId === UNRELEASED_APPLICATION_ID) {\n    return;\n  }\n  if (applicationId === UNRELEASED_APPLICATION_ID) {",
  },
  {
    name: "the text of a trigger says something else than the ledger does",
    promise: 5,
    suite: "test/component/ledger/triggers.test.ts",
    file: "src/ledger/sqlite/schema/triggers.ts",
    find: "ELSE 'charged'\n",
    replace: "ELSE 'charged_late'\n",
  },
  {
    name: "a doubt of an earlier run does not hold the page",
    promise: 3,
    file: "src/ledger/sqlite/frontier/open-page.ts",
    find: "EXISTS (SELECT 1 FROM purchase d WHERE d.page_id = p.id AND d.state = 'in_doubt')",
    replace:
      "EXISTS (SELECT 1 FROM purchase d WHERE d.page_id = p.id AND d.state = 'in_doubt' AND d.run_id = (SELECT max(id) FROM run))",
  },
  {
    name: "a page in doubt is bought again under hold, and not bought again under rebuy",
    promise: 3,
    file: "src/ledger/sqlite/frontier/quote-batches.ts",
    find: 'inDoubt === "hold" ? "in_doubt"',
    replace: 'inDoubt !== "hold" ? "in_doubt"',
  },
  {
    name: "a page that another run has open is decided all the same",
    promise: 7,
    file: "src/ledger/sqlite/frontier/open-page.ts",
    find: "EXISTS (SELECT 1 FROM purchase o WHERE o.page_id = p.id AND o.ended_at IS NULL)",
    replace:
      "EXISTS (SELECT 1 FROM purchase o WHERE o.page_id = p.id AND o.ended_at IS NULL AND o.run_id = (SELECT max(id) FROM run))",
  },
  {
    name: "a page that another run has bought since the walk is bought again",
    promise: 3,
    file: "src/ledger/sqlite/frontier/judge-pages.ts",
    find: "return isCovered || !isWorthQuoting(page, stored, refresh, now);",
    replace: "return (isCovered || !isWorthQuoting(page, stored, refresh, now)) && page.storedAt === null;",
  },
  {
    name: "a page that has not changed is bought again in every run",
    promise: 3,
    file: "src/catalog/freshness.ts",
    find: "  if (entry.lastMod === null || entry.lastMod === stored.lastMod) {\n    return false;\n  }\n  if (",
    replace: "  if (entry.lastMod === null) {\n    return false;\n  }\n  if (entry.lastMod === stored.lastMod || ",
  },
  {
    name: "a page that is listed under two dates takes the one that came last",
    promise: 3,
    file: "src/ledger/sqlite/frontier/record-catalog-page.ts",
    find: "if (isLaterDate(entry, page)) {",
    replace: "if (entry.lastMod !== null) {",
  },
  {
    name: "a version that is younger than the least age is bought again",
    promise: 3,
    file: "src/catalog/freshness.ts",
    find: "(leastAgeMs > 0 && ageOf(stored, now) < leastAgeMs)",
    replace: "(leastAgeMs > 0 && ageOf(stored, now) < 0)",
  },
  {
    name: "permissions that the gateway does not say let a page pass a deny",
    promise: 2,
    file: "src/policy/match-rule.ts",
    find: 'has(name, effect === "deny")',
    replace: "has(name, false)",
  },
  {
    name: "a deny looks at the first reading of a path alone",
    promise: 2,
    file: "src/catalog/path-globs.ts",
    find: "possible.some(matches)",
    replace: "certain.slice(0, 1).some(matches)",
  },
  {
    name: "an allow is reached by climbing out of its folder",
    promise: 2,
    file: "src/catalog/path-readings.ts",
    find: "if (climbs(loose)) {",
    replace: "if (climbs(loose) && loose === path) {",
  },
  {
    name: "two spellings of a page are two pages",
    promise: 3,
    file: "src/catalog/canonical-escapes.ts",
    find: "canonical += isPlain ? character : percent.toUpperCase();",
    replace: "canonical += percent;",
  },
  {
    name: "two pages are one because a decoded escape makes another",
    promise: 3,
    file: "src/catalog/canonical-escapes.ts",
    find: "return HEX_DIGIT.test(character) && BEGUN_ESCAPE.test(before);",
    replace: "return HEX_DIGIT.test(character) && before === character;",
  },
  {
    name: "a budget that is used up stops every currency",
    promise: 6,
    file: "src/budget/covering-budgets.ts",
    find: "currencies.every((currency) => exhausted.has(currency))",
    replace: "currencies.some((currency) => exhausted.has(currency))",
  },
  {
    name: "denials of a run that may go on are pruned",
    promise: 6,
    file: "src/ledger/sqlite/frontier/denials.ts",
    find: `    AND r.frontier_dropped = 1
`,
    replace: "",
  },
  {
    name: "a walk that finds nothing new goes on for ever",
    promise: 7,
    file: "src/ledger/sqlite/frontier/record-catalog-page.ts",
    find: "pagesRead > MAX_IDLE_CATALOG_PAGES &&",
    replace: "pagesRead > 1_000 * MAX_IDLE_CATALOG_PAGES &&",
  },
  {
    name: "the high-water mark moves above pages whose rates were missing",
    promise: 6,
    file: "src/ledger/sqlite/runs/high-water.ts",
    find: '  "not_quoted",\n',
    replace: "",
  },
  {
    name: "a page without a date is bought again in every run",
    promise: 3,
    file: "src/catalog/freshness.ts",
    find: "if (entry.lastMod === null || entry.lastMod === stored.lastMod) {",
    replace: "if (entry.lastMod !== null && entry.lastMod === stored.lastMod) {",
  },
  {
    name: "a page that was only indexed counts as bought",
    promise: 6,
    file: "src/ledger/sqlite/frontier/catalog-pages.ts",
    find: 'if (page.storedAt === null || (intent === "content" && page.storedIntent === "indexing")) {',
    replace: 'if (page.storedAt === null || (intent === "indexing" && page.storedIntent === "indexing")) {',
  },
  {
    name: "the end of a run releases what was sent and never answered",
    promise: 3,
    file: "src/ledger/sqlite/runs/end-run.ts",
    find: '} else if (intent === "indexing") {',
    replace: '} else if (intent === "indexing" || intent === "content") {',
  },
  {
    name: "the stop of a site releases what was sent",
    promise: 3,
    file: "src/ledger/sqlite/purchases/take-back.ts",
    find: `  for (const { purchaseId, pageId } of reserved) {
`,
    replace: `  const sent = "SELECT p.id FROM batch b JOIN purchase p ON p.batch_id = b.id AND p.state = 'started' WHERE b.run_id = ? AND b.site_id = ?";
  for (const purchaseId of tx.values<number>(sent, runRowId, siteId)) {
    endReserved(tx, { purchaseId, reason: "content_refused", detail, now });
  }
  for (const { purchaseId, pageId } of reserved) {
`,
  },
  {
    name: "a refusal that comes late releases a purchase that is in doubt",
    promise: 3,
    file: "src/purchase/purchase.ts",
    find: 'refuse: { from: ["reserved", "started"], to',
    replace: 'refuse: { from: ["reserved", "started", "in_doubt"], to',
  },
  {
    name: "a purchase that another worker has started is released for want of a token",
    promise: 3,
    file: "src/purchase/purchase.ts",
    find: '? "withdraw" : "refuse"',
    replace: '? "refuse" : "refuse"',
  },
  {
    name: "a purchase that costs money can be given a second token",
    promise: 3,
    file: "src/ledger/sqlite/purchases/purchase-rows.ts",
    find: " AND intent = 'indexing'",
    replace: "",
  },
  {
    name: "an overcharge does not stop its site",
    promise: 1,
    file: "src/ledger/sqlite/purchases/answer-flaws.ts",
    find: "row.overcharged === 1 ? [describeOvercharge(row), ...named] : named",
    replace: "row.overcharged > 1 ? [describeOvercharge(row), ...named] : named",
  },
  {
    name: "what an overcharging site has reserved is still bought",
    promise: 1,
    file: "src/ledger/sqlite/runs/stop-site.ts",
    find: '["budget_exhausted", "max_pages", "max_spend", "max_duration"]',
    replace: '["budget_exhausted", "max_pages", "max_spend", "max_duration", "overcharged"]',
  },
  {
    name: "a resumed run forgets that an open item stops its site",
    promise: 1,
    file: "src/ledger/sqlite/runs/reopened-run.ts",
    find: "      applyLastingStop(tx, { runRowId, siteId, now });",
    replace: "      void [applyLastingStop, now];",
  },

  // Nothing paid for is lost.
  {
    name: "content that comes for a released purchase is refused",
    promise: 4,
    file: "src/purchase/purchase.ts",
    find: 'from: ["in_doubt", "released"]',
    replace: 'from: ["in_doubt"]',
  },
  {
    name: "content that comes for a purchase in doubt is refused",
    promise: 4,
    file: "src/purchase/purchase.ts",
    find: 'from: ["in_doubt", "released"]',
    replace: 'from: ["released"]',
  },
  {
    name: "content that comes after an operator said charged is thrown away",
    promise: 4,
    file: "src/ledger/sqlite/purchases/settle-purchase.ts",
    find: "if (found.hasContent === 1) {",
    replace: "if (found.hasContent === 1 || found.licenseId !== null) {",
  },
  {
    name: "content is written in a transaction after the charge's",
    promise: 4,
    file: "src/ledger/sqlite/purchases/settle-purchase.ts",
    find: `  }
  bookCharge(tx, row);
  keepContent(tx, row, settlement);
`,
    replace: `  }
  bookCharge(tx, row);
  setImmediate(() => keepContent(tx, row, settlement));
`,
  },
  {
    name: "a fetch is recorded as a use only where its report is charged",
    promise: 5,
    file: "src/ledger/sqlite/purchases/stored-content.ts",
    find: "if (row.reportsFetch === 1 && licenseId !== null && currency !== null) {",
    replace: "if (row.reportsFetch === 1 && licenseId !== null && currency !== null && row.useReserveMicros > 0) {",
  },
  {
    name: "content that comes late hides the newer version that was bought meanwhile",
    promise: 4,
    file: "src/ledger/sqlite/purchases/stored-content.ts",
    find: "WHERE id = ? AND coalesce(held_purchase_id, 0) < ?`",
    replace: "WHERE id = ? AND coalesce(held_purchase_id, 0) <> ?`",
  },

  // Durability.
  {
    name: "a commit is not forced to the disk",
    promise: 4,
    file: "src/ledger/sqlite/engine/connection.ts",
    find: 'db.pragma("synchronous = FULL");',
    replace: 'db.pragma("synchronous = NORMAL");',
  },
  {
    name: "nobody waits for another process's transaction",
    promise: 6,
    file: "src/ledger/sqlite/engine/connection.ts",
    find: "const BUSY_TIMEOUT_MS = 5_000;",
    replace: "const BUSY_TIMEOUT_MS = 0;",
  },
  {
    name: "a result is told before its group is committed",
    promise: 4,
    file: "src/ledger/sqlite/engine/group-commit.ts",
    find: "const results = operations.map(({ operation }) => operation());",
    replace: `const results = operations.map(({ operation, resolve }) => {
        const result = operation();
        resolve(result);
        return result;
      });`,
  },
  {
    name: "one operation that fails takes its whole group down",
    promise: 7,
    file: "src/ledger/sqlite/engine/group-commit.ts",
    find: "if (group.length > 1 && !isEnvironmental(error)) {",
    replace: "if (group.length > MAX_GROUP_OPERATIONS && !isEnvironmental(error)) {",
  },
  {
    name: "what waits when the ledger is closed is dropped",
    promise: 4,
    file: "src/ledger/sqlite/engine/group-commit.ts",
    find: "      closed = true;\n      commitPending();",
    replace: "      closed = true;",
  },

  // Reported once.
  {
    name: "a line of a report forgets the uses that were added to it in its row",
    promise: 5,
    file: "src/ledger/sqlite/usage/freeze-report.ts",
    find: "if (repeats.length > 0) {",
    replace: "if (repeats.length > 1) {",
  },
  {
    name: "uses under different licences are reported as one line",
    promise: 5,
    file: "src/ledger/sqlite/usage/freeze-report.ts",
    find: "    entry.licenseType === licenseType &&\n    entry.licenseCuid === licenseCuid &&\n",
    replace: "    entry.licenseType === licenseType &&\n    licenseCuid !== undefined &&\n",
  },
  {
    name: "a report is built again for each attempt",
    promise: 5,
    file: "src/ledger/sqlite/usage/outbox.ts",
    find: "  return { reportId, ...rest, body: new Uint8Array(body), entries: readEntries(tx, reportId) };",
    replace: `  const entries = readEntries(tx, reportId);
  return { reportId, ...rest, body: buildUsageBody({ idempotencyId, entries, licenseIdField: "licenseCuid" }), entries };`,
  },
  {
    name: "a report whose bytes are damaged is sent",
    promise: 5,
    file: "src/ledger/sqlite/usage/outbox.ts",
    find: "if (!hashBody(body).equals(bodyHash)) {",
    replace: "if (body.length === 0 && !hashBody(body).equals(bodyHash)) {",
  },
  {
    name: "a flusher goes on writing after another has taken its lease",
    promise: 5,
    file: "src/ledger/sqlite/usage/outbox.ts",
    find: `  return tx.value<number>("SELECT fence FROM flusher WHERE id = 1 AND expires_at IS NOT NULL") === fence;`,
    replace: `  return (tx.value<number>("SELECT fence FROM flusher WHERE id = 1 AND expires_at IS NOT NULL") ?? 0) >= fence;`,
  },
  {
    name: "an attempt is counted without a look at the fence",
    promise: 5,
    file: "src/ledger/sqlite/usage/send-report.ts",
    find: "holdsFence(tx, fence) && tx.run(COUNT_ATTEMPT",
    replace: "(fence < 0 || reportId > 0) && tx.run(COUNT_ATTEMPT",
  },
  {
    name: "a second flusher is let in beside the first",
    promise: 5,
    file: "src/ledger/sqlite/usage/flusher-lease.ts",
    find: "(expires_at IS NULL OR expires_at <= ? OR",
    replace: "(expires_at IS NULL OR expires_at <= ? + 60000 OR",
  },
  {
    name: "the uses of a report without an answer go into another",
    promise: 5,
    file: "src/ledger/sqlite/usage/send-report.ts",
    find: "    holdsFence(tx, fence) && tx.run(POSTPONE_REPORT",
    replace: `    holdsFence(tx, fence) &&
    tx.run(
      "UPDATE use SET state = 'pending', entry_id = NULL WHERE entry_id IN (SELECT id FROM usage_entry WHERE batch_id = ?)",
      reportId,
    ).changes > 0 &&
    tx.run(POSTPONE_REPORT`,
  },
  {
    name: "the uses of a report that was given up are reported again",
    promise: 5,
    file: "src/ledger/sqlite/usage/send-report.ts",
    find: `  for (const reportId of tx.values<number>(EXPIRE_REPORT, now, now - windowMs)) {
`,
    replace: `  for (const reportId of tx.values<number>(EXPIRE_REPORT, now, now - windowMs)) {
    tx.run(
      "UPDATE use SET state = 'pending', entry_id = NULL WHERE entry_id IN (SELECT id FROM usage_entry WHERE batch_id = ?)",
      reportId,
    );
`,
  },
  {
    name: "the reporting window begins anew with each attempt",
    promise: 5,
    file: "src/ledger/sqlite/usage/send-report.ts",
    find: "unknown_since = coalesce(unknown_since, @now)",
    replace: "unknown_since = coalesce(@now, unknown_since)",
  },
  {
    name: "a report is sent again after the reporting window",
    promise: 5,
    file: "src/ledger/sqlite/usage/send-report.ts",
    find: "AND state = 'frozen' AND unknown_since < ? RETURNING id",
    replace: "AND state = 'frozen' AND unknown_since < ? AND attempts > 1 RETURNING id",
  },
  {
    name: "the split of a refused report loses its last line where it has an odd number",
    promise: 5,
    file: "src/ledger/sqlite/usage/reject-report.ts",
    find: `  const middle = Math.ceil(entries.length / 2);
  for (const [index, idempotencyId] of idempotencyIds.entries()) {
    const from = index === 0 ? 0 : middle;
    const half = entries.slice(from, index === 0 ? middle : entries.length);`,
    replace: `  const middle = Math.floor(entries.length / 2);
  for (const [index, idempotencyId] of idempotencyIds.entries()) {
    const from = index * middle;
    const half = entries.slice(from, from + middle);`,
  },
  {
    name: "the split of a refused report keeps the uses of its second half",
    promise: 5,
    file: "src/ledger/sqlite/usage/reject-report.ts",
    find: "for (const [index, idempotencyId] of idempotencyIds.entries()) {",
    replace: "for (const [index, idempotencyId] of idempotencyIds.slice(0, 1).entries()) {",
  },
  {
    name: "a use that the gateway refuses is rejected without a word",
    promise: 5,
    file: "src/ledger/sqlite/usage/reject-report.ts",
    find: `  openItem(tx, { kind: "rejected_entry", about: { reportId, entryId }, detail, url, count: 1, at: now });
`,
    replace: `  void [openItem, detail, url, now];
`,
  },
  {
    name: "a report that is settled twice is booked twice",
    promise: 5,
    file: "src/ledger/sqlite/usage/settle-report.ts",
    find: 'if (state === "settled") {',
    replace: 'if (state === "settled" && settlement.receipts.length === 0) {',
  },
  {
    name: "an answer to a report that was split is booked beside its halves",
    promise: 5,
    file: "src/ledger/sqlite/usage/settle-report.ts",
    find: `reportId) !== undefined ||
      countUses(tx, reportId).length === 0)`,
    replace: `reportId) === 0 ||
      countUses(tx, -reportId).length === -1)`,
  },
  {
    name: "a use that is told again under its key is recorded again",
    promise: 5,
    file: "src/ledger/sqlite/usage/record-uses.ts",
    find: `    key,
    page.siteId,`,
    replace: `    times > 1 ? key : null,
    page.siteId,`,
  },

  // Resumed.
  {
    name: "pages of a batch that were not decided are lost",
    promise: 6,
    file: "src/ledger/sqlite/frontier/finish-batch.ts",
    find: `  if (left > 0) {
`,
    replace: `  if (left > due) {
`,
  },
  {
    name: "an interrupted run gives up what it has open",
    promise: 6,
    file: "src/ledger/sqlite/runs/end-run.ts",
    find: 'if ((state === "interrupted" || state === "failed") && current.takenOverBy === null) {',
    replace: 'if (state === "failed" && current.takenOverBy === null) {',
  },
  {
    name: "a resumed run leaves the leases of its dead workers",
    promise: 6,
    file: "src/ledger/sqlite/runs/assign-run.ts",
    find: "SET state = 'ready', ready_at = min(ready_at, @now)",
    replace: "SET state = 'ready', ready_at = max(ready_at, @now)",
  },
  {
    name: "a resumed run does not look again at what a limit had denied",
    promise: 6,
    file: "src/ledger/sqlite/runs/reopened-run.ts",
    find: `    undenyPages(tx, id, open);
`,
    replace: `    void open;
`,
  },
  {
    name: "a site's mark moves although pages of the walk were left in doubt",
    promise: 6,
    file: "src/ledger/sqlite/runs/high-water.ts",
    find: "(t.kind = 'in_doubt' OR (t.kind = 'released'",
    replace: "((t.kind = 'released'",
  },
  {
    name: "a site's mark moves although its walk was cut",
    promise: 6,
    file: "src/ledger/sqlite/runs/high-water.ts",
    find: "rs.walk_ended = 'complete' AND",
    replace: "rs.walk_ended IS NOT NULL AND",
  },
  {
    name: "an incremental walk stops above the mark instead of below",
    promise: 6,
    file: "src/ledger/sqlite/runs/high-water.ts",
    find: "highWaterAt - overlapMs : null",
    replace: "highWaterAt + overlapMs : null",
  },

  // Policy and rates.
  {
    name: "a deny rule matches nothing",
    promise: 2,
    file: "src/policy/decide-page.ts",
    find: "if (mismatch === null) {",
    replace: 'if (mismatch === null && (rule.effect === "allow" || rate === null)) {',
  },
  {
    name: "a maxPrice lets other currencies pass",
    promise: 2,
    file: "src/policy/match-rule.ts",
    find: "maxPrice !== null && (maxPrice.currency !== price.currency || price.micros > maxPrice.micros)",
    replace: "maxPrice !== null && maxPrice.currency === price.currency && price.micros > maxPrice.micros",
  },
  {
    name: "a price just above maxPrice passes",
    promise: 2,
    file: "src/policy/match-rule.ts",
    find: "price.micros > maxPrice.micros)",
    replace: "price.micros > maxPrice.micros + 1)",
  },
  {
    name: "one of the permissions asked for is enough",
    promise: 2,
    file: "src/policy/match-rule.ts",
    find: "!permissions.every(",
    replace: "!permissions.some(",
  },
  {
    name: "a licence passes that lacks only some of what it must lack",
    promise: 2,
    file: "src/policy/match-rule.ts",
    find: "lacks?.some(",
    replace: "lacks?.every(",
  },
  {
    name: "the dearest rate is bought",
    promise: 2,
    file: "src/policy/prefer-offer.ts",
    find: "a.offer.price.micros - b.offer.price.micros",
    replace: "b.offer.price.micros - a.offer.price.micros",
  },
  {
    name: "prices in different currencies are compared",
    promise: 2,
    file: "src/policy/prefer-offer.ts",
    find: "a.currency - b.currency || a.offer",
    replace: "a.offer",
  },
  {
    name: "a rate is bought in the instant in which it ends",
    promise: 2,
    file: "src/rates/offers.ts",
    find: "rate.validUntilAt <= now",
    replace: "rate.validUntilAt < now",
  },
  {
    name: "a rate is bought that the gateway marked with an error",
    promise: 2,
    file: "src/rates/offers.ts",
    find: 'if (rate.error !== null && rate.error !== "") {',
    replace: 'if (rate.error !== null && rate.error === "") {',
  },
];
