/**
 * The table of pages by site that run, status and plan print. Each row adds up: the first number is the sum of the others. A column of a
 * denial class, and of pages that are not decided or open, is there only if it counts something.
 */
import type { PageCounts } from "../../ledger/ledger-reports.ts";
import { CLASS_OF_DENIAL, type DenialClass } from "../../policy/denial-class.ts";
import { formatHost } from "../output/host-name.ts";
import { type Layout, PLAIN_LAYOUT } from "../output/layout.ts";
import { byCount } from "../output/report-sections.ts";
import { type Column, formatTable, textTable } from "../output/text-table.ts";

/** How people read the class of a denial. */
export const CLASS_LABELS: Readonly<Record<DenialClass, string>> = {
  policy: "by policy",
  offer: "no offer",
  limit: "by limit",
  stored: "stored/open",
};

type Counted = Omit<PageCounts, "bought" | "failed" | "inDoubt" | "open" | "quoted">;

export interface PageColumn<Counts> {
  readonly title: string;
  readonly count: (counts: Counts) => number;
  /** Whether the column is left out when it counts nothing. @default false */
  readonly isOptional?: boolean;
}

const SEEN: readonly PageColumn<Counted>[] = [
  { title: "seen", count: ({ seen }) => seen },
  { title: "unchanged", count: ({ unchanged }) => unchanged },
  { title: "excluded", count: ({ excluded }) => excluded },
];

const DENIED: readonly PageColumn<Counted>[] = Object.entries(CLASS_LABELS).map(([name, title]) => ({
  title,
  count: ({ deniedBy }) => deniedBy[name as DenialClass],
  isOptional: true,
}));

const UNDECIDED: PageColumn<Counted> = {
  title: "not decided",
  count: ({ undecided }) => undecided,
  isOptional: true,
};

/**
 * @param rows by site; with more than one, a last row has the sums
 * @param approved the columns that `approved` is split into
 */
export function pageCountsTable<Counts extends Counted>(
  rows: readonly { readonly host: string; readonly pages: Counts }[],
  all: Counts,
  approved: readonly PageColumn<Counts>[],
  layout: Layout = PLAIN_LAYOUT,
): string {
  const columns: readonly PageColumn<Counts>[] = [...SEEN, ...DENIED, ...approved, UNDECIDED].filter(
    ({ count, isOptional }) => isOptional !== true || count(all) > 0,
  );
  const lines = rows.length > 1 ? [...rows, { host: "all", pages: all }] : rows;
  return formatTable(
    [{ title: "site", wrap: true }, ...columns.map(({ title }): Column => ({ title, align: "right" }))],
    lines.map(({ host, pages }) => ({
      cells: [formatHost(host), ...columns.map(({ count }) => String(count(pages)))],
    })),
    layout,
  );
}

/** Denial reasons, the most frequent first, each with its class. */
export function denialTable(denials: Readonly<Record<string, number>>): string {
  const rows = byCount(denials).map(([count = "", reason = ""]) => [count, reason, labelOf(reason)]);
  return textTable(null, rows, ["right"]);
}

function labelOf(reason: string): string {
  return Object.hasOwn(CLASS_OF_DENIAL, reason)
    ? CLASS_LABELS[CLASS_OF_DENIAL[reason as keyof typeof CLASS_OF_DENIAL]]
    : "";
}
