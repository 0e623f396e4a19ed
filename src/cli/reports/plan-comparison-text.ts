/** The text of two saved plans side by side: one line for each page that differs, then what it comes to. */
import { resolve } from "node:path";
import { comparePlans, type PlanComparison } from "../../agent/plans/compare-plans.ts";
import { MAX_NAMED_PAGES } from "../../agent/plans/plan-report.ts";
import { openFileSpool } from "../../ledger/sqlite/engine/file-spool.ts";
import type { Micros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import { plainText } from "../../plain-text.ts";
import type { PagePrice, PlanChange } from "../../plan/plan-change.ts";
import { describeDifference } from "../../plan/plan-differences.ts";
import { formatAmount, plural } from "../output/format-values.ts";
import { writeOutput } from "../output/output.ts";
import type { Session } from "../session.ts";
import { formatTerms } from "./rate-findings.ts";
import { LICENSE_CHARS, PIECE_CHARS, PRICE_CHARS } from "./saved-plan-text.ts";

const SIGNS = { added: "+", dropped: "-", changed: "~" } as const;

/** @param files as they were named */
export async function printPlanComparison(
  session: Session,
  files: { readonly show: string; readonly against: string },
): Promise<void> {
  const [path, against] = [files.show, files.against].map((file) => resolve(session.io.cwd, file)) as [string, string];
  if (session.json) {
    const pages: PlanChange[] = [];
    const comparison = await comparePlans({ path, against }, openFileSpool, (change) => {
      if (pages.length < MAX_NAMED_PAGES) {
        pages.push(change);
      }
    });
    return session.print({ ...comparison, pages }, () => "");
  }
  let piece = formatCells("", ["before", "now"], "licence", "page");
  const comparison = await comparePlans({ path, against }, openFileSpool, async (change) => {
    piece += formatChange(change);
    if (piece.length >= PIECE_CHARS) {
      await writeOutput(session.io, piece);
      piece = "";
    }
  });
  await writeOutput(session.io, piece + formatComparison(comparison));
}

/** `~         0.01 USD         0.02 USD  ON_DEMAND_LICENSE           https://…`: what it was, what it is, and the license that it is under. */
function formatChange({ change, url, before, after }: PlanChange): string {
  const [was, is] = [before, after].map((price) => (price === null ? null : formatTerms(price.license)));
  const license = was != null && is != null && was !== is ? `${is} (was ${was})` : (is ?? was ?? "");
  return formatCells(SIGNS[change], [amountOf(before), amountOf(after)], license, url);
}

function amountOf(price: PagePrice | null): string {
  return price === null ? "" : formatAmount(price.maxPriceMicros, price.currency);
}

function formatCells(sign: string, amounts: readonly string[], license: string, url: string): string {
  const cells = [sign.padEnd(1), ...amounts.map((amount) => amount.padStart(PRICE_CHARS))];
  return `${plainText(`${cells.join(" ")}  ${license.padEnd(LICENSE_CHARS)}  ${url}`)}\n`;
}

export function formatComparison({
  added,
  dropped,
  changed,
  same,
  before,
  after,
  differences,
}: PlanComparison): string {
  const parts = [
    `${plural(added.pages, "page")} added${formatMoneyChange(added.changeMicros)}`,
    `${dropped.pages} dropped${formatMoneyChange(dropped.changeMicros)}`,
    `${changed.pages} changed${formatMoneyChange(changed.changeMicros)}`,
    `${same} the same`,
  ];
  const lines = [
    parts.join(", "),
    `now ${formatSum(after)}, before ${formatSum(before)}`,
    ...differences.map((difference) => `configuration: ${describeDifference(difference)}`),
  ];
  return lines.map((line) => `${plainText(line)}\n`).join("");
}

/** ` (+0.02 USD)`; empty where no money changes. */
function formatMoneyChange(changeMicros: Readonly<Record<Currency, Micros>>): string {
  const amounts = Object.entries(changeMicros)
    .filter(([, micros]) => micros !== 0)
    .map(([currency, micros]) => `${micros > 0 ? "+" : ""}${formatAmount(micros, currency)}`);
  return amounts.length === 0 ? "" : ` (${amounts.join(", ")})`;
}

function formatSum({ pages, setAsideMicros }: PlanComparison["after"]): string {
  const sums = Object.entries(setAsideMicros).map(([currency, micros]) => formatAmount(micros, currency));
  return `${sums.join(" and ") || "nothing to pay"} for ${plural(pages, "page")}`;
}
