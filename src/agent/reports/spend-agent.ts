/** `agent.spend`: what days cost, from the balances that budgets count with. */
import type { DaySpend, SpendOfDay } from "../../ledger/spend.ts";
import { addMicros } from "../../money/micros.ts";
import type { Resources } from "../compose.ts";
import { chooseUsualDays, toDayRange } from "./chosen-days.ts";
import { combineSpends } from "./combine-spends.ts";
import type { SpendOptions, SpendReport, SpendTotal } from "./spend-report.ts";

/** @throws LicetError USAGE_INVALID for a text that is not a day, or a last day without a first one; LEDGER_* */
export async function spendAgent(
  { clock, ledger }: Pick<Resources, "clock" | "ledger">,
  { from, to, site }: SpendOptions,
): Promise<SpendReport> {
  const range = toDayRange(chooseUsualDays({ from, to }, clock.now()));
  const host = site?.toLowerCase() ?? null;
  const { days, sites } = await (await ledger("read")).readDays({ ...range, host });
  return { from: range.firstDay, to: range.lastDay, site: host, days, sites, totals: addUp(days) };
}

function addUp(days: readonly SpendOfDay[]): SpendTotal[] {
  const totals = new Map<string, SpendTotal>();
  for (const { day, currency, ...spend } of days) {
    const known = totals.get(currency);
    totals.set(currency, { currency, ...(known === undefined ? spend : add(known, spend)) });
  }
  return [...totals.values()];
}

function add(a: DaySpend, b: DaySpend): DaySpend {
  return { ...combineSpends(a, b, addMicros), bought: a.bought + b.bought, failed: a.failed + b.failed };
}
