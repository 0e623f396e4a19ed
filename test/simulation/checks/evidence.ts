/**
 * The data for the checkers, and the two checks: the seven promises at every commit, and at the end. Each promise has its own file
 * of rules. The rules read the ledger by SQL on its file and do their own arithmetic: a checker that shared licet's code would
 * share its bugs.
 */
import type Database from "better-sqlite3";
import type { GatewayAccount } from "../gateway/account.ts";
import type { Settings } from "../scenario.ts";
import { createNoOverspend } from "./1-no-overspend.ts";
import { createWithinPolicy } from "./2-within-policy.ts";
import { createOneCharge, endOneCharge } from "./3-one-charge.ts";
import { createNothingLost, endNothingLost } from "./4-nothing-lost.ts";
import { createReportedOnce, endReportedOnce } from "./5-reported-once.ts";
import { createResumable, endResumable } from "./6-resumable.ts";
import { judgeProtests } from "./7-bad-input.ts";
import { createAddresses } from "./addresses.ts";
import { endBalances } from "./balances.ts";
import { createBoughtAgain } from "./bought-again.ts";
import { createClocks } from "./clocks.ts";
import { createDecidedAnew } from "./decided-anew.ts";
import { createStepReader, historyOf, remember, type Step } from "./history.ts";
import { createLastingStops } from "./lasting-stops.ts";
import { prepareLedgerRows } from "./ledger-rows.ts";
import { endLiveness } from "./liveness.ts";
import { createNotifications, endNotifications, type Notice } from "./notifications.ts";
import { endOutsideView } from "./outside-view.ts";

/** What processes are started with, until an operator edits it. */
export interface SettingSet extends Settings {
  readonly from: number;
  /** True once no process that was started with it is alive. */
  readonly over?: boolean;
}

export interface RunLimits {
  readonly maxPages: number | null;
  readonly maxSpend: { readonly micros: number; readonly currency: string } | null;
}

export type Operation =
  | { readonly kind: "resolve"; readonly purchaseId: number; readonly charged: boolean; readonly at: number }
  | {
      readonly kind: "use";
      readonly url: string;
      readonly times: number;
      readonly at: number;
      /** Whether the operator got a confirmation. A use without a confirmation may be recorded too. */
      readonly recorded: boolean;
    };

export interface Cap {
  readonly micros: number;
  readonly currency: string;
}

export interface Evidence {
  /** A read-only connection to the ledger's file. */
  readonly db: Database.Database;
  /** The gateway's own account: live objects, whose arrays grow. */
  readonly account: GatewayAccount;
  /** What processes have been started with, oldest first: an operator edits it between and during runs. */
  readonly settings: readonly SettingSet[];
  /** What operators did. */
  readonly operations: readonly Operation[];
  /** URLs of which the gateway was told to charge above the cap. */
  readonly overchargedUrls: ReadonlySet<string>;
  /** Pages whose content comes under another license than was ordered. */
  readonly otherLicenseUrls: ReadonlySet<string>;
  /** URLs whose reports the gateway refuses. */
  readonly refusedReports: ReadonlySet<string>;
  /** The gateway leaves the charge out of its answers: then the quote counts as charged. */
  readonly omitsRate?: boolean;
  /** Since when a report may have arrived without its sender's knowing; null when none did. */
  unknownSince(idempotencyId: string): number | null;
  /** When the gateway last changed what it lists of a page: true time, by URL. */
  readonly changedAt?: ReadonlyMap<string, number>;
  /** When each run began: true time, by its name. */
  readonly runStarts?: ReadonlyMap<string, number>;
  /** The limits that people gave each run last, by its name, the run that began or went on last at the end; several where processes that work on it at once were told different ones. */
  readonly runLimits?: ReadonlyMap<string, readonly RunLimits[]>;
  /** Counts up whenever a process begins while no other one is alive. */
  readonly generation?: number;
  /** Every event that the gateway notified, or tried to. */
  readonly notices?: readonly Notice[];
  /** When the records were read and every hint that was due was worked on, without faults: true time. */
  readonly noticesSettledAt?: number;
  /** The gateway's delivery records were read from this instant on: true time. */
  readonly recordsReadFrom?: number;
  /** The pages of the world's list; null: no cap. */
  readonly caps?: ReadonlyMap<string, Cap | null>;
  /** No process had a wrong clock so far. */
  readonly clocksAreRight?: () => boolean;
  readonly now: number;
}

/**
 * The state of the world when faults are off, every run was resumed to its end and reports are flushed. The last run began or went on after
 * that, over all sites, while nothing changed at the gateway any more: what policy and budgets allow must be stored after it.
 */
export interface EndState {
  /** What the gateway's catalogs list. */
  readonly catalog: readonly { readonly url: string; readonly lastMod: string | null }[];
  /** URLs whose rates, token or content the gateway refuses for good. */
  readonly forbidden: ReadonlySet<string>;
  /** Runs that were not resumed may be interrupted or failed, with open purchases. */
  readonly interruptedAllowed: boolean;
}

export interface Violation {
  readonly promise: 1 | 2 | 3 | 4 | 5 | 6 | 7 | "liveness";
  /** The rule's name, kebab-case. */
  readonly rule: string;
  readonly detail: string;
}

/** Looks at one commit. */
export type StepRule = (step: Step) => Violation | null;

/**
 * To be called once after every commit, before any request reaches the gateway: what arrived there since the call before is held
 * against the ledger as that call saw it. Once it has found a violation, it is not to be called again.
 */
export function createStepChecker(evidence: Evidence): () => Violation | null {
  const history = historyOf(evidence);
  const readStep = createStepReader(evidence, history);
  const rules: readonly StepRule[] = [
    createNotifications(evidence),
    createWithinPolicy(evidence, history),
    createAddresses(evidence),
    createDecidedAnew(evidence),
    createOneCharge(evidence, history),
    createBoughtAgain(evidence),
    createNothingLost(evidence, history),
    createReportedOnce(evidence, history),
    createNoOverspend(evidence, history),
    createClocks(evidence),
    createLastingStops(evidence, history),
    createResumable(evidence),
    () => judgeProtests(evidence),
  ];
  return () => {
    const step = readStep();
    for (const rule of rules) {
      const violation = rule(step);
      if (violation !== null) {
        return violation;
      }
    }
    remember(history, step);
    return null;
  };
}

/** To be called after the step checker has seen the last commit: it goes by what that one remembers of the same account. */
export function checkEnd(evidence: Evidence, end: EndState): Violation[] {
  const history = historyOf(evidence);
  const purchases = prepareLedgerRows(evidence.db).purchases.all();
  return [
    ...endBalances(evidence),
    ...endOutsideView(evidence),
    ...endOneCharge(evidence, history, purchases),
    ...endNothingLost(evidence, history),
    ...endReportedOnce(evidence, history),
    ...endResumable(evidence, end),
    ...endLiveness(evidence, end),
    ...endNotifications(evidence),
    ...[judgeProtests(evidence)].filter((protest) => protest !== null),
  ];
}
