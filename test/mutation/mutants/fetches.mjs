/** Fetches and the MCP server: caps, runs of a call, what is held. @type {readonly import("../mutants.mjs").Mutant[]} */
const FETCH = "test/component/agent/fetch/fetch.test.ts";
const MCP = "test/component/mcp/mcp-server.test.ts";
const TOGETHER = "test/component/agent/fetch/fetch-together.test.ts";
const TROUBLE = "test/component/agent/fetch/fetch-trouble.test.ts";

export const FETCH_MUTANTS = [
  {
    name: "the run of a fetch does not know the cap of its call",
    promise: 1,
    suite: MCP,
    file: "src/agent/fetch/missing-pages.ts",
    find: "{ expiry, pages, maxPrice, maxSpend, trustClock,",
    replace: "{ expiry, pages, maxPrice, maxSpend: maxSpend === undefined ? maxSpend : null, trustClock,",
  },
  {
    name: "a fetch whose purchases nobody can read has spent nothing",
    promise: 1,
    suite: MCP,
    file: "src/agent/fetch/missing-pages.ts",
    find: "    spending.addUnknown();\n",
    replace: "",
  },
  {
    name: "what was bought is lost when the run of a fetch cannot be ended",
    promise: 1,
    suite: MCP,
    file: "src/agent/fetch/fetch-run.ts",
    find: "const ended = await orError(ledger.endRun({ ...run, ...state, now: clock.now() }));",
    replace: "const ended = await ledger.endRun({ ...run, ...state, now: clock.now() });",
  },
  {
    name: "a fetch buys once before the others are through with its pages, and again after them",
    promise: 1,
    suite: TOGETHER,
    file: "src/agent/fetch/missing-pages.ts",
    find: `    taken.release();
    await waitForCalls(`,
    replace: `    const mine = taken.mine.flatMap((url) => left.get(url) ?? []);
    take(await buy(deps, mine, { held, call }).finally(() => taken.release()));
    await waitForCalls(`,
  },
  {
    name: "a fetch of a page that a person took out says that nobody decided it",
    promise: 7,
    suite: TROUBLE,
    file: "src/agent/fetch/missing-pages.ts",
    find: "why !== null && (own?.stop ?? null) === null ? answerRightsEnded(why)",
    replace: 'why === "" ? answerRightsEnded(why)',
  },
  {
    name: "reading on in a text buys its page again",
    promise: 1,
    suite: MCP,
    file: "src/mcp/buying-session.ts",
    find: "if (!buys || readsOn || results",
    replace: "if (!buys || results",
  },
  {
    name: "a licence that ends on a day ends at the beginning of that day",
    promise: 1,
    suite: MCP,
    file: "src/rates/valid-until.ts",
    find: "return iso.hasTime ? iso.at : iso.at + DAY_MS;",
    replace: "return iso.at;",
  },
  {
    name: "a dead fetch holds its money until somebody wants its pages",
    promise: 6,
    suite: TOGETHER,
    file: "src/agent/fetch/missing-pages.ts",
    find: "  await finishDeadFetches(resources, ledger, { events, signal: call.signal });\n",
    replace: "",
  },
  {
    name: "a server for agents keeps the policies of its start",
    promise: 2,
    suite: "test/unit/cli/current-agent.test.ts",
    file: "src/cli/current-agent.ts",
    find: "if (!isDeepStrictEqual(config, current.config)) {",
    replace: "if (config === current.config) {",
  },
  {
    name: "a fetch buys under http what is held under https",
    promise: 3,
    suite: FETCH,
    file: "src/agent/fetch/held-pages.ts",
    find: "for (const one of [byUrl.get(url), byUrl.get(withOtherScheme(url))]) {",
    replace: "for (const one of [byUrl.get(url)]) {",
  },
  {
    name: "one call of fetch buys a page under http and under https",
    promise: 3,
    suite: FETCH,
    file: "src/agent/fetch/wanted-pages.ts",
    find: "[pageUrl.url, withOtherScheme(pageUrl.url)].find(",
    replace: "[pageUrl.url].find(",
  },
  {
    name: "two calls of fetch buy a page under http and under https at once",
    promise: 3,
    suite: FETCH,
    file: "src/catalog/page-url.ts",
    find: 'return identity.slice(identity.indexOf(":") + 1);',
    replace: "return identity;",
  },
  {
    name: "a list buys a page under http and https without a word",
    promise: 3,
    suite: "test/crawl/lists.test.ts",
    file: "src/ledger/sqlite/lists/record-lines.ts",
    find: "site.otherScheme ??= isKnown.get(withOtherScheme(url)) === undefined ? null : url;",
    replace: "site.otherScheme ??= isKnown.get(url) === undefined ? url : null;",
  },
  {
    name: "texts of the network in an answer for an agent are as long as somebody made them",
    promise: 7,
    suite: MCP,
    file: "src/mcp/network-text.ts",
    find: "return clean.length <= MAX_VALUE_CHARS ? clean :",
    replace: "return clean.length >= 0 ? clean :",
  },
  {
    name: "an agent reads a licence's own words as if they were licet's",
    promise: 7,
    suite: MCP,
    file: "src/mcp/tools/page-arguments.ts",
    find: 'license: isLicenseType(licenseType) ? licenseType : "other",',
    replace: 'license: isLicenseType(licenseType) ? licenseType : (licenseType as "other"),',
  },
  {
    name: "a quote for an agent says what the next run would do, and not what a fetch does",
    promise: 7,
    suite: MCP,
    file: "src/mcp/tools/quote-tool.ts",
    find: "  if (isUsable) {",
    replace: "  if (isUsable && live === undefined) {",
  },
];
