/** The end of rights in `licet status --expiring`. */
import type { ExpiringReport } from "../../agent/rights/rights-report.ts";
import { formatInstant } from "../output/format-values.ts";
import { formatHost } from "../output/host-name.ts";
import type { Layout } from "../output/layout.ts";
import { firstFew, formatMore, section } from "../output/report-sections.ts";
import { formatTable, listTable } from "../output/text-table.ts";
import { formatTerms } from "./rate-findings.ts";

type Document = ExpiringReport["documents"][number];

interface ExpiringView {
  readonly all: boolean;
  /** As it was given. */
  readonly expiring: string;
  readonly configArgument: string;
  readonly layout: Layout;
}

/** Nothing when it was not asked for. */
export function formatExpiring(
  rights: ExpiringReport | null,
  { all, expiring, configArgument, layout }: ExpiringView,
): string[] {
  if (rights === null) {
    return [];
  }
  const { documents, counts, lost, total, until } = rights;
  const command = `licet status --all --expiring ${expiring}${configArgument}`;
  const shown = all ? { items: documents, total, command } : firstFew({ items: documents, total, command });
  const lostPages = { items: lost.pages, total: lost.gone + lost.notLicensable, command };
  const shownLost = all ? lostPages : firstFew(lostPages);
  return [
    ...(total === 0 ? [`No rights end until ${formatInstant(until)}.\n`] : []),
    ...section("Rights that ended, or end, by site", formatCounts(counts, layout), layout),
    ...section(
      `Rights that end until ${formatInstant(until)}`,
      formatDocuments(shown.items, layout) + formatMore(shown, layout),
      layout,
    ),
    ...section(
      `Not sold any more: ${lost.gone} gone from the catalog, ${lost.notLicensable} not licensable`,
      formatLost(shownLost.items, layout) + formatMore(shownLost, layout),
      layout,
    ),
  ];
}

function formatCounts(counts: ExpiringReport["counts"], layout: Layout): string {
  return formatTable(
    [{ title: "site" }, { title: "then" }, { title: "ended", align: "right" }, { title: "will end", align: "right" }],
    counts.map(({ host, action, ended, ending }) => ({
      cells: [formatHost(host), action, String(ended), String(ending)],
    })),
    layout,
  );
}

function formatDocuments(documents: readonly Document[], layout: Layout): string {
  return listTable(
    documents,
    [
      {
        title: "rights end",
        cell: ({ endsAt, hasEnded }) => ({ text: formatInstant(endsAt), tone: hasEnded ? "bad" : "caution" }),
      },
      { title: "why", cell: ({ why }) => why },
      { title: "license", cell: ({ license }) => formatTerms(license) },
      { title: "then", wrap: true, cell: describeAction },
      { title: "page", below: true, cell: ({ url }) => url },
    ],
    layout,
  );
}

/** What happens, and when, in words. */
function describeAction({ action, hasEnded, isTooShortToRenew, goneAt }: Document): string {
  switch (action) {
    case "keep":
      return "kept";
    case "purge":
      return hasEnded ? "removed by the next licet purge" : "removed by licet purge after it";
    case "relicense":
      if (goneAt !== null) {
        return "kept: the catalog does not have it any more";
      }
      if (isTooShortToRenew) {
        return "kept: its last renewal lasted less than a day";
      }
      return hasEnded ? "bought again by the next run" : "bought again by the first run after it";
  }
}

function formatLost(pages: ExpiringReport["lost"]["pages"], layout: Layout): string {
  return formatTable(
    [{ title: "since" }, { title: "why" }, { title: "page", below: true }],
    pages.map(({ since, why, url }) => ({ cells: [formatInstant(since), why.replace("_", " "), url] })),
    layout,
  );
}
