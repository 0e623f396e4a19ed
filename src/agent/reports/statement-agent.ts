/** `agent.statement`: what a month cost, for finance. */
import { isLicetError, LicetError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { createStatement } from "../../statement/create-statement.ts";
import type { Statement, StatementGrouping } from "../../statement/statement.ts";
import { type CalendarMonth, lastEndedMonth, parseCalendarMonth } from "../../time/calendar-month.ts";
import { isDoubtful } from "../../time/clock-judgement.ts";
import { chooseSites } from "../calls/call-settings.ts";
import { askClock, clockUnsure } from "../clock/ask-clock.ts";
import type { Resources } from "../compose.ts";

/** Which statement is made. */
export interface StatementFilter {
  /** A calendar month in UTC: `"2026-11"`. @default the month that ended last */
  readonly month?: string | undefined;
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
  { month, by = "site", site, trustClock = false }: StatementFilter,
  warn: (message: string) => void,
): Promise<Statement> {
  const { config, clock } = resources;
  const ledger = await resources.ledger(trustClock ? "existing" : "read");
  const now = clock.now();
  const chosen = month === undefined ? lastEndedMonth(now) : requireMonth(month);
  const host = site?.toLowerCase() ?? null;
  const judgedAt = now < chosen.to ? null : await judgeEnd(resources, ledger, { month: chosen, trustClock, warn });
  const read = async () => {
    const facts = await ledger.readStatement({ from: chosen.from, to: chosen.to, by, host });
    return createStatement(chosen, { by, host }, facts, judgedAt);
  };
  const first = await read();
  // What was booked while it was read would be missing.
  const statement = first.complete && (await closeMonth(resources, chosen)) ? await read() : first;
  if (host !== null && statement.lines.length === 0) {
    chooseSites(config, [host]);
  }
  return statement;
}

/**
 * Without the gateway's word, rows that were written after the month are enough.
 * @returns the instant that was judged: the clock may have been set since the month was chosen. Null: nobody can be sure of it
 */
async function judgeEnd(
  resources: Resources,
  ledger: Ledger,
  asked: { readonly month: CalendarMonth; readonly trustClock: boolean; readonly warn: (message: string) => void },
): Promise<number | null> {
  const { month, trustClock, warn } = asked;
  const { now, gatewayAt, judgement } = await askClock(resources, ledger);
  if (trustClock) {
    await ledger.recordClockWord({ now, gatewayAt });
    return now;
  }
  if (!isDoubtful(judgement) || (judgement.kind === "ahead" && judgement.other >= month.to)) {
    return now;
  }
  const refusal = `the statement of ${month.name} is not called complete`;
  const { message, hint } = clockUnsure(now, judgement, { refusal, command: "licet statement" });
  warn(`${message}. ${hint ?? ""}`);
  return null;
}

/**
 * From here on, no clock can add to the month (docs/decisions/0083). Where the ledger cannot be written, by its files or because nobody has
 * accepted the copy, the statement is made all the same.
 * @returns true when this call closed it
 */
async function closeMonth(resources: Resources, { from, to }: CalendarMonth): Promise<boolean> {
  try {
    return await (await resources.ledger("existing")).closeMonth({ from, to });
  } catch (error) {
    if (isLicetError(error)) {
      return false;
    }
    throw error;
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
