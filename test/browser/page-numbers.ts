/**
 * The numbers of a page, and whether they are those of the command beside it. A page marks each number with `<data value>` and each instant with
 * `<time datetime>`; the command answers a document, and each of them must be in it. Those of one row of a table must be in one part of it.
 */
import type { Page } from "playwright-core";

export interface MarkedRow {
  /** What stands in the row, for the message of a failure. */
  readonly text: string;
  readonly values: readonly string[];
}

export interface MarkedPage {
  /** Those that say the same. None: the page says that no command does. */
  readonly commands: readonly string[];
  readonly values: readonly string[];
  readonly rows: readonly MarkedRow[];
  /** Cells of numbers that have digits and no marked number. */
  readonly unmarked: readonly string[];
}

/** What stands around the report is the same on every page: `footer` has the instant at which the page was read. */
const READ_MARKS = `(() => {
  const within = (root) => [...root.querySelectorAll("data[value], time[datetime]")].filter((one) => one.closest("footer") === null)
    .map((one) => one.getAttribute("value") ?? one.getAttribute("datetime"));
  const main = document.querySelector("main");
  return {
    commands: [...document.querySelectorAll("code[data-command]")].map((one) => one.textContent),
    values: within(main),
    rows: [...main.querySelectorAll("tbody tr")].map((row) => ({ text: row.textContent.trim().slice(0, 120), values: within(row) })),
    unmarked: [...main.querySelectorAll("td.number, th.number:not([scope=col])")].filter((cell) => /\\d/.test(cell.textContent) && within(cell).length === 0)
      .map((cell) => cell.textContent.trim().slice(0, 80)),
  };
})()`;

export function readMarks(page: Page): Promise<MarkedPage> {
  return page.evaluate(READ_MARKS) as Promise<MarkedPage>;
}

/** What is on the page and not in the document. */
export function findOtherNumbers({ values, rows, unmarked }: MarkedPage, document: unknown): readonly string[] {
  const all = leavesOf(document);
  const parts = partsOf(document).map(leavesOf);
  const isWhole = (leaves: ReadonlySet<string>, marked: readonly string[]) =>
    marked.every((value) => leaves.has(value));
  return [
    ...values.filter((value) => !all.has(value)).map((value) => `${value} is on the page alone`),
    ...rows
      .filter((row) => isWhole(all, row.values) && !parts.some((part) => isWhole(part, row.values)))
      .map(({ text, values }) => `${values.join(", ")} stand in one row, and in no one part of the document: ${text}`),
    ...unmarked.map((text) => `a cell of a number has no marked number: ${text}`),
  ];
}

/** Numbers and texts; and the days of instants, which pages show too. */
function leavesOf(value: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const collect = (one: unknown): void => {
    if (typeof one === "object" && one !== null) {
      for (const [name, inner] of Object.entries(one)) {
        found.add(name);
        collect(inner);
      }
    } else {
      found.add(String(one));
    }
  };
  collect(value);
  return found;
}

/** Each element of a list and each object below the document itself. */
function partsOf(document: unknown): readonly unknown[] {
  const inner = (value: unknown): unknown[] =>
    typeof value === "object" && value !== null ? Object.values(value).flatMap((one) => [one, ...inner(one)]) : [];
  return inner(document).filter((one) => typeof one === "object" && one !== null && !Array.isArray(one));
}

/** The words of a command line, as a shell reads them. */
export function wordsOf(line: string): string[] {
  const words = line.match(/(?:[^\s'"\\]|'[^']*'|"[^"]*"|\\.)+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"|\\(.)/g, (_all, single, double, one) => single ?? double ?? one),
  );
}
