/** Formats amounts, times and durations for the output of commands. */
import type { Spend } from "../../ledger/spend.ts";
import { formatMoney } from "../../money/format-money.ts";
import { addMicros, type Micros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import { plainText } from "../../plain-text.ts";

const MS_PER_SECOND = 1000;
const MS_PER_MINUTE = 60_000;
const MS_PER_HOUR = 3_600_000;

/** A dash when the page was only indexed and has no price. */
export function formatAmount(micros: Micros | null, currency: Currency | null): string {
  return micros === null || currency === null ? "-" : formatMoney({ micros, currency });
}

/** An amount for a table that people read: `1,234,567.50 USD`. A dash without an amount. */
export function formatAmountCell(micros: Micros | null, currency: Currency | null): string {
  return formatAmount(micros, currency).replace(/^(-?)(\d+)/, (_, sign: string, units: string) => {
    return sign + units.replace(/\B(?=(?:\d{3})+$)/g, ",");
  });
}

/** One amount for each currency: `1,234.50 USD, 20.00 EUR`. Empty without one. */
export function formatSums(sums: Readonly<Record<Currency, Micros>>): string {
  return Object.entries(sums)
    .map(([currency, micros]) => formatAmountCell(micros, currency))
    .join(", ");
}

/** Charges and fees in each currency, as `formatSums` writes them. */
export function formatCost(spend: Readonly<Record<Currency, Pick<Spend, "settledMicros" | "feeMicros">>>): string {
  return Object.entries(spend)
    .map(([currency, { settledMicros, feeMicros }]) => formatAmountCell(addMicros(settledMicros, feeMicros), currency))
    .join(", ");
}

/** `2026-11-20 21:35:18` in UTC; a dash for null. */
export function formatInstant(at: number | null): string {
  return at === null ? "-" : new Date(at).toISOString().slice(0, 19).replace("T", " ");
}

/** `4.2 s`, `3 min 20 s`, `1 h 12 min` */
export function formatDuration(ms: number): string {
  if (ms < MS_PER_MINUTE) {
    return `${(ms / MS_PER_SECOND).toFixed(1)} s`;
  }
  if (ms < MS_PER_HOUR) {
    return `${Math.floor(ms / MS_PER_MINUTE)} min ${Math.floor((ms % MS_PER_MINUTE) / MS_PER_SECOND)} s`;
  }
  return `${Math.floor(ms / MS_PER_HOUR)} h ${Math.floor((ms % MS_PER_HOUR) / MS_PER_MINUTE)} min`;
}

/** `3 pages`, `1 page` */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}

/** One line for each currency: what is spent, the fees, what is in doubt, and what is set aside. */
export function formatSpend(spend: Readonly<Record<Currency, Spend>>): string {
  const lines = Object.entries(spend).map(([currency, { settledMicros, inDoubtMicros, reservedMicros, feeMicros }]) => {
    const parts = [`${formatMoney({ micros: settledMicros, currency })} spent`];
    if (feeMicros > 0) {
      parts.push(`${formatMoney({ micros: feeMicros, currency })} fees`);
    }
    if (inDoubtMicros > 0) {
      parts.push(`${formatMoney({ micros: inDoubtMicros, currency })} in doubt`);
    }
    if (reservedMicros > 0) {
      parts.push(`${formatMoney({ micros: reservedMicros, currency })} set aside`);
    }
    return parts.join(", ");
  });
  return lines.length === 0 ? "nothing" : lines.join("; ");
}

/** The charges of reported uses, and a note when one of them exceeded a budget. Empty when there is neither. */
export function formatCharged({
  chargedMicros,
  overBudget,
}: {
  readonly chargedMicros: Readonly<Record<Currency, Micros>>;
  readonly overBudget: boolean;
}): string {
  const amounts = Object.entries(chargedMicros).filter(([, micros]) => micros > 0);
  if (amounts.length === 0 && !overBudget) {
    return "";
  }
  const sum = amounts.length === 0 ? "nothing" : amounts.map(([code, micros]) => formatAmount(micros, code)).join(", ");
  return `Uses charged: ${plainText(sum)}${overBudget ? " (a budget was exceeded: see licet status)" : ""}\n`;
}
