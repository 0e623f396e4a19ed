/** `agent.spend`: what days cost, from the balances that budgets count with. */
import { LicetError } from "../../errors.ts";
import type { DaySpend, SpendOfDay } from "../../ledger/spend.ts";
import { addMicros } from "../../money/micros.ts";
import { isoDate } from "../../time/period.ts";
import { toUtcDays, type UtcDays } from "../../time/utc-days.ts";
import type { Resources } from "../compose.ts";
import { chooseDays } from "./chosen-days.ts";
import type { SpendOptions, SpendReport, SpendTotal } from "./spend-report.ts";

const USUAL_DAYS = 30;
const DAY_MS = 86_400_000;

/** @throws LicetError USAGE_INVALID for a text that is not a day, or a last day without a first one; LEDGER_* */
export async function spendAgent(
  { clock, ledger }: Pick<Resources, "clock" | "ledger">,
  { from, to, site }: SpendOptions,
): Promise<SpendReport> {
  const range = toRange(chooseUsualDays({ from, to }, clock.now()));
  const host = site?.toLowerCase() ?? null;
  const { days, sites } = await (await ledger("read")).readDays({ ...range, host });
  return { from: range.firstDay, to: range.lastDay, site: host, days, sites, totals: addUp(days) };
}

/** The days that are asked for, or the last ones up to today. @throws LicetError USAGE_INVALID */
export function chooseUsualDays({ from, to }: Pick<SpendOptions, "from" | "to">, now: number): UtcDays {
  if (from !== undefined) {
    return chooseDays({ from, to }, now);
  }
  if (to !== undefined) {
    throw new LicetError("USAGE_INVALID", "a last day was named without a first one", {
      hint: "Name the first day too (--from).",
    });
  }
  const today = now - (now % DAY_MS);
  return toUtcDays({ first: today - (USUAL_DAYS - 1) * DAY_MS, last: today });
}

const toRange = ({ from, to }: UtcDays) => ({ firstDay: isoDate(from), lastDay: isoDate(to - DAY_MS) });

function addUp(days: readonly SpendOfDay[]): SpendTotal[] {
  const totals = new Map<string, SpendTotal>();
  for (const { day, currency, ...spend } of days) {
    const known = totals.get(currency);
    totals.set(currency, { currency, ...(known === undefined ? spend : add(known, spend)) });
  }
  return [...totals.values()];
}

function add(a: DaySpend, b: DaySpend): DaySpend {
  return {
    settledMicros: addMicros(a.settledMicros, b.settledMicros),
    feeMicros: addMicros(a.feeMicros, b.feeMicros),
    inDoubtMicros: addMicros(a.inDoubtMicros, b.inDoubtMicros),
    reservedMicros: addMicros(a.reservedMicros, b.reservedMicros),
    bought: a.bought + b.bought,
    failed: a.failed + b.failed,
  };
}
