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
import type { SpendLimits } from "./work-left.ts";

const SEPARATOR = " · ";
const MS_PER_SECOND = 1_000;
const MS_PER_MINUTE = 60_000;
const MS_PER_HOUR = 3_600_000;

export interface ProgressSource {
  readonly counts: ProgressCounts;
  /** The limits that the spend is shown with, and that end the run. */
  readonly limits: SpendLimits;
}

/** A part of the line, and how long it stays when the line is too narrow for all: the highest goes first. */
interface Part {
  readonly text: string;
  readonly drop: number;
}

/** What is never left out: an outage, and money. What may have been charged is the last that goes. */
const KEPT = 1;
/** Less of an outage says nothing. */
const MIN_RETRY_CHARS = 12;

/**
 * `1200 seen · 430 bought · 612 of 1100 done · 52.1/s · about 9 s left · 1.20 of 5.00 USD · 2 in doubt · news.example · denied: 3 by policy`. When it
 * is longer than `width`, the parts that say least are left out, and never the money.
 */
export function formatProgress(
  { counts, limits }: ProgressSource,
  { pagesPerSecond, leftMs }: Pace,
  { now, width = Number.POSITIVE_INFINITY }: { readonly now: number; readonly width?: number },
): string {
  const part = (drop: number, ...texts: readonly string[]): Part[] => texts.map((text) => ({ text, drop }));
  const retry = counts.retry === null ? [] : part(0, formatRetry(counts.retry, now));
  if (counts.runId === null) {
    // A plan has no run, and its result is known only at its end.
    return fitWidth([...retry, ...part(2, counts.seen === 0 ? "starting …" : `${counts.seen} seen`)], width);
  }
  const { total, bought, failed, inDoubt } = counts;
  return fitWidth(
    [
      ...retry,
      ...part(7, `${counts.seen} seen`),
      ...part(3, `${bought} bought`),
      ...(total === null ? [] : part(4, `${Math.min(counts.done, total)} of ${total} done`)),
      ...part(8, `${pagesPerSecond.toFixed(1)}/s`),
      ...(leftMs === null ? [] : part(5, `about ${formatLeft(leftMs)} left`)),
      ...part(KEPT, ...formatSpendAgainst(counts, limits.run())),
      ...part(inDoubt > 0 ? 2 : 9, `${inDoubt} in doubt`),
      ...(failed > 0 ? part(6, `${failed} failed`) : []),
      ...part(10, ...formatHosts(counts.hostsInWork)),
      ...part(11, ...formatDenied(counts)),
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
    return `${Math.ceil(ms / MS_PER_SECOND)} s`;
  }
  const minutes = Math.round(ms / MS_PER_MINUTE);
  return ms < MS_PER_HOUR ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
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

function fitWidth(parts: readonly Part[], width: number): string {
  const texts = parts.map(({ text, drop }) => ({ text: plainText(text), drop }));
  let kept = texts;
  while (lengthOf(join(kept)) > width) {
    const worst = Math.max(...kept.map(({ drop }) => drop));
    if (worst <= KEPT) {
      const cut = join(cutRetry(kept, width) ?? texts.slice(0, 1));
      return Array.from(cut).slice(0, Math.max(0, width)).join("");
    }
    kept = kept.filter(({ drop }) => drop !== worst);
  }
  return join(kept);
}

/** An outage can be read without its end, an amount cannot. Null: there is no room for the amounts alone. */
function cutRetry(kept: readonly Part[], width: number): readonly Part[] | null {
  const money = kept.filter(({ drop }) => drop > 0);
  const room = width - lengthOf(join(money)) - SEPARATOR.length - 1;
  const [retry] = kept;
  if (retry?.drop !== 0 || room < MIN_RETRY_CHARS) {
    return lengthOf(join(money)) <= width && money.length > 0 ? money : null;
  }
  return [{ ...retry, text: `${Array.from(retry.text).slice(0, room).join("")}…` }, ...money];
}

function join(parts: readonly Part[]): string {
  return parts.map(({ text }) => text).join(SEPARATOR);
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}
