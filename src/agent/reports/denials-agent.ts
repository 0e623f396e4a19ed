/** `agent.denials`: why pages were not bought, by reason and rule. */
import type { Config } from "../../config/config.ts";
import type { DenialCount, DenialCursor, DeniedPageOfRun, RuleDenials } from "../../ledger/denial-reports.ts";
import { CLASS_OF_DENIAL, countByClass, type DenialClass, type DenialClassCounts } from "../../policy/denial-class.ts";
import { describeRule } from "../../policy/describe-rule.ts";
import type { DenialReason } from "../../policy/verdict.ts";
import { isoDate } from "../../time/period.ts";
import type { Resources } from "../compose.ts";
import { chooseUsualDays } from "./chosen-days.ts";

const USUAL_PAGES = 50;

/** Which denials. */
export interface DenialsOptions {
  /** Only this run. @default the runs that began in the days that are asked for */
  readonly run?: string | undefined;
  /** The first UTC day: `"2026-11-20"`, `"today"` or `"yesterday"`. @default 30 days up to today */
  readonly from?: string | undefined;
  /** With `from`, the last UTC day, which is included. At most 366 days. @default today */
  readonly to?: string | undefined;
  /** Only this site: its host. It need not be configured any more. */
  readonly site?: string | undefined;
  /** Only this reason in `rules` and `pages`. The counts are of all reasons. */
  readonly reason?: DenialReason | undefined;
  /** At most so many pages. @default 50 */
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before, with the same filters. */
  readonly cursor?: string | undefined;
}

/** How many pages were denied for a reason. */
export interface ReasonDenials {
  readonly reason: DenialReason;
  readonly class: DenialClass;
  readonly pages: number;
}

/** How many pages of a site were denied. */
export interface SiteDenials {
  readonly host: string;
  readonly pages: number;
}

/** How many pages a rule denied, with its text. */
export interface DenialsOfRule extends RuleDenials {
  /** The text of the rule as it is configured now. Null: no rule decided, or there is no such rule any more. */
  readonly rule: string | null;
}

/** `denials --json`: why pages were not bought. A page that several runs denied counts once for each of them. */
export interface DenialsReport {
  /** The first and the last UTC day on which the runs began. Both are included. Null: it is of one run. */
  readonly from: string | null;
  readonly to: string | null;
  /** Null: all runs of these days. */
  readonly runId: string | null;
  /** Null: all sites. */
  readonly site: string | null;
  /** How many runs were counted: the newest ones of these days. */
  readonly runs: number;
  /** True when these days have more runs than one look counts: the older ones are not in any number here. */
  readonly olderRunsLeftOut: boolean;
  readonly total: number;
  /** The parts of `total` by class. */
  readonly classes: DenialClassCounts;
  /** The parts of `total` by reason, the largest first. */
  readonly reasons: readonly ReasonDenials[];
  /** The parts of `total` by site, the largest first. */
  readonly sites: readonly SiteDenials[];
  /** By rule and reason, over the newest denials that still have rows. `ruledPages` says how many these are. */
  readonly rules: readonly DenialsOfRule[];
  readonly ruledPages: number;
  /** Denied pages, those of the newest runs first. */
  readonly pages: readonly DeniedPageOfRun[];
  /** Give it as `cursor` to read on; a page may have fewer rows than its limit, although more follow. Null: this is the last page. */
  readonly nextCursor: string | null;
}

/** @throws LicetError RUN_NOT_FOUND, USAGE_INVALID for a text that is not a day, LEDGER_* */
export async function denialsAgent(
  { config, clock, ledger }: Pick<Resources, "config" | "clock" | "ledger">,
  { run, from, to, site, reason, limit = USUAL_PAGES, cursor }: DenialsOptions,
): Promise<DenialsReport> {
  const days = chooseUsualDays({ from, to }, clock.now());
  const host = site?.toLowerCase() ?? null;
  const { counts, rules, isCut, next, ...found } = await (await ledger("read")).readDenials({
    runId: run ?? null,
    from: days.from,
    to: days.to,
    host,
    reason: reason ?? null,
    after: cursor === undefined ? null : parseCursor(cursor),
    limit,
  });
  const byReason = addUp(counts, ({ reason }) => reason);
  return {
    from: run === undefined ? isoDate(days.from) : null,
    to: run === undefined ? isoDate(days.to - 1) : null,
    runId: run ?? null,
    site: host,
    olderRunsLeftOut: isCut,
    total: counts.reduce((sum, { pages }) => sum + pages, 0),
    classes: countByClass(Object.fromEntries(byReason.map(({ key, pages }) => [key, pages]))),
    reasons: byReason.map(({ key, pages }) => ({ reason: key, class: CLASS_OF_DENIAL[key], pages })),
    sites: addUp(counts, ({ host }) => host).map(({ key, pages }) => ({ host: key, pages })),
    rules: rules.map((one) => withText(config, one)),
    nextCursor: next === null ? null : `${next.run}.${next.page}`,
    ...found,
  };
}

/** Of a cursor that was checked. */
function parseCursor(cursor: string): DenialCursor {
  const [run = 0, page = 0] = cursor.split(".").map(Number);
  return { run, page };
}

function addUp<Key extends DenialReason | string>(
  counts: readonly DenialCount[],
  keyOf: (count: DenialCount) => Key,
): { readonly key: Key; readonly pages: number }[] {
  const sums = new Map<Key, number>();
  for (const count of counts) {
    const key = keyOf(count);
    sums.set(key, (sums.get(key) ?? 0) + count.pages);
  }
  return [...sums].map(([key, pages]) => ({ key, pages })).sort((a, b) => b.pages - a.pages);
}

function withText({ policies }: Config, denials: RuleDenials): DenialsOfRule {
  const { policyName, ruleIndex } = denials;
  const rule = ruleIndex === null ? undefined : policies.get(policyName)?.rules[ruleIndex];
  return { ...denials, rule: rule === undefined ? null : describeRule(rule) };
}
