/** The saved plans that a service has for people: `serve.plans`. */
import type { PlanRun } from "../../ledger/run-reports.ts";
import type { Micros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import type { PlanChange } from "../../plan/plan-change.ts";
import type { PlanRefusal } from "../../plan/plan-refusal.ts";
import type { PlanComparison } from "./compare-plans.ts";
import type { PlanEdits } from "./open-plan.ts";

/** Which plans. */
export interface PlansOptions {
  /** At most so many. @default 50 */
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before. @default from the first name */
  readonly cursor?: string | undefined;
}

/** What of a plan. */
export interface PlanDetailsOptions {
  /** The name of an earlier plan: what the plan changes since, in money. */
  readonly against?: string | undefined;
  /** At most so many pages, and so many changes. @default 50 */
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before. @default from the first page */
  readonly cursor?: string | undefined;
}

/** Why a plan cannot be bought now. */
export interface RefusedPlan {
  readonly reason: PlanRefusal;
  /** With what differs. */
  readonly detail: string;
}

/** What the first line of a plan says, and what has become of it. Instants are epoch ms. */
export interface PlanOverview {
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly hosts: readonly string[];
  /** Pages that were planned. */
  readonly pages: number;
  /** What they may set aside at most, fees included, by currency. */
  readonly setAsideMicros: Readonly<Record<Currency, Micros>>;
  /** SHA-256 of the first line, in lower-case hex: no page is bought twice under the same one. */
  readonly digest: string;
  /** Null: it can be bought, under the configuration of now. */
  readonly refused: RefusedPlan | null;
  /** The runs that buy from it, the newest first, and who approved it. */
  readonly runs: readonly PlanRun[];
}

/** A file of `serve.plans`. */
export interface ListedPlan {
  readonly name: string;
  /** What is wrong with the file. Null: it is a plan. */
  readonly problem: string | null;
  /** Null: it is not a plan. */
  readonly plan: PlanOverview | null;
}

/** `plans --json`: the saved plans by name. */
export interface PlanList {
  /** `serve.plans`, absolute. Null: it is not set. */
  readonly directory: string | null;
  readonly plans: readonly ListedPlan[];
  /** Give it as `cursor` to read on. Null: there are no others. */
  readonly nextCursor: string | null;
}

/** A page that a plan may buy. */
export interface PlannedLine {
  readonly url: string;
  /** The most that it may set aside, fees included. Null: the page is only indexed. */
  readonly maxPriceMicros: Micros | null;
  readonly currency: Currency | null;
  readonly licenseType: string | null;
  readonly cuid: string | null;
  readonly policyName: string;
  /** The rule that allowed it, from 0. */
  readonly ruleIndex: number;
}

/** What a plan changes since another one. */
export interface PlanChanges extends PlanComparison {
  /** The first pages that differ, by address. */
  readonly changes: readonly PlanChange[];
}

/** `plans NAME --json`: one saved plan. */
export interface PlanDetails extends PlanEdits {
  readonly name: string;
  readonly plan: PlanOverview;
  /** SHA-256 over all that the file says now, in lower-case hex: whoever approves the plan approves this. */
  readonly content: string;
  /** Pages that are left, after a person edited the plan. */
  readonly pagesLeft: number;
  /** What they may set aside at most, fees included, by currency. */
  readonly leftMicros: Readonly<Record<Currency, Micros>>;
  /** In the order of the purchases. */
  readonly lines: readonly PlannedLine[];
  /** Give it as `cursor` to read on. Null: there are no other pages. */
  readonly nextCursor: string | null;
  /** Null without `against`. */
  readonly against: PlanChanges | null;
}

/** Somebody approved it; a run buys from it without an approval; it cannot be bought; or nobody has said anything yet. */
export type PlanStanding = "approved" | "has_run" | "refused" | "to_approve";

export function planStanding({ runs, refused }: Pick<PlanOverview, "runs" | "refused">): PlanStanding {
  if (runs.length > 0) {
    return runs.some(({ approvedAt }) => approvedAt !== null) ? "approved" : "has_run";
  }
  return refused === null ? "to_approve" : "refused";
}
