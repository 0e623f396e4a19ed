/**
 * The conclusion of `explain`: one sentence that says whether the next run would buy a page, and why. The obstacles are looked for in this
 * order: those that the configuration and the ledger decide alone, then the gateway's answer, the policy, and the limits. So a conclusion
 * may be possible although the gateway gives no answer.
 */
import type { Exclusion } from "../../catalog/entry-filter.ts";
import type { RefreshTerms } from "../../catalog/freshness.ts";
import type { LicetError } from "../../errors.ts";
import type { Obstacles } from "../../ledger/frontier-ledger.ts";
import type { PageRecord } from "../../ledger/ledger-reports.ts";
import { formatMoney } from "../../money/format-money.ts";
import { toListedPrice } from "../../money/listed-price.ts";
import type { Micros } from "../../money/micros.ts";
import type { Currency, Money } from "../../money/money.ts";
import type { DenialReason, Verdict } from "../../policy/verdict.ts";

/** What a conclusion says beside the denial reasons. */
export const OWN_CONCLUSIONS = ["approved", "excluded", "not_included", "unchanged", "rates_unknown"] as const;
/** Why the next run would buy a page or would not: what a walk decides before a quote, or a denial reason. */
export type ConclusionReason = (typeof OWN_CONCLUSIONS)[number] | DenialReason;

/** Whether the next run would buy a page, and why. */
export interface Conclusion {
  /** Null when it is not known: the gateway gave no rates, and nothing else decides. */
  readonly willBeBought: boolean | null;
  readonly reason: ConclusionReason;
  /** The end of a sentence that begins with the page: `will be bought for 0.01 USD under rule 2 of policy standard`. */
  readonly detail: string;
  /** What a person can do about it. Null: nothing. */
  readonly hint: string | null;
  /** The quoted price. Null without one. */
  readonly priceMicros: Micros | null;
  /** Position in the policy's rules, from 0. Null when no rule decided. */
  readonly ruleIndex: number | null;
  /** The glob of `exclude` that excludes the page, and where it is in the configuration: `licet.config.yaml:24`. */
  readonly glob: string | null;
  readonly place: string | null;
  /** The purchase that keeps the page from being bought: in doubt, open, or the stored version. */
  readonly purchaseId: number | null;
  /** The open item that stops the site. */
  readonly openItemId: number | null;
  /** The limit that the page does not fit, and what a budget leaves. */
  readonly limit: string | null;
  readonly leftMicros: Micros | null;
  /** Of both amounts. Null without them. */
  readonly currency: Currency | null;
}

/** All that a conclusion is drawn from. */
export interface Evidence {
  readonly host: string;
  readonly policy: { readonly name: string; readonly rules: readonly string[] };
  readonly exclusion: Exclusion | null;
  /** Of `exclude` or `include` in the configuration. */
  readonly place: string | null;
  readonly record: PageRecord | null;
  /** The rights to it ended and its policy renews them, but its last renewal lasted less than a day. */
  readonly isTooShortToRenew: boolean;
  readonly refresh: RefreshTerms;
  readonly now: number;
  /** What the judge of every run's decisions finds against the page. */
  readonly obstacles: Obstacles;
  readonly verdict: Verdict | null;
  /** Why there is no verdict, and whether that is the gateway's refusal of this page. */
  readonly error: LicetError | null;
  readonly isRefused: boolean;
  /** What an allowed page sets aside. Null: nothing. */
  readonly cost: Money | null;
  /** Of the budget that the page does not fit. */
  readonly left: { readonly label: string; readonly leftMicros: Micros } | null;
}

const NOTHING_KNOWN = {
  hint: null,
  priceMicros: null,
  ruleIndex: null,
  glob: null,
  place: null,
  purchaseId: null,
  openItemId: null,
  limit: null,
  leftMicros: null,
  currency: null,
} as const satisfies Partial<Conclusion>;

type Said = Pick<Conclusion, "reason" | "detail"> & Partial<Conclusion>;

export function conclude(evidence: Evidence): Conclusion {
  const obstacle =
    findExclusion(evidence) ??
    findStored(evidence) ??
    findBlock(evidence) ??
    findStop(evidence) ??
    findRefusal(evidence) ??
    findDenial(evidence) ??
    findLimit(evidence);
  if (obstacle === null) {
    return approve(evidence);
  }
  const isKnown = obstacle.reason !== "rates_unknown";
  const detail = isKnown ? `will not be bought: ${obstacle.detail}` : obstacle.detail;
  return { ...NOTHING_KNOWN, willBeBought: isKnown ? false : null, ...obstacle, detail };
}

function approve({ verdict, policy, record, host }: Evidence): Conclusion {
  const ruleIndex = verdict?.kind === "allowed" ? verdict.ruleIndex : null;
  const price = verdict?.kind === "allowed" ? (verdict.rate?.price ?? null) : null;
  const what = price === null ? "fetched for indexing, without cost," : `bought for ${formatMoney(price)}`;
  const rule = `rule ${(ruleIndex ?? 0) + 1} of policy ${policy.name}`;
  const known = record === null ? `, if the catalog of ${host} lists it: no run has seen it there yet` : "";
  const detail = `will be ${what} under ${rule}${known}`;
  return { ...NOTHING_KNOWN, willBeBought: true, reason: "approved", detail, ...toListedPrice(price), ruleIndex };
}

function findExclusion({ exclusion, place, host }: Evidence): Said | null {
  const where = place === null ? "" : ` (${place})`;
  switch (exclusion?.kind) {
    case undefined:
      return null;
    case "excluded": {
      const { glob } = exclusion;
      return { reason: "excluded", detail: `${glob} in exclude of ${host} excludes it${where}`, glob, place };
    }
    case "not_included":
      return { reason: "not_included", detail: `no glob in include of ${host} matches it${where}`, place };
    default:
      return exclusion satisfies undefined | never;
  }
}

function findStored({ record, obstacles, isTooShortToRenew, refresh, now }: Evidence): Said | null {
  const stored = record?.stored ?? null;
  if (stored === null || !obstacles.isFreshEnough) {
    return null;
  }
  const since = new Date(stored.boughtAt).toISOString().slice(0, 10);
  const said = { reason: "unchanged", purchaseId: stored.purchaseId } as const;
  if (isTooShortToRenew) {
    const detail = `its rights ended, but it was bought again on ${since} for less than a day, and is not renewed once more by itself`;
    return { ...said, detail, hint: "`licet fetch` buys it when it is needed; another licence may last longer" };
  }
  const isYoung = now - stored.boughtAt < (refresh.minAgeMs ?? 0);
  const why =
    refresh.when === "never"
      ? "refresh.when is never"
      : isYoung
        ? "it is younger than refresh.minAge"
        : "the catalog showed no newer version to the last walk";
  const { purgedAt } = stored;
  const what =
    purgedAt === null
      ? `it is stored since ${since}`
      : `it was bought on ${since}, its content was purged on ${new Date(purgedAt).toISOString().slice(0, 10)}`;
  return { ...said, detail: `${what}, and ${why}` };
}

function findBlock({ obstacles: { block }, record }: Evidence): Said | null {
  const newestIn = (...states: readonly string[]) =>
    record?.purchases.find(({ state }) => states.includes(state)) ?? null;
  switch (block) {
    case null:
      return null;
    case "kept_off":
      return {
        reason: block,
        detail: "a person said that it must not be bought again (licet resolve --charged --keep-off)",
      };
    case "in_doubt": {
      const purchaseId = newestIn("in_doubt")?.purchaseId ?? null;
      const detail = `its purchase ${purchaseId ?? ""} is in doubt`.replace("  ", " ");
      const hint = `Decide it: licet resolve ${purchaseId ?? "ID"} --charged, or --not-charged.`;
      return { reason: block, detail, hint, purchaseId };
    }
    case "already_open": {
      const open = newestIn("reserved", "started");
      return {
        reason: block,
        detail: open === null ? "it is being bought" : `purchase ${open.purchaseId} of run ${open.runId} is open`,
        hint: "licet status shows the run. The next licet run continues a run that was interrupted, and takes over one that died.",
        purchaseId: open?.purchaseId ?? null,
      };
    }
    default:
      return block satisfies never;
  }
}

function findStop({ obstacles: { stoppedBy }, host }: Evidence): Said | null {
  if (stoppedBy === null) {
    return null;
  }
  const { id, kind, detail } = stoppedBy;
  if (id === null) {
    return {
      reason: "site_stopped",
      detail: `nothing is bought from ${host}: ${detail}`,
      hint: `When it may be bought from again: licet pause ${host} --end`,
    };
  }
  return {
    reason: "site_stopped",
    detail: `open item ${id} (${kind}) stops ${host}: ${detail}`,
    hint: `When the gateway's operator has explained it, close the item: licet resolve ${id} --close`,
    openItemId: id,
  };
}

function findRefusal({ error, isRefused }: Evidence): Said | null {
  if (error === null) {
    return null;
  }
  const hint = error.hint ?? null;
  return isRefused
    ? { reason: "quote_refused", detail: `the gateway does not give its rates: ${error.message}`, hint }
    : {
        reason: "rates_unknown",
        detail: `may be bought or not: the gateway could not be asked for its rates: ${error.message}`,
        hint,
      };
}

function findDenial({ verdict, policy }: Evidence): Said | null {
  if (verdict?.kind !== "denied") {
    return null;
  }
  const { reason, ruleIndex } = verdict;
  return { reason, detail: describeDenial(reason, ruleIndex, policy), ruleIndex };
}

function describeDenial(reason: DenialReason, ruleIndex: number | null, { name, rules }: Evidence["policy"]): string {
  const rule = ruleIndex === null ? `policy ${name}` : `rule ${ruleIndex + 1} of policy ${name} (${rules[ruleIndex]})`;
  switch (reason) {
    case "no_rule_matched":
      return `no rule of policy ${name} matches`;
    case "denied_by_rule":
      return `${rule} denies it`;
    case "not_licensable":
      return "the gateway lists no rate for it";
    case "no_usable_rate":
      return "the gateway lists rates for it, but none that can be bought";
    case "no_budget_in_currency":
      return `${rule} allows it, but no budget has the currency of its price`;
    default:
      return `${rule} denies it (${reason})`;
  }
}

function findLimit({ obstacles: { limit }, cost, verdict, left }: Evidence): Said | null {
  if (limit === null) {
    return null;
  }
  const known = {
    ...toListedPrice(verdict?.kind === "allowed" ? (verdict.rate?.price ?? null) : null),
    ruleIndex: verdict?.ruleIndex ?? null,
  };
  if (typeof limit === "string") {
    return { reason: limit, detail: "no budget, or not run.maxSpend, has the currency of its price", ...known };
  }
  const { reason, label } = limit;
  if (left === null || cost === null) {
    return { reason, detail: `it does not fit ${label}`, limit: label, ...known };
  }
  const { currency } = cost;
  return {
    reason,
    detail: `the budget ${left.label} leaves ${formatMoney({ micros: left.leftMicros, currency })}, and the page needs ${formatMoney(cost)}`,
    hint: "Wait for the next period, or raise the limit.",
    limit: left.label,
    leftMicros: left.leftMicros,
    ...known,
  };
}
