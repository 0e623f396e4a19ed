/** Stages, jobs, queue and gateway client. @type {readonly import("../mutants.mjs").Mutant[]} */
export const PIPELINE_MUTANTS = [
  // ── acquire: the token, the start ──
  {
    name: "whoever lost the race to start a purchase sends it all the same",
    promise: 3,
    file: "src/pipeline/acquire/acquire.ts",
    find: "    return started ? token : null;",
    replace: "    return token;",
  },
  {
    name: "the chargeable request is sent while its start is still being committed",
    promise: 3,
    file: "src/pipeline/acquire/acquire.ts",
    find: "!mayNotBuy() && (await startPurchase(context, purchase, token));",
    replace: "!mayNotBuy() && (startPurchase(context, purchase, token).catch(() => {}), true);",
  },
  {
    name: "what was found started after a crash counts as never sent",
    promise: 3,
    file: "src/pipeline/acquire/acquire.ts",
    find: "fetchAndProbe(context, next, token, { mayHaveBeenSent })",
    replace: "fetchAndProbe(context, next, token, { mayHaveBeenSent: false })",
  },
  {
    name: "a purchase found started after a crash gets a new token",
    promise: 3,
    file: "src/pipeline/acquire/acquire.ts",
    find: "mayHaveBeenSent ? takeUp(context, next)",
    replace: "mayHaveBeenSent ? await requestToken(context.deps, next)",
  },
  {
    name: "a token failure that may pass gives the page up at once",
    promise: 7,
    file: "src/pipeline/acquire/acquire.ts",
    find: 'const refused = error.retry === "never" && error.stops === "page";',
    replace: 'const refused = error.stops === "page";',
  },
  {
    name: "the token's cap is twice the quoted price",
    promise: 2,
    file: "src/pipeline/acquire/request-token.ts",
    find: "maxPrice: quote.price,",
    replace: "maxPrice: { ...quote.price, micros: (quote.price.micros * 2) as typeof quote.price.micros },",
  },
  {
    name: "the token names no licence id",
    promise: 2,
    file: "src/pipeline/acquire/request-token.ts",
    find: "licenseCuid: quote.license.cuid,",
    replace: "licenseCuid: null,",
  },
  {
    name: "every token is asked for under the standard licence",
    promise: 2,
    file: "src/pipeline/acquire/request-token.ts",
    find: "    licenseType,\n",
    replace: '    licenseType: "ON_DEMAND_LICENSE",\n',
  },
  // ── probe: what an answer means ──
  {
    name: "a 401 after silence releases the purchase",
    promise: 3,
    file: "src/pipeline/probe/probe.ts",
    find: "{ token, mayHaveBeenSent, wasLimited, whyUnanswered });",
    replace: "{ token, ...sent, wasLimited, whyUnanswered });",
  },
  {
    name: "a 400 after silence releases the purchase",
    promise: 3,
    file: "src/pipeline/probe/probe.ts",
    find: 'answer.status === 400 && mayHaveBeenSent && purchase.intent === "content"',
    replace: 'answer.status === 400 && sent.mayHaveBeenSent && purchase.intent === "content"',
  },
  {
    name: "a proxy's 413 after silence releases the purchase",
    promise: 3,
    file: "src/pipeline/probe/probe.ts",
    find: "new Set([400, 401, 403, 404])",
    replace: "new Set([400, 401, 403, 404, 413])",
  },
  {
    name: "only the last attempt decides whether a purchase may have been sent",
    promise: 3,
    file: "src/pipeline/probe/probe.ts",
    find: "mayHaveBeenSent ||= answer.sent;",
    replace: "mayHaveBeenSent = answer.sent;",
  },
  {
    name: "an outage puts pages in doubt whose tokens live",
    promise: 3,
    suite: "test/component/pipeline/probe.test.ts",
    file: "src/pipeline/probe/probe.ts",
    find: "const isAway = mayBeAway && (await",
    replace: "const isAway = !mayBeAway && (await",
  },
  {
    name: "a command gives up in an outage what may have been charged",
    promise: 3,
    suite: "test/component/agent/runs/gateway-away.test.ts",
    file: "src/pipeline/work/outage-policy.ts",
    find: " isAway: check.isOutage,",
    replace: "",
  },
  {
    name: "a run that stops in an outage puts its pages in doubt",
    promise: 3,
    suite: "test/component/pipeline/probe.test.ts",
    file: "src/pipeline/probe/probe.ts",
    find: "if (!isAway) {",
    replace: "if (!isAway || !tokenExpires) {",
  },
  {
    name: "a page that was never sent fails in an outage",
    promise: 3,
    suite: "test/component/pipeline/probe.test.ts",
    file: "src/pipeline/probe/probe.ts",
    find: "const again = tokenExpires || isAway ?",
    replace: "const again = tokenExpires ?",
  },
  {
    name: "silence is given up as a refusal",
    promise: 3,
    file: "src/pipeline/probe/probe.ts",
    find: 'await holdInDoubt(context, purchase, tokenExpires ? "token_expired" : "unanswered", detail);',
    replace: 'await release(context, purchase, "content_refused", new LicetError("GATEWAY_FAILED", detail));',
  },
  {
    name: "a definite refusal becomes a doubt",
    promise: 3,
    file: "src/pipeline/probe/probe.ts",
    find: `          await release(context, purchase, "content_refused", refusal);
`,
    replace: `          await holdInDoubt(context, purchase, "unanswered", answer.detail);
`,
  },
  {
    name: "a worker that lost its lease takes a 401 for a definite no",
    promise: 3,
    suite: "test/component/pipeline/probe.test.ts",
    file: "src/pipeline/probe/probe.ts",
    find: "  if (!mayHaveBeenSent) {\n    if (!(await isOurs(context))) {",
    replace: "  if (!mayHaveBeenSent) {\n    if (context.signal.aborted) {",
  },
  {
    name: "a worker that lost its lease says that nothing was sent",
    promise: 3,
    file: "src/pipeline/probe/probe.ts",
    find: "  if (!(await isOurs(context))) {\n    return null;\n  }\n",
    replace: "",
  },
  {
    name: "a worker that lost its lease holds a page in doubt that it did not send",
    promise: 3,
    suite: "test/component/pipeline/probe.test.ts",
    file: "src/pipeline/probe/probe.ts",
    find: "  if (!(await isOurs(context))) {\n    return null;\n  }\n",
    replace: `  if (!(await isOurs(context))) {
    await holdInDoubt(context, purchase, "token_expired", detail);
    return null;
  }
`,
  },
  {
    name: "an unanswered paid request is sent again with a new token",
    promise: 3,
    file: "src/pipeline/probe/probe.ts",
    find: "    await deps.clock.sleep(waitMs, wasLast ? context.signal : undefined);\n",
    replace: `    await deps.clock.sleep(waitMs);
    if (answer.kind === "unanswered" && purchase.quote !== null) {
      token = await deps.gateway.issueContentToken({
        url: purchase.wireUrl,
        maxPrice: purchase.quote.price,
        licenseType: purchase.quote.license.licenseType as "ON_DEMAND_LICENSE",
        licenseCuid: purchase.quote.license.cuid,
        format: purchase.format === "markdown" ? "markdown" : "html",
      });
    }
`,
  },
  {
    name: "silence is probed beyond the token's life",
    promise: 3,
    file: "src/pipeline/probe/probe.ts",
    find: "const tokenExpires = deps.clock.now() + waitMs >= token.expiresAt;",
    replace: "const tokenExpires = deps.clock.now() >= token.expiresAt + waitMs;",
  },
  {
    name: "what is in doubt is released",
    promise: 3,
    file: "src/pipeline/probe/probe.ts",
    find: `  const isInDoubt = await deps.ledger.holdInDoubt({
    purchaseId: purchase.purchaseId,
    reason,
    detail,
    now: deps.clock.now(),
  });`,
    replace: `  const isInDoubt = await deps.ledger.releasePurchase({
    purchaseId: purchase.purchaseId,
    reason: "never_sent",
    detail,
    now: deps.clock.now(),
  });`,
  },
  // ── settle ──
  {
    name: "a settlement that meets a lock is not tried again",
    promise: 4,
    file: "src/pipeline/settle/settle.ts",
    find: "const SETTLE_ATTEMPTS = 6;",
    replace: "const SETTLE_ATTEMPTS = 1;",
  },
  {
    name: "a settlement that failed is swallowed",
    promise: 4,
    file: "src/pipeline/settle/settle.ts",
    find: `|| !PASSING_FAILURES.has(error.code)) {
        throw error;`,
    replace: `|| !PASSING_FAILURES.has(error.code)) {
        return { outcome: "repeated", stopped: null };`,
  },
  {
    name: "a page is converted before it is settled",
    promise: 4,
    file: "src/pipeline/settle/settle.ts",
    find: "  const settled = await commit(context, {",
    replace: `  if (purchase.format === "both") {
    await deps.converter.convert(answer.content.body, purchase.url);
  }
  const settled = await commit(context, {`,
  },
  {
    name: "the quoted price is booked whatever was charged",
    promise: 1,
    file: "src/pipeline/settle/settle.ts",
    find: "const claimed = isPlausible ? reported : null;",
    replace: "const claimed = isPlausible && reported === null ? reported : null;",
  },
  {
    name: "the fee is forgotten when a page is settled",
    promise: 1,
    file: "src/pipeline/settle/settle.ts",
    find: "const feeMicros = feeToBook(context, purchase, charge.booked);",
    replace: "const feeMicros = feeToBook.length === 0 ? feeToBook(context, purchase, charge.booked) : ZERO_MICROS;",
  },
  {
    name: "header and footer do not count in a page's hash",
    promise: 4,
    file: "src/pipeline/settle/settle.ts",
    find: 'hashContent({ header: content.header ?? "", body, footer: content.footer ?? "" })',
    replace: 'hashContent({ header: "", body, footer: "" })',
  },
  // ── release, site health ──
  {
    name: "a site that granted a page is stopped by five forbidden ones after it",
    promise: 7,
    file: "src/pipeline/site-health.ts",
    find: "grantedSteps.set(host, STEPS.indexOf(step));",
    replace: "refusals.delete(keyOf(host, step));",
  },
  {
    name: "the next pages of a site wait until the first batch of it has ended, also when it is proven",
    promise: 7,
    suite: "test/component/agent/runs/work-period.test.ts",
    file: "src/pipeline/settle/settle.ts",
    find: "    deps.siteHealth.proven(batch.host);",
    replace: "",
  },
  {
    name: "all quote batches of a site are worked on at once",
    promise: 7,
    suite: "test/component/pipeline/dispatch.test.ts",
    file: "src/ledger/sqlite/runs/leases.ts",
    find: '(stage === "quote" ? mayQuote() : mayBuy',
    replace: '(stage === "quote" ? true : mayBuy',
  },
  {
    name: "a worker elsewhere that proves a site tells nobody",
    promise: 7,
    suite: "test/component/worker/told-dispatcher.test.ts",
    file: "src/serve/workers/session-port.ts",
    find: "    held.offer.deps.siteHealth.proven(held.host);",
    replace: "",
  },
  {
    name: "a dispatcher that reads the ledger is not woken",
    promise: 7,
    suite: "test/unit/pipeline/in-flight-jobs.test.ts",
    file: "src/pipeline/work/in-flight-jobs.ts",
    find: "    isWoken = true;",
    replace: "    isWoken = waiting !== null;",
  },
  {
    name: "a forbidden part of a site stops all of it before another part was asked",
    promise: 7,
    file: "src/pipeline/quote/granted-page.ts",
    find: "const others = isOnePart ? listElsewhere(elsewhere) : [];",
    replace: "const others: readonly string[] = [];",
  },
  {
    name: "forbidden tokens in front stop a site whose other part is good",
    promise: 7,
    file: "src/pipeline/acquire/forbidden-pages.ts",
    find: "  const isGranted = await isAnyGranted(others.map((other) => () => requestToken(deps, other)));",
    replace: "  const isGranted = false;",
  },
  {
    name: "forbidden tokens of one part stop a site of which no other part was asked",
    promise: 7,
    file: "src/pipeline/acquire/forbidden-pages.ts",
    find: "if (isPartOnly && !(await isOnePart(context, query))) {",
    replace: "if (false) {",
  },
  {
    name: "a site whose second part is forbidden too is asked for all of it",
    promise: 7,
    file: "src/pipeline/acquire/forbidden-pages.ts",
    find: 'const isPartOnly = otherParts.length === 0 && siteHealth.forbiddenParts(host, "token") === 1;',
    replace: "const isPartOnly = otherParts.length === 0;",
  },
  {
    name: "tokens of other pages are asked for under the terms of this purchase",
    promise: 2,
    file: "src/pipeline/acquire/forbidden-pages.ts",
    find: "() => requestToken(deps, other)",
    replace: "() => requestToken(deps, { ...purchase, wireUrl: other.wireUrl })",
  },
  {
    name: "forbidden contents of one part stop a site whose other part is good",
    promise: 7,
    file: "src/pipeline/acquire/forbidden-pages.ts",
    find: 'deps.siteHealth.forbiddenParts(host, "content") > 1',
    replace: 'deps.siteHealth.forbiddenParts(host, "content") > 0',
  },
  {
    name: "a token or rates that were granted say nothing of the site",
    promise: 7,
    file: "src/pipeline/quote/quote.ts",
    find: '!deps.siteHealth.isGranted(host, "rates")',
    replace: "true",
  },
  {
    name: "a forbidden batch does not wait for the walk",
    promise: 7,
    file: "src/pipeline/quote/quote.ts",
    find: "if (otherPart !== null || walkEnded) {",
    replace: "if (otherPart !== null || walkEnded || attempt > 0) {",
  },
  // ── leases, repetition ──
  {
    name: "a lease is renewed only after it has run out",
    promise: 3,
    file: "src/pipeline/work/keep-lease.ts",
    find: "leaseMs / RENEWALS_PER_LEASE",
    replace: "leaseMs * RENEWALS_PER_LEASE",
  },
  {
    name: "a lease is renewed as if it began with its job",
    promise: 6,
    suite: "test/unit/pipeline/keep-lease.test.ts",
    file: "src/pipeline/work/keep-lease.ts",
    find: "Math.max(0, Math.min(betweenMs, leftMs - leaseMs + betweenMs))",
    replace: "betweenMs",
  },
  {
    name: "a lost lease is ignored",
    promise: 6,
    file: "src/pipeline/work/keep-lease.ts",
    find: `        lost.abort();
        return;`,
    replace: "        continue;",
  },
  {
    name: "a batch that fails for ever is tried for ever",
    promise: 7,
    file: "src/pipeline/work/retry-batch.ts",
    find: " || lease.attempt >= deps.limits.batchAttempts) {",
    replace: ") {",
  },
  {
    name: "a failed batch comes back without a wait",
    promise: 7,
    file: "src/pipeline/work/retry-batch.ts",
    find: "notBefore: deps.clock.now() + waitMs",
    replace: "notBefore: deps.clock.now()",
  },
  // ── walk, catalog ──
  {
    name: "the site's exclude globs are not asked",
    promise: 2,
    file: "src/pipeline/walk/walk.ts",
    find: "excluded: site.isExcluded(parsed.pageUrl.path),",
    replace: "excluded: site.isExcluded(parsed.pageUrl.url),",
  },
  {
    name: "a lastMod in the future becomes the mark of the next walk",
    promise: 7,
    file: "src/pipeline/walk/walk.ts",
    find: "lastModAt: lastModAt === null ? null : Math.min(lastModAt, now),",
    replace: "lastModAt,",
  },
  {
    name: "catalog lines that cannot be read leave no trace",
    promise: 7,
    file: "src/pipeline/walk/walk.ts",
    find: "      page.unreadable === 0\n",
    replace: "      page.unreadable <= entries.length\n",
  },
  {
    name: "a host that ends like the site's is the site",
    promise: 2,
    file: "src/catalog/page-url.ts",
    find: "if (url.host !== canonicalHost(host, url.protocol)) {",
    replace: "if (!url.host.endsWith(canonicalHost(host, url.protocol) ?? host)) {",
  },
  {
    name: "a catalog out of order ends an incremental walk",
    promise: 7,
    file: "src/catalog/walk-state.ts",
    find: "(reachedMark && ordered)",
    replace: "(reachedMark && state.ordered)",
  },
  {
    name: "a catalog's broken page token counts as its end",
    promise: 7,
    file: "src/gateway/endpoints/catalog-list.ts",
    find: `  const pageToken = json.pageToken ?? "";
  if (!Array.isArray(lines) || typeof pageToken !== "string") {`,
    replace: `  const pageToken = typeof json.pageToken === "string" ? json.pageToken : "";
  if (!Array.isArray(lines)) {`,
  },
  // ── quote, decide, plan ──
  {
    name: "the halves of a quote batch come back in the wrong order",
    promise: 2,
    file: "src/pipeline/quote/quote.ts",
    find: "for (const half of [pages.slice(0, middle), pages.slice(middle)]) {",
    replace: "for (const half of [pages.slice(middle), pages.slice(0, middle)]) {",
  },
  {
    name: "one refused URL fails its whole batch",
    promise: 7,
    file: "src/pipeline/quote/quote.ts",
    find: `  if (pages.length === 1) {
    return [{ kind: "refused", detail: error.message }];`,
    replace: `  if (pages.length === 1) {
    throw error;`,
  },
  {
    name: "bulk rates are matched by position",
    promise: 2,
    file: "src/gateway/endpoints/rates-batch.ts",
    find: `  for (const entry of json) {
    const url = isObject(entry) ? readText(entry.url) : null;`,
    replace: `  for (const [index, entry] of json.entries()) {
    const url = isObject(entry) ? (urls[index] ?? readText(entry.url)) : null;`,
  },
  {
    name: "fetches that are not billed are not reported",
    promise: 5,
    file: "src/pipeline/decide/decision-terms.ts",
    find: 'const reportsFetch = intent === "content" && site.reporting.kinds.includes("fetch");',
    replace:
      'const reportsFetch = intent === "content" && ["kinds", "billed"].every((terms) => site.reporting[terms].includes("fetch"));',
  },
  {
    name: "nothing is set aside for a fetch that is billed again on its report",
    promise: 1,
    file: "src/pipeline/decide/page-decision.ts",
    find: 'isFetchBilled: isBilled("fetch", reporting)',
    replace: 'isFetchBilled: isBilled("fetch", reporting) && isBilled("use", reporting) && false',
  },
  {
    name: "the gateway's fee is not set aside",
    promise: 1,
    file: "src/policy/price.ts",
    find: "feeMicros: feeOf(fee, price),",
    replace: "feeMicros: price.micros < 0 ? feeOf(fee, price) : ZERO_MICROS,",
  },
  {
    name: "a plan reserves what it would buy",
    promise: 1,
    file: "src/ledger/sqlite/frontier/page-decisions.ts",
    find: "  if (pages.run.isPlan) {",
    replace: "  if (pages.run.isPlan && pages.decisions.length === 0) {",
  },
  {
    name: "a plan does not count what it has set aside itself",
    promise: 1,
    suite: "test/component/pipeline/plan.test.ts",
    file: "src/ledger/sqlite/frontier/run-limits.ts",
    find: "planned.get(nameRow(key)) ?? ZERO_MICROS",
    replace: "(planned.has(nameRow(key)) ? ZERO_MICROS : ZERO_MICROS)",
  },
  {
    name: "a plan goes on where a run has reached its limit",
    promise: 2,
    suite: "test/component/pipeline/plan.test.ts",
    file: "src/pipeline/plan/plan-ends.ts",
    find: "site.reached ??= reached;",
    replace: "site.reached ??= null;",
  },
  {
    name: "explain does not ask whether a page is being bought",
    promise: 3,
    suite: "test/contract/ledger-sqlite.test.ts",
    file: "src/ledger/sqlite/frontier/find-obstacles.ts",
    find: "block: findBlock(page, inDoubt),",
    replace: "block: page.keepOff === 1 ? findBlock(page, inDoubt) : null,",
  },
  // ── the run ──
  {
    name: "a run ends while others still hold its batches",
    promise: 6,
    file: "src/pipeline/work/dispatch.ts",
    find: "if (progress.openBatches === 0 && !hadMore) {",
    replace: "if ((progress.openBatches === 0 || progress.nextReadyAt === null) && !hadMore) {",
  },
  {
    name: "a job that is delivered twice is worked on twice at once",
    promise: 3,
    file: "jobs/outcome.ts",
    find: "if (inFlight.active.has(key)) {",
    replace: 'if (inFlight.active.has(key) && job.stage === "report") {',
  },
  {
    name: "a failure that ends the run is swallowed by its job",
    promise: 7,
    file: "jobs/outcome.ts",
    find: "      onFailure(error);\n",
    replace: '      if (error.stops === "run" && error.retry === "never") {\n        onFailure(error);\n      }\n',
  },
  {
    name: "the last flush of a run is skipped",
    promise: 5,
    file: "src/agent/runs/work-period.ts",
    find: '(stop === null || stop.state === "max_duration") && !period',
    replace: 'stop?.state === "max_duration" && !period',
  },
  {
    name: "a run that failed cannot be resumed",
    promise: 6,
    file: "src/agent/runs/run-end.ts",
    find: 'state: "failed", reason, now: clock.now(), process });',
    replace: 'state: "cancelled", reason, now: clock.now(), process });',
  },
  {
    name: "the last few pages that wait for their Markdown are left out",
    promise: 4,
    file: "src/pipeline/settle/derive-markdown.ts",
    find: "while (pages.length > 0) {",
    replace: "while (pages.length >= SWEEP_BATCH) {",
  },
  {
    name: "budgets of scope run do not reach the stages",
    promise: 1,
    file: "src/agent/compose.ts",
    find: "    budgets: config.budgets,\n",
    replace: '    budgets: config.budgets.filter(({ scope }) => scope.kind !== "run"),\n',
  },
  {
    name: "a run with a most to spend chooses rates in other currencies",
    promise: 7,
    file: "src/agent/compose.ts",
    find: "maxSpend === null ? budgeted : new Set([...budgeted].filter((currency) => currency === maxSpend.currency)),",
    replace: "new Set([...budgeted, ...(maxSpend === null ? [] : [maxSpend.currency])]),",
  },
  {
    name: "the call's most to spend is ignored",
    promise: 1,
    file: "src/agent/runs/begin-run.ts",
    find: "maxSpend: options.maxSpend ?? null },",
    replace: "maxSpend: null },",
  },
  {
    name: "uses are recorded without budgets",
    promise: 1,
    file: "src/agent/usage/use-agent.ts",
    find: "budgets: config.budgets,",
    replace: 'budgets: config.budgets.filter(({ scope }) => scope.kind === "site"),',
  },
  {
    name: "a use's key is dropped",
    promise: 5,
    file: "src/agent/usage/use-agent.ts",
    find: "terms: null, key }",
    replace: 'terms: null, key: key === "" ? key : null }',
  },
  // ── report ──
  {
    name: "a report is sent before its attempt is recorded",
    promise: 5,
    file: "src/pipeline/report/report.ts",
    find: `  if (!(await deps.ledger.recordAttempt({ fence, reportId: frozen.reportId, now: deps.clock.now() }))) {
    return REPORTED_ELSEWHERE;
  }
  const answer = await deps.gateway.reportUsage(frozen.body);`,
    replace: `  const answer = await deps.gateway.reportUsage(frozen.body);
  if (!(await deps.ledger.recordAttempt({ fence, reportId: frozen.reportId, now: deps.clock.now() }))) {
    return REPORTED_ELSEWHERE;
  }`,
  },
  {
    name: "a flusher that lost its lease goes on",
    promise: 5,
    file: "src/pipeline/report/report.ts",
    find: `  if (!(await deps.ledger.recordAttempt({ fence, reportId: frozen.reportId, now: deps.clock.now() }))) {
    return REPORTED_ELSEWHERE;
  }`,
    replace: "  await deps.ledger.recordAttempt({ fence, reportId: frozen.reportId, now: deps.clock.now() });",
  },
  {
    name: "a batch is sent again under a new id",
    promise: 5,
    file: "src/pipeline/report/report.ts",
    find: "await deps.gateway.reportUsage(frozen.body);",
    replace: `await deps.gateway.reportUsage(
    frozen.attempts === 0
      ? frozen.body
      : Buffer.from(
          JSON.stringify({
            ...JSON.parse(Buffer.from(frozen.body).toString("utf8")),
            idempotencyId: deps.ids.newIdempotencyId(),
          }),
        ),
  );`,
  },
  {
    name: "a batch is sent again with a body built anew",
    promise: 5,
    file: "src/pipeline/report/report.ts",
    find: "await deps.gateway.reportUsage(frozen.body);",
    replace: `await deps.gateway.reportUsage(
    frozen.attempts === 0
      ? frozen.body
      : Buffer.from(JSON.stringify(JSON.parse(Buffer.from(frozen.body).toString("utf8")), null, 1)),
  );`,
  },
  {
    name: "a 409 after silence rejects the report",
    promise: 5,
    file: "src/pipeline/report/refused-report.ts",
    find: `      if (isRepeated) {
`,
    replace: `      if (isRepeated && answer.status !== 409) {
`,
  },
  {
    name: "a report sent to the wrong place rejects what it reported",
    promise: 5,
    file: "src/pipeline/report/refused-report.ts",
    find: "return (await ledger.countPendingUses()).reported === 0;",
    replace: "return (await ledger.countPendingUses()).reported < 0;",
  },
  {
    name: "receipts are matched by position",
    promise: 5,
    file: "src/pipeline/report/report.ts",
    find: "receipt: matched.receipts[index] ?? null,",
    replace: "receipt: answer.receipts[index] ?? null,",
  },
  {
    name: "a receipt of another licence is taken",
    promise: 5,
    file: "src/usage/reconcile.ts",
    find: "unclaimed.has(index) && isSameType(entry, receipt) && agrees(entry, receipt)",
    replace: "unclaimed.has(index) && agrees(entry, receipt)",
  },
  {
    name: "a report is repeated after the gateway may have forgotten its id",
    promise: 5,
    file: "src/agent/compose.ts",
    find: "reportWindowMs: reporting.windowMs,",
    replace: "reportWindowMs: Math.max(reporting.windowMs, 30 * 86_400_000),",
  },
  {
    name: "an unanswered report is rejected",
    promise: 5,
    file: "src/gateway/once-answer.ts",
    find: '{ kind: "unanswered", detail: answer.detail, retryAfterMs: null, mayBeTaken: answer.sent };',
    replace: '{ kind: "rejected", status: 400, detail: answer.detail };',
  },
  {
    name: "a report whose answer cannot be read is accepted",
    promise: 5,
    file: "src/gateway/once-answer.ts",
    find: `      ? {
          kind: "unanswered",
          detail: \`the gateway's answer contains no receipts\${foreign}\`,
          retryAfterMs: null,
          mayBeTaken: true,
        }`,
    replace: '      ? { kind: "accepted", receipts: [], unreadable: 0 }',
  },
  {
    name: "a 403 to a report rejects what it reported",
    promise: 5,
    file: "src/gateway/once-answer.ts",
    find: "if (status === 401 || status === 403) {",
    replace: "if (status === 401) {",
  },
  {
    name: "a 500 to a report rejects what it reported",
    promise: 5,
    file: "src/gateway/once-answer.ts",
    find: "status === 429 || status >= 500;",
    replace: "status === 429 || status > 500;",
  },
  // ── the gateway client ──
  {
    name: "a 500 to the chargeable request is a definite no",
    promise: 3,
    file: "src/gateway/once-answer.ts",
    find: "if (status === 408 || status >= 500) {",
    replace: "if (status === 408 || status > 500) {",
  },
  {
    name: "a success without content is a definite no",
    promise: 3,
    file: "src/gateway/once-answer.ts",
    find: '? unanswered("bad_body", content)',
    replace: '? { kind: "refused", status, detail: content, requestId: null }',
  },
  {
    name: "a redirect after silence releases the purchase",
    promise: 3,
    file: "src/pipeline/probe/probe.ts",
    find: "!mayHaveBeenSent || OWN_REFUSALS.has(answer.status) ||",
    replace: "!mayHaveBeenSent || OWN_REFUSALS.has(answer.status) || answer.status < 400 ||",
  },
  {
    name: "the client sends whatever was reset again",
    promise: 3,
    file: "src/gateway/request-sender.ts",
    find: "    const answer = await this.#wire.send(request, signal);\n",
    replace: `    let answer = await this.#wire.send(request, signal);
    if (answer.kind === "failed" && answer.reason === "reset") {
      answer = await this.#wire.send(request, signal);
    }
`,
  },
  {
    name: "a request counts as sent only when an answer has begun",
    promise: 3,
    file: "src/gateway/exchange.ts",
    find: 'this.#end({ kind: "failed", reason, sent: this.#controller !== null, detail });',
    replace: 'this.#end({ kind: "failed", reason, sent: this.#status !== 0, detail });',
  },
  {
    name: "the API key goes out with the content request",
    promise: 7,
    file: "src/gateway/gateway-client.ts",
    find: `          headers.token,
`,
    replace: `          headers.key,
          this.#options.apiKey,
          headers.token,
`,
  },
  {
    name: "nobody pauses after a 429",
    promise: 7,
    file: "src/gateway/request-sender.ts",
    find: "this.#gate.rateLimited(pass, this.#retryAfterMs(answer), sending);",
    replace: "this.#gate.served(pass);",
  },
  {
    name: "contents wait behind the tokens of other pages",
    promise: 7,
    file: "src/gateway/request-gate.ts",
    find: "(other === null || this.#contentsInARow < CONTENTS_IN_A_ROW)",
    replace: "other === null",
  },
  {
    name: "contents keep everybody else out of the gate",
    promise: 7,
    file: "src/gateway/request-gate.ts",
    find: "(other === null || this.#contentsInARow < CONTENTS_IN_A_ROW)",
    replace: "true",
  },
  {
    name: "tokens are asked for while limited contents wait",
    promise: 7,
    file: "src/gateway/request-gate.ts",
    find: "      this.#limitedContents += 1;",
    replace: "",
  },
  {
    name: "a Retry-After is read as milliseconds",
    promise: 7,
    file: "src/gateway/backoff.ts",
    find: "Math.ceil(Number(text) * 1000)",
    replace: "Math.ceil(Number(text))",
  },
  {
    name: "bytes that are not UTF-8 are stored as they came",
    promise: 4,
    file: "src/gateway/body-bytes.ts",
    find: "text.includes(UNICODE_ESCAPE) || !isUtf8(answer)",
    replace: "text.includes(UNICODE_ESCAPE) || (!isUtf8(answer) && answer.length === 0)",
  },
  {
    name: "the title of a page whose body was cut out has a letter for each of its bytes",
    promise: 4,
    file: "src/gateway/body-bytes.ts",
    find: 'Buffer.from(field, "latin1").toString("utf8");',
    replace: "field;",
  },
  {
    name: "a price that is text, or none, is read as a number",
    promise: 2,
    file: "src/gateway/json-answer.ts",
    find: "return Number.isSafeInteger(value) && (value as number) >= 0 ? (((value as number) + 0) as Micros) : null;",
    replace:
      "return Number.isSafeInteger(Number(value)) && Number(value) >= 0 ? ((Number(value) + 0) as Micros) : null;",
  },
  {
    name: "a negative price is read",
    promise: 1,
    file: "src/gateway/json-answer.ts",
    find: "&& (value as number) >= 0 ?",
    replace: "&& (value as number) >= -Number.MAX_SAFE_INTEGER ?",
  },
  {
    name: "a price without a currency is one in USD",
    promise: 1,
    file: "src/gateway/json-answer.ts",
    find: "CURRENCY.test(value) ? value.toUpperCase() : null;",
    replace: 'CURRENCY.test(value) ? value.toUpperCase() : "USD";',
  },
  {
    name: "the token request carries no cap",
    promise: 2,
    file: "src/gateway/endpoints/token-content.ts",
    find: "      maxPriceMicros: maxPrice.micros,\n",
    replace: "",
  },
  {
    name: "a rate with an error object is on offer",
    promise: 2,
    file: "src/gateway/endpoints/rate-option.ts",
    find: 'value === "" || value === false) {',
    replace: 'value === "" || typeof value === "object") {',
  },
  // ── queue, configuration ──
  {
    name: "jobs at work do not count as in the queue",
    promise: 6,
    file: "src/queue/bullmq-queue.ts",
    find: 'queue.getJobCounts("waiting", "active", "delayed")',
    replace: 'queue.getJobCounts("waiting")',
  },
  {
    name: "a budget without a period begins anew each month",
    promise: 1,
    file: "src/config/schema/site-schema.ts",
    find: 'per = "total"',
    replace: 'per = "month"',
  },
  {
    name: "a fee of 2.5 percent becomes one of 0.0025",
    promise: 1,
    file: "src/config/schema/gateway-schema.ts",
    find: 'Number(units + decimals.padEnd(String(PARTS_PER_MILLION / 100).length - 1, "0"))',
    replace: "Number(units + decimals)",
  },
];
