/** Promise 2: each purchase names its run, rule, license and quoted price; the token carries the quoted price as its cap. */
import type { Cap, Evidence, SettingSet, StepRule, Violation } from "./evidence.ts";
import type { History } from "./history.ts";
import type { PurchaseRow } from "./ledger-rows.ts";
import { findChoices, findIndexingRule, type Rate } from "./rates.ts";
import { inForce } from "./settings.ts";

export function createWithinPolicy(evidence: Evidence, history: History): StepRule {
  const readLimitCurrency = evidence.db
    .prepare<[number], string>("SELECT max_spend_currency FROM run WHERE id = ? AND max_spend_micros IS NOT NULL")
    .pluck();
  const hasList = evidence.db.prepare<[number]>("SELECT 1 FROM run_list WHERE run_id = ? AND source = 'list'").pluck();
  const judgeNew = (row: PurchaseRow) =>
    judgeDecision(row, evidence, {
      limitCurrency: readLimitCurrency.get(row.runId) ?? null,
      cap: hasList.get(row.runId) === undefined ? null : (evidence.caps?.get(row.url) ?? null),
    });
  return (step) => {
    for (const { before, now } of step.purchases) {
      const violation =
        (before === null ? judgeNew(now) : null) ??
        (now.token !== null && now.token !== before?.token ? judgeToken(now, history) : null) ??
        (before !== null && decisionOf(before) !== decisionOf(now)
          ? broken("decision-is-a-fact", `purchase ${now.id} was ${decisionOf(before)}, is ${decisionOf(now)}`)
          : null);
      if (violation !== null) {
        return violation;
      }
    }
    return null;
  };
}

/** What a purchase's run says of it, beside the policy. */
interface RowTerms {
  /** Of the run's maxSpend: it buys in no other one. */
  readonly limitCurrency: string | null;
  /** Of the line that names the page. */
  readonly cap: Cap | null;
}

/**
 * What was decided is what its site's policy says of rates that the gateway showed at some moment so far.
 */
function judgeDecision(row: PurchaseRow, evidence: Evidence, terms: RowTerms): Violation | null {
  if (row.run === null || row.url === null) {
    return broken("names-its-origin", `purchase ${row.id}: run ${row.run}, host ${row.host}, page ${row.url}`);
  }
  // One of the configurations in force allows it as a whole.
  let violation: Violation | null = null;
  for (const settings of inForce(evidence)) {
    violation = judgeUnder(settings, row, evidence, terms);
    if (violation === null) {
      return null;
    }
  }
  return violation ?? broken("site-is-configured", `purchase ${row.id} is made under no configuration`);
}

function judgeUnder(
  { sites, budgets }: SettingSet,
  row: PurchaseRow,
  { account }: Evidence,
  { limitCurrency, cap }: RowTerms,
): Violation | null {
  const site = sites.find(({ host }) => host === row.host);
  if (site === undefined) {
    return broken("site-is-configured", `purchase ${row.id} is made on ${row.host}, which is not configured`);
  }
  const { policy } = site;
  // It is fetched as the policy says, under a policy with a name.
  if (row.intent !== policy.intent || row.format !== policy.format || row.policyName === "") {
    return broken(
      "follows-its-policy",
      `purchase ${row.id} is ${row.intent} as ${row.format} under "${row.policyName}"`,
    );
  }
  if (row.intent === "indexing") {
    // Indexing has no rates: its first rule decides, and no money moves.
    const first = findIndexingRule(policy);
    const isAllowed = first === row.ruleIndex && policy.rules[first]?.verdict === "allow";
    return isAllowed && row.quoted + row.fee + row.useReserve === 0
      ? null
      : broken("indexing-by-rule", `purchase ${row.id} is indexed under rule ${row.ruleIndex} for ${row.quoted}`);
  }
  // Rule, license, price and currency are a choice that the policy makes of a listing that the gateway has had.
  const listings = account.rates.get(row.url) ?? [];
  const covering = budgets.filter(({ scope }) => !scope.startsWith("site:") || scope === `site:${row.host}`);
  const currencies = new Set(limitCurrency === null ? covering.map(({ currency }) => currency) : [limitCurrency]);
  const mayBuy = listings.flatMap(({ rates }) => withinCap(rates, cap));
  const isChoice = mayBuy.some((rates) =>
    findChoices(policy, rates, currencies).some(
      ({ rate, ruleIndex }) =>
        ruleIndex === row.ruleIndex &&
        rate.licenseType === row.licenseType &&
        rate.cuid === row.licenseCuid &&
        rate.micros === row.quoted &&
        rate.currency === row.currency,
    ),
  );
  return isChoice
    ? null
    : broken(
        "is-the-policys-choice",
        `purchase ${row.id} of ${row.url}: rule ${row.ruleIndex}, ${row.licenseType} ${row.licenseCuid} at ${row.quoted} ${row.currency}`,
      );
}

/** The rates that a line's cap may leave: all up to a price, which depends on the fee. */
function withinCap(rates: readonly Rate[], cap: Cap | null): (readonly Rate[])[] {
  if (cap === null) {
    return [[...rates]];
  }
  const isLeft = ({ micros, currency }: Rate, most: number) => currency === cap.currency && micros <= most;
  return rates
    .filter((rate) => isLeft(rate, cap.micros))
    .map((dearest) => rates.filter((rate) => isLeft(rate, dearest.micros)));
}

/** The token that was committed as started was issued for this page, license and currency, with the quoted price as its cap. */
function judgeToken(row: PurchaseRow, { issued }: History): Violation | null {
  const token = issued.get(row.token ?? "");
  const isRight =
    token !== undefined &&
    token.url === row.url &&
    (row.intent === "indexing"
      ? token.kind === "indexing"
      : token.kind === "content" &&
        token.capMicros === row.quoted &&
        token.currency === row.currency &&
        token.licenseType === row.licenseType &&
        token.licenseCuid === row.licenseCuid);
  return isRight
    ? null
    : broken("token-carries-the-quote", `purchase ${row.id} of ${row.url} started with ${JSON.stringify(token)}`);
}

/** What was decided when the purchase was reserved, which is never edited. */
function decisionOf(row: PurchaseRow): string {
  const { runId, url, intent, format, policyName, ruleIndex, licenseType, licenseCuid } = row;
  const { quoted, fee, useReserve, currency, reservedAt } = row;
  return JSON.stringify([
    [runId, url, intent, format, policyName, ruleIndex, licenseType, licenseCuid],
    [quoted, fee, useReserve, currency, reservedAt],
  ]);
}

function broken(rule: string, detail: string): Violation {
  return { promise: 2, rule, detail };
}
