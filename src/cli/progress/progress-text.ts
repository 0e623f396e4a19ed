/** What a run has done so far, in one line of text. */
import type { AgentEvents } from "../../agent/events/events.ts";
import { formatMoney } from "../../money/format-money.ts";
import { type Micros, ZERO_MICROS } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import { plainText } from "../../plain-text.ts";
import { DENIAL_CLASSES } from "../../policy/denial-class.ts";
import { CLASS_LABELS } from "../reports/page-counts-table.ts";
import type { Pace } from "./pace.ts";
import { type ProgressCounts, sumByCurrency } from "./progress-counts.ts";

const SEPARATOR = " · ";
const MS_PER_SECOND = 1_000;
const MS_PER_MINUTE = 60_000;
const MS_PER_HOUR = 3_600_000;

export interface ProgressSource {
  readonly counts: ProgressCounts;
  /** The limits that the spend is shown with. */
  limits(): ReadonlyMap<Currency, Micros>;
}

/**
 * `1200 seen · 430 bought · 612 of 1100 done · 52.1/s · 9 s left · 1.20 of 5.00 USD · 2 in doubt · news.example · denied:
 * 3 by policy`. When it is longer than
 * `width`, the last parts are left out.
 */
export function formatProgress(
  { counts, limits }: ProgressSource,
  { pagesPerSecond, leftMs }: Pace,
  { now, width = Number.POSITIVE_INFINITY }: { readonly now: number; readonly width?: number },
): string {
  const retry = counts.retry === null ? [] : [formatRetry(counts.retry, now)];
  if (counts.runId === null) {
    // A plan has no run, and its result is known only at its end.
    return fitWidth([...retry, counts.seen === 0 ? "starting …" : `${counts.seen} seen`], width);
  }
  const { total } = counts;
  return fitWidth(
    [
      ...retry,
      `${counts.seen} seen`,
      `${counts.bought} bought`,
      ...(total === null ? [] : [`${Math.min(counts.done, total)} of ${total} done`]),
      `${pagesPerSecond.toFixed(1)}/s`,
      ...(leftMs === null ? [] : [formatLeft(leftMs)]),
      ...formatSpendAgainst(counts, limits()),
      `${counts.inDoubt} in doubt`,
      ...(counts.failed > 0 ? [`${counts.failed} failed`] : []),
      ...formatHosts(counts.hostsInWork),
      ...formatDenied(counts),
    ],
    width,
  );
}

/** `gateway answers 503, try 3 of 5, again in 4 s` */
export function formatRetry(
  { because, status, attempt, attempts, waitMs, at }: AgentEvents["gateway.retry"] & { readonly at: number },
  now: number,
): string {
  const leftMs = at + waitMs - now;
  const when = leftMs > 0 ? `again in ${Math.ceil(leftMs / MS_PER_SECOND)} s` : "trying again";
  return `${describeFailure(because, status)}, try ${attempt} of ${attempts}, ${when}`;
}

function describeFailure(because: AgentEvents["gateway.retry"]["because"], status: number | null): string {
  switch (because) {
    case "no_connection":
      return "no connection to the gateway";
    case "reset":
      return "the gateway closed the connection";
    case "timeout":
      return "the gateway does not answer";
    case "server_error":
      return status === null ? "the gateway has an internal error" : `gateway answers ${status}`;
    case "rate_limited":
      return "gateway answers 429 (too many requests)";
    case "bad_json":
      return "the gateway's answer is unusable";
    default:
      return because satisfies never;
  }
}

function formatLeft(ms: number): string {
  if (ms < MS_PER_MINUTE) {
    return `${Math.ceil(ms / MS_PER_SECOND)} s left`;
  }
  return ms < MS_PER_HOUR
    ? `${Math.round(ms / MS_PER_MINUTE)} min left`
    : `${Math.floor(ms / MS_PER_HOUR)} h ${Math.round((ms % MS_PER_HOUR) / MS_PER_MINUTE)} min left`;
}

function formatSpendAgainst(counts: ProgressCounts, limits: ReadonlyMap<Currency, Micros>): string[] {
  const sums = sumByCurrency(counts.spent, counts.doubtful);
  return [...new Set([...sums.keys(), ...limits.keys()])].map((currency) => {
    const limit = limits.get(currency);
    const spent = formatMoney({ micros: sums.get(currency) ?? ZERO_MICROS, currency });
    return limit === undefined
      ? spent
      : `${spent.slice(0, -currency.length - 1)} of ${formatMoney({ micros: limit, currency })}`;
  });
}

/** `denied: 12 by policy, 3 by limit` */
function formatDenied({ deniedBy }: ProgressCounts): string[] {
  const parts = DENIAL_CLASSES.filter((one) => deniedBy[one] > 0).map((one) => `${deniedBy[one]} ${CLASS_LABELS[one]}`);
  return parts.length === 0 ? [] : [`denied: ${parts.join(", ")}`];
}

/** `news.example`, `news.example +2` */
function formatHosts([first, ...more]: readonly string[]): string[] {
  return first === undefined ? [] : [more.length === 0 ? first : `${first} +${more.length}`];
}

function fitWidth(parts: readonly string[], width: number): string {
  const texts = parts.map(plainText);
  let line = Array.from(texts[0] ?? "")
    .slice(0, Math.max(0, width))
    .join("");
  for (const text of texts.slice(1)) {
    const longer = `${line}${SEPARATOR}${text}`;
    if (Array.from(longer).length > width) {
      break;
    }
    line = longer;
  }
  return line;
}
