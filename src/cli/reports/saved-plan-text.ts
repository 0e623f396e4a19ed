/**
 * The text of a saved plan: one page a line, in the order in which it would be bought. Equal plans are equal texts, so it has no instants, and no
 * column depends on another line: a page more is a line more in a diff, and a new price is a changed line. What is only of this file (when it was
 * made, until when it counts, what was edited) goes to the error stream.
 */
import { describeEdits, openPlan, type SavedPlan } from "../../agent/plans/open-plan.ts";
import { plainText } from "../../plain-text.ts";
import type { PlanLine } from "../../plan/plan-line.ts";
import { formatAmount, formatInstant, plural } from "../output/format-values.ts";
import { writeOutput } from "../output/output.ts";
import type { Session } from "../session.ts";
import { formatTerms } from "./rate-findings.ts";

/** The longest usual price, license and rule. A longer one moves only its own line. */
export const PRICE_CHARS = 16;
export const LICENSE_CHARS = 26;
const RULE_CHARS = 20;
/** Lines are written in pieces of at least so many characters. */
export const PIECE_CHARS = 65_536;

export async function printSavedPlan(session: Session, path: string): Promise<void> {
  const plan = await openPlan(path);
  if (session.json) {
    return session.print(toDocument(plan), () => "");
  }
  let piece = "";
  for await (const { line } of plan.lines()) {
    piece += line === null ? "" : formatLine(line);
    if (piece.length >= PIECE_CHARS) {
      await writeOutput(session.io, piece);
      piece = "";
    }
  }
  await writeOutput(session.io, piece + formatTotals(plan));
  await session.io.stderr.write(formatFacts(plan));
}

function formatLine({ url, planned, maxPrice, policy, ruleIndex }: PlanLine): string {
  const cells = [
    formatAmount(maxPrice?.micros ?? null, maxPrice?.currency ?? null).padStart(PRICE_CHARS),
    formatTerms(planned?.license ?? null).padEnd(LICENSE_CHARS),
    `${policy}, rule ${ruleIndex + 1}`.padEnd(RULE_CHARS),
    url,
  ];
  return `${plainText(cells.join("  "))}\n`;
}

function formatTotals({ header, left }: SavedPlan): string {
  const sums = Object.entries(left.setAsideMicros).map(([currency, micros]) => formatAmount(micros, currency));
  const sites = Object.keys(header.terms.sites).join(", ");
  return plainText(`${plural(left.pages, "page")} of ${sites}: ${sums.join(", ") || "nothing to pay"}`).concat("\n");
}

function formatFacts({ header, edits }: SavedPlan): string {
  const { createdAt, expiresAt } = header;
  const made = `made ${formatInstant(createdAt)} UTC, counts until ${formatInstant(expiresAt)} UTC`;
  return `${made}${edits.edited ? `; ${describeEdits(edits)}` : ""}\n`;
}

function toDocument({ path, header, edits, left }: SavedPlan) {
  const { createdAt, expiresAt, terms, digest } = header;
  const [created, expires] = [createdAt, expiresAt].map((at) => new Date(at).toISOString());
  return {
    path,
    createdAt: created,
    expiresAt: expires,
    digest,
    ...edits,
    ...left,
    planned: { pages: header.pages, setAsideMicros: header.setAsideMicros },
    configuration: terms,
  };
}
