/** `agent.statement`: what a month or some days cost, for finance. */
import { assertLicetError, LicetError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { createStatement } from "../../statement/create-statement.ts";
import type { Statement, StatementGrouping } from "../../statement/statement.ts";
import type { StatementPeriod } from "../../statement/statement-facts.ts";
import { type CalendarMonth, lastEndedMonth, monthOf, parseCalendarMonth } from "../../time/calendar-month.ts";
import { isDoubtful } from "../../time/clock-judgement.ts";
import { chooseSites } from "../calls/call-settings.ts";
import { askClock, clockUnsure } from "../clock/ask-clock.ts";
import type { Resources } from "../compose.ts";
import { chooseDays } from "./chosen-days.ts";

/** Which statement is made. */
export interface StatementFilter {
  /** A calendar month in UTC: `"2026-11"`. @default the month that ended last */
  readonly month?: string | undefined;
  /** Instead of a month, its first UTC day: `"2026-11-20"`, `"today"` or `"yesterday"`. At most 366 days. */
  readonly from?: string | undefined;
  /** With `from`, the last UTC day, which is in it. @default today */
  readonly to?: string | undefined;
  /** What a line stands for. @default "site" */
  readonly by?: StatementGrouping | undefined;
  /** Only this site: its host. It need not be configured any more. */
  readonly site?: string | undefined;
  /** The clock is right, although it differs from the gateway's or is far ahead of the ledger: the month has ended. @default false */
  readonly trustClock?: boolean | undefined;
}

/**
 * @param warn is told why a month that has ended by this clock is not called complete
 * @throws LicetError USAGE_INVALID for a text that is not a month, or a site that nothing is known of; LEDGER_*
 */
export async function statementAgent(
  resources: Resources,
  { month, from, to, by = "site", site, trustClock = false }: StatementFilter,
  warn: (message: string) => void,
): Promise<Statement> {
  const { config, clock } = resources;
  const ledger = await resources.ledger(trustClock ? "existing" : "read");
  const now = clock.now();
  const chosen = choosePeriod({ month, from, to }, now);
  const host = site?.toLowerCase() ?? null;
  const judgedAt = now < chosen.to ? null : await judgeEnd(resources, ledger, { period: chosen, trustClock, warn });
  const read = async () => {
    const facts = await ledger.readStatement({ from: chosen.from, to: chosen.to, by, host });
    return createStatement(chosen, { by, host }, facts, judgedAt);
  };
  const first = await read();
  // What was booked while it was read would be missing.
  const isClosed = first.complete && first.wholeMonth && (await closeMonth(resources, chosen));
  const statement = isClosed ? await read() : first;
  if (host !== null && statement.lines.length === 0) {
    chooseSites(config, [host]);
  }
  if (month === undefined && from === undefined && statement.totals.length === 0) {
    const present = monthOf(now).name;
    warn(
      `nothing was booked in ${chosen.name}, the month that ended last; this month so far: licet statement --month ${present}`,
    );
  }
  return statement;
}

/** @throws LicetError USAGE_INVALID */
function choosePeriod(
  { month, from, to }: Pick<StatementFilter, "month" | "from" | "to">,
  now: number,
): StatementPeriod {
  if (from === undefined && to === undefined) {
    return month === undefined ? lastEndedMonth(now) : requireMonth(month);
  }
  if (month !== undefined || from === undefined) {
    throw new LicetError("USAGE_INVALID", "a statement is of a month, or of the days from one to another", {
      hint: "Name a month, or a first day (--from) and perhaps a last one (--to).",
    });
  }
  return { ...chooseDays({ from, to }, now), wholeMonth: false };
}

/**
 * Without the gateway's word, rows that were written after the month are enough.
 * @returns the instant that was judged: the clock may have been set since the month was chosen. Null: nobody can be sure of it
 */
async function judgeEnd(
  resources: Resources,
  ledger: Ledger,
  asked: { readonly period: StatementPeriod; readonly trustClock: boolean; readonly warn: (message: string) => void },
): Promise<number | null> {
  const { period, trustClock, warn } = asked;
  const { now, gatewayAt, judgement } = await askClock(resources, ledger);
  if (trustClock) {
    await ledger.recordClockWord({ now, gatewayAt });
    return now;
  }
  if (!isDoubtful(judgement) || (judgement.kind === "ahead" && judgement.other >= period.to)) {
    return now;
  }
  const refusal = `the statement of ${period.name} is not called complete`;
  const { message, hint } = clockUnsure(now, judgement, { refusal, command: "licet statement" });
  warn(`${message}. ${hint ?? ""}`);
  return null;
}

/**
 * From here on, no clock can add to the month (docs/decisions/0083). Where the ledger cannot be written, by its files or because nobody has
 * accepted the copy, the statement is made all the same.
 * @returns true when this call closed it
 */
async function closeMonth(resources: Resources, { from, to }: StatementPeriod): Promise<boolean> {
  try {
    return await (await resources.ledger("existing")).closeMonth({ from, to });
  } catch (error) {
    assertLicetError(error);
    return false;
  }
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
