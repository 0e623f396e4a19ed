/** `agent.statement`: what a month cost, for finance. */
import { LicetError } from "../../errors.ts";
import { createStatement } from "../../statement/create-statement.ts";
import type { Statement, StatementGrouping } from "../../statement/statement.ts";
import { type CalendarMonth, lastEndedMonth, parseCalendarMonth } from "../../time/calendar-month.ts";
import { chooseSites } from "../calls/call-settings.ts";
import type { Resources } from "../compose.ts";

/** Which statement is made. */
export interface StatementFilter {
  /** A calendar month in UTC: `"2026-11"`. @default the month that ended last */
  readonly month?: string;
  /** What a line stands for. @default "site" */
  readonly by?: StatementGrouping;
  /** Only this site: its host. It need not be configured any more. */
  readonly site?: string;
}

/** @throws LicetError USAGE_INVALID for a text that is not a month, or a site that nothing is known of; LEDGER_* */
export async function statementAgent(
  { config, clock, ledger }: Resources,
  { month, by = "site", site }: StatementFilter,
): Promise<Statement> {
  const now = clock.now();
  const chosen = month === undefined ? lastEndedMonth(now) : requireMonth(month);
  const host = site?.toLowerCase() ?? null;
  const facts = await (await ledger("read")).readStatement({ from: chosen.from, to: chosen.to, by, host });
  const statement = createStatement(chosen, { by, host }, facts, now);
  if (host !== null && statement.lines.length === 0) {
    chooseSites(config, [host]);
  }
  return statement;
}

function requireMonth(text: string): CalendarMonth {
  const month = parseCalendarMonth(text);
  if (month === null) {
    throw new LicetError("USAGE_INVALID", `${JSON.stringify(text)} is not a month`, {
      hint: "Write a calendar month such as 2026-11.",
    });
  }
  return month;
}
