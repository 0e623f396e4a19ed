import { expect, it } from "vitest";
import type { SpoolRow } from "../../../../src/ledger/spool.ts";
import { type Attempt, toSpoolRow } from "../../../../src/serve/webhooks/delivery-records.ts";
import { MAX_RECORDS_OF_PAGE, recordsOfPages } from "../../../../src/serve/webhooks/records-of-pages.ts";

function* rowsOf(page: string, records: number): Iterable<SpoolRow> {
  for (let at = 1; at <= records; at++) {
    const wireUrl = `https://news.example/${page}`;
    const times = { lastAttempt: new Date(at).toISOString(), at, attempts: 1, isAnswered: false };
    const attempt: Attempt = { wireUrl, contentUrl: wireUrl, kind: "updated", subscription: "main", ...times };
    yield toSpoolRow(attempt);
  }
}

function* allOf(pages: readonly (readonly [string, number])[]): Iterable<SpoolRow> {
  for (const [page, records] of pages) {
    yield* rowsOf(page, records);
  }
}

const piecesOf = (...pages: (readonly [string, number])[]) =>
  [...recordsOfPages(allOf(pages))].map(({ attempts, keptFrom }) => ({
    records: attempts.length,
    pages: new Set(attempts.map(({ wireUrl }) => wireUrl)).size,
    firstAt: attempts[0]?.at,
    keptFrom,
  }));

it("keep all records of a page together, and let small pages share a piece", () => {
  expect(piecesOf()).toEqual([]);
  expect(piecesOf(["a", 300], ["b", 300], ["c", 1_200], ["d", 1])).toEqual([
    { records: 600, pages: 2, firstAt: 1, keptFrom: null },
    { records: 1_200, pages: 1, firstAt: 1, keptFrom: null },
    { records: 1, pages: 1, firstAt: 1, keptFrom: null },
  ]);
  expect(piecesOf(["a", MAX_RECORDS_OF_PAGE])).toMatchObject([{ records: MAX_RECORDS_OF_PAGE, keptFrom: null }]);
});

it("are the newest ones of a page that has very many, whatever that number is, in a piece of its own", () => {
  for (const many of [MAX_RECORDS_OF_PAGE + 1, 2 * MAX_RECORDS_OF_PAGE, 2 * MAX_RECORDS_OF_PAGE + 1, 50_000]) {
    const firstAt = many - MAX_RECORDS_OF_PAGE + 1;
    expect(piecesOf(["a", 2], ["b", many], ["c", 3])).toEqual([
      { records: MAX_RECORDS_OF_PAGE, pages: 1, firstAt, keptFrom: firstAt },
      { records: 5, pages: 2, firstAt: 1, keptFrom: null },
    ]);
  }
});
