/** What gateways do that is legal and unfriendly: each takes one answer to it away. @type {readonly import("../mutants.mjs").Mutant[]} */
export const GATEWAY_MUTANTS = [
  {
    name: "a purchase is asked for as its page was spelled last",
    promise: 3,
    file: "src/ledger/sqlite/frontier/catalog-pages.ts",
    find: "  const { changes, lastInsertRowid } =\n    tx.run`INSERT INTO page (site_id",
    replace:
      "  tx.run`UPDATE purchase SET url = ${wireUrl} WHERE ended_at IS NULL AND page_id = (SELECT id FROM page WHERE url = ${url})`;\n  const { changes, lastInsertRowid } =\n    tx.run`INSERT INTO page (site_id",
  },
  {
    name: "what became of a report that was not answered is not remembered",
    promise: 5,
    file: "src/pipeline/report/report.ts",
    find: '  const unknownAttempts = meaning === "open" ? before + 1 : before;',
    replace: "  const unknownAttempts = 0;",
  },
  {
    name: "spellings that mean the same are two pages",
    promise: 3,
    file: "src/catalog/page-url.ts",
    find: "  const identity = canonicalEscapes(url.href);",
    replace: "  const identity = canonicalEscapes.length === 0 ? url.pathname : url.href;",
  },
  {
    name: "an overcharging site is bought from again by the next run",
    promise: 1,
    file: "src/ledger/sqlite/runs/lasting-stops.ts",
    find: '"SELECT id, kind, detail FROM open_item WHERE site_id = ? AND closed_at IS NULL ORDER BY id LIMIT 1"',
    replace:
      '"SELECT id, kind, detail FROM open_item WHERE site_id = ? AND closed_at IS NULL AND at > (SELECT max(started_at) FROM run) ORDER BY id LIMIT 1"',
  },
  {
    name: "a charge that cannot be read is booked without a word",
    promise: 7,
    file: "src/pipeline/settle/settle.ts",
    find: "    flaws: charge.flaws,",
    replace: '    flaws: charge.flaws.filter(({ kind }) => kind !== "charge_unreadable"),',
  },
  {
    name: "another licence than was ordered is taken without a word",
    promise: 2,
    file: "src/pipeline/settle/settle.ts",
    find: "    flaws: charge.flaws,",
    replace: '    flaws: charge.flaws.filter(({ kind }) => kind !== "license_mismatch"),',
  },
  {
    name: "five refused pages end their site",
    promise: 7,
    file: "src/pipeline/quote/granted-page.ts",
    find: "      await request();\n      return true;",
    replace: "      await request();\n      return false;",
  },
  {
    name: "answers are read before the next requests are sent",
    promise: 0,
    suite: "test/unit/gateway/next-requests.test.ts",
    file: "src/gateway/request-sender.ts",
    find: "    await this.#wire.received();\n",
    replace: "",
  },
];
