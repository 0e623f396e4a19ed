/** `agent.denials`: why pages were not bought, by reason and rule. */
import type { Config } from "../../config/config.ts";
import type { DenialCount, DenialCursor, RuleDenials } from "../../ledger/denial-reports.ts";
import { CLASS_OF_DENIAL, countByClass } from "../../policy/denial-class.ts";
import { describeRule } from "../../policy/describe-rule.ts";
import type { DenialReason } from "../../policy/verdict.ts";
import { isoDate } from "../../time/period.ts";
import type { Resources } from "../compose.ts";
import { chooseUsualDays } from "./chosen-days.ts";
import type { DenialsOfRule, DenialsOptions, DenialsReport } from "./denials-report.ts";

const USUAL_PAGES = 50;

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
