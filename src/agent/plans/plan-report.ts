/** The report of a plan. */
import type { Budget } from "../../budget/budget.ts";
import type { PageCounts } from "../../ledger/ledger-reports.ts";
import type { ListSummary } from "../../ledger/list-ledger.ts";
import type { PlannedCost } from "../../ledger/plan-book.ts";
import type { Micros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import type { MoneyInput } from "../../money/money-input.ts";
import type { RunOrder } from "../../policy/rule.ts";
import type { License } from "../../rates/license.ts";
import type { ListInput } from "../lists/list-input.ts";

/** What a plan covers, and what it names. */
export interface PlanOptions {
  /** Only these sites; default: all configured sites. @throws LicetError USAGE_INVALID for a site that is not configured */
  readonly hosts?: readonly string[] | undefined;
  /**
   * Plans the pages of a list instead of walking catalogs, as `run({ list })` would buy them: what an earlier run of the same file has bought is not
   * planned again. Lines that name no page to buy are counted in the report and left out. @throws LicetError LIST_UNREADABLE
   */
  readonly list?: ListInput | undefined;
  /**
   * What the pages of the plan may set aside at most, as `run({ maxSpend })`. @default that of the configuration, `run.maxSpend`
   * @throws LicetError USAGE_INVALID when no budget is in its currency
   */
  readonly maxSpend?: MoneyInput | undefined;
  /** How many pages the plan buys at most, as `run({ maxPages })`. @default that of the configuration, `run.maxPages` */
  readonly maxPages?: number | undefined;
  /** Names this many of the pages that would be bought (`approvedPages`), at most 10,000. @default 0 */
  readonly pages?: number | undefined;
  /**
   * What would be bought first, as `run({ order })` would buy it. A saved plan is bought in the order of its lines. @default that of the
   * configuration, `run.order`
   */
  readonly order?: RunOrder | undefined;
  /**
   * Saves the plan in this file, for `run({ plan })`: what would be bought, with its prices, in the order in which it would be bought. A plan
   * that is there is replaced. @throws LicetError PLAN_UNWRITABLE when something else is there, or the file cannot be written
   */
  readonly out?: string | undefined;
  /** How long the saved plan counts, from 1 ms to 366 d. Only with `out`. @default "24h" */
  readonly expires?: string | undefined;
  /**
   * Takes each page that would be bought, in the order in which it would be bought, however many there are. licet waits for the promise. When
   * a call fails, the plan ends with the same error.
   */
  readonly onPage?: ((page: ApprovedPage) => unknown) | undefined;
  /** Stops the plan when it aborts. @throws LicetError INTERRUPTED, because half a plan would look like a whole one */
  readonly signal?: AbortSignal | undefined;
}

/** The most pages that a plan names, however long the catalogs are. */
export const MAX_NAMED_PAGES = 10_000;

/** How long a saved plan counts at most: prices that are a year old are no longer what anybody approved. */
export const LONGEST_EXPIRY = "366d";

/** The state of one budget after the plan. */
export interface PlannedBudget {
  readonly budget: Budget;
  readonly label: string;
  /** Charged, fees included. */
  readonly spentMicros: Micros;
  readonly inDoubtMicros: Micros;
  /** Set aside for purchases of other runs that are not finished. */
  readonly reservedMicros: Micros;
  /** What the purchases of this plan would set aside. */
  readonly plannedMicros: Micros;
  /** Limit − spent − in doubt − reserved − planned, never negative. */
  readonly leftMicros: Micros;
  readonly exhausted: boolean;
}

/** Pages of a plan: how many were seen, and what a run would do with them. `approved` would be bought. */
export type PlannedPages = Omit<PageCounts, "bought" | "failed" | "inDoubt" | "open">;

/** A page that would be bought. */
export interface ApprovedPage {
  readonly url: string;
  readonly host: string;
  /** Null for a page that is only indexed. */
  readonly license: License | null;
  /** The quoted price. Null for a page that is only indexed. */
  readonly priceMicros: Micros | null;
  /** What the purchase would set aside: the price, the fee on it, and the report of the fetch where that is billed too. */
  readonly setAsideMicros: Micros;
  readonly currency: Currency | null;
  readonly policyName: string;
  /** Position in the policy's rules, from 0, and the rule's text. */
  readonly ruleIndex: number;
  readonly rule: string;
  /** What the list says the page is worth, and its own name of the page. Null: nothing, or there is no list. */
  readonly value: number | null;
  readonly key: string | null;
}

/** What was written into the file of a saved plan. */
export interface SavedPlanFacts {
  /** Absolute. */
  readonly path: string;
  readonly bytes: number;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601: from then on, the plan is refused. */
  readonly expiresAt: string;
  readonly pages: number;
  /** What its pages may set aside at most. */
  readonly setAsideMicros: Readonly<Record<Currency, Micros>>;
  /** SHA-256 of its lines, in lower-case hex. */
  readonly digest: string;
}

/** `plan --json`. Nothing was reserved or spent. */
export interface PlanReport {
  readonly sites: readonly {
    readonly host: string;
    readonly pages: PlannedPages;
    /** Why the plan stopped working on the site: one of the site stops. Null: it did not. */
    readonly stop: string | null;
    readonly warning: string | null;
  }[];
  readonly pages: PlannedPages;
  /** What the lines of the list were. Null without `list`. */
  readonly list: ListSummary | null;
  readonly denials: Readonly<Record<string, number>>;
  /** What the approved pages would set aside. */
  readonly cost: Readonly<Record<Currency, PlannedCost>>;
  /** What every page that the policy allows would set aside, also the pages that a limit left out. */
  readonly costWithoutLimits: Readonly<Record<Currency, PlannedCost>>;
  /** The first pages that would be bought, as many as were asked for. */
  readonly approvedPages: readonly ApprovedPage[];
  readonly budgets: readonly PlannedBudget[];
  /** The saved plan. Null without `out`. */
  readonly file: SavedPlanFacts | null;
  /** Warnings to read before a run. */
  readonly warnings: readonly string[];
  readonly durationMs: number;
}
