/** What finds a wrong number must find one. */
import { expect, test } from "vitest";
import { findOtherNumbers, type MarkedPage, wordsOf } from "./page-numbers.ts";

const DOCUMENT = [
  {
    runs: [
      { runId: "run_1", pages: 12, spend: { USD: 3_500 } },
      { runId: "run_2", pages: 7, spend: { USD: 90 } },
    ],
  },
];
const PAGE: MarkedPage = { commands: ["licet runs --json"], values: [], rows: [], unmarked: [] };

test("a page with the numbers of its commands has no others", () => {
  const rows = [{ text: "run_1", values: ["12", "3500"] }];
  expect(findOtherNumbers({ ...PAGE, values: ["12", "3500", "7"], rows }, DOCUMENT)).toEqual([]);
});

test("a number that no command says is found", () => {
  expect(findOtherNumbers({ ...PAGE, values: ["12", "3590"] }, DOCUMENT)).toEqual(["3590 is on the page alone"]);
});

test("the number of another row is found", () => {
  const rows = [{ text: "run_1", values: ["12", "90"] }];
  expect(findOtherNumbers({ ...PAGE, rows }, [DOCUMENT[0]?.runs])).toHaveLength(1);
});

test("a cell of a number without its mark is found", () => {
  expect(findOtherNumbers({ ...PAGE, unmarked: ["12"] }, DOCUMENT)).toHaveLength(1);
});

test("a command line is read as a shell reads it", () => {
  expect(wordsOf(`licet explain 'https://a.example/it'\\''s' --json`)).toEqual([
    "licet",
    "explain",
    "https://a.example/it's",
    "--json",
  ]);
});
