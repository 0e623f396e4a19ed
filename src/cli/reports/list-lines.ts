/** What `licet run` says of the lines of a list. */
import type { ListSummary } from "../../ledger/list-ledger.ts";
import { plainText } from "../../plain-text.ts";
import { plural } from "../output/format-values.ts";
import type { Layout } from "../output/layout.ts";
import { formatLine } from "../output/text-table.ts";

const REASONS: Readonly<Record<string, string>> = {
  line_too_long: "the line is longer than 65536 bytes",
  not_utf8: "it is not UTF-8",
  not_json: "it is not a JSON object",
  not_csv:
    "its quotes are wrong (a quote in a cell is doubled, in a cell in quotes), or it has not a cell for each column",
  no_url: 'it has no "url"',
  text_behind_url:
    'there is text behind its URL: write {"url": "…", "maxPrice": "0.02 USD"}, or CSV whose first line is url,key,maxPrice,value',
  unknown_field: 'a field is misspelt (known: "url", "maxPrice", "value", "key")',
  bad_max_price: '"maxPrice" is not an amount like "0.02 USD"',
  bad_value: '"value" is not a number of 0 or more',
  bad_key: '"key" is not a text of at most 1000 characters',
  bad_license: '"license" is not a license',
  not_a_url: "it is not a URL",
  scheme: "its URL is not http or https",
  credentials: "its URL has a name or a password in it",
  too_long: "its URL is longer than 2048 characters",
  control_characters: "its URL has control characters in it",
  unknown_site: "its URL is of no site of this run",
};
const MAX_SHOWN_CHARS = 100;

/** One line: how many lines there were, and what they named. */
export function describeList({ lines, pages, repeated, rejected, isRead, goesOnFrom }: ListSummary): string {
  const bad = countRejected({ rejected });
  const rest = lines - pages - repeated - bad;
  return [
    `${plural(lines, "line")}${isRead ? "" : ", not read to its end"}: ${plural(pages, "page")}`,
    ...(repeated === 0 ? [] : [`${repeated} repeated`]),
    ...(bad === 0 ? [] : [`${plural(bad, "bad line")} left out`]),
    ...(rest === 0 ? [] : [`${rest} blank`]),
    ...(goesOnFrom === null ? [] : [`what run ${goesOnFrom} left`]),
  ].join(", ");
}

/** The first few bad lines, in the order of the list. Empty without a list. */
export function formatBadLines(list: ListSummary | null, layout: Layout): string {
  return (list === null ? [] : listBadLines(list)).map((line) => formatLine(line, layout, { indent: "  " })).join("");
}

function listBadLines({ examples, rejected, path }: ListSummary): string[] {
  const shown = examples.map(({ line, reason, raw }) => {
    const text = raw.length > MAX_SHOWN_CHARS ? `${raw.slice(0, MAX_SHOWN_CHARS)}…` : raw;
    return `${path === null ? "line " : `${path}:`}${line}: ${REASONS[reason] ?? reason}: ${plainText(text.trimEnd())}`;
  });
  const more = countRejected({ rejected }) - examples.length;
  return more > 0 ? [...shown, `… and ${more} more`] : shown;
}

export function countRejected({ rejected }: Pick<ListSummary, "rejected">): number {
  return Object.values(rejected).reduce((sum, count) => sum + count, 0);
}
