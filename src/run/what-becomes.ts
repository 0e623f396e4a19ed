/**
 * What becomes of a run now: the one decision that service, command line, slots, fetches, webhook runs and the ledger ask. It is pure: the
 * ledger asks it inside the transaction that begins a run, everybody else before a call.
 *
 * `goes_on`: whoever asks goes on with this run itself, under what is left of its limits. `superseded`: the new run does its work, and its
 * limits go over with what they have used. `freed`: what it reserved is released and what it started is probed; it stays as it is, under its own
 * limits, for whoever may go on with it. `cleared`: the same, and then it is over. `removed`: it leaves nothing behind. `busy`: a process works
 * on it, so whoever asks does not begin. `left`: nothing is done, with the reason.
 */

import { KINDS, type RunKind } from "./kinds.ts";
import { areLooser, type OwnLimits } from "./limits.ts";
import type { EndedBy, RunState } from "./run-state.ts";
import { isEndedByOwnLimit, isLimited } from "./run-state.ts";

/** A run as the ledger finds it. */
export interface LeftRun {
  readonly kind: RunKind;
  readonly state: RunState;
  readonly endedBy: EndedBy;
  /** Whether a process works on it now. */
  readonly isAlive: boolean;
  /** Whether a later run took it over. It is `running` then only while what it started is probed. */
  readonly isTakenOver: boolean;
  readonly hosts: readonly string[];
  /** Purchases that are decided and not sent, and purchases that are sent without an answer. */
  readonly reserved: number;
  readonly started: number;
  readonly limits: OwnLimits;
}

/** Who asks. */
export type Asker =
  /** A person who names the run to go on with it. */
  | { readonly by: "name" }
  /** A run that begins, for every other unfinished run. */
  | {
      readonly by: "run";
      readonly kind: RunKind;
      readonly hosts: readonly string[];
      readonly limits: OwnLimits;
      /** False when an earlier run goes on. */
      readonly isNew: boolean;
      /** Whether the caller wants a new run in any case. */
      readonly isFresh: boolean;
      /** Whether a person or a person's script asks for it, and not a schedule. */
      readonly isOfPerson: boolean;
    }
  /** The same file, given again with `--list` or `--plan`. */
  | { readonly by: "file" }
  /** Notifications of the run's own site and day. */
  | { readonly by: "notification" }
  /** A service that looks for work that was left. */
  | { readonly by: "service"; readonly configured: readonly string[] }
  /** A fetch that wants a page which the run is buying. */
  | { readonly by: "fetch" }
  /** Whoever clears away what a crash left in the ledger. */
  | { readonly by: "clearing" };

/** Why a run is left as it is. */
export const WHY_LEFT = [
  "alive",
  "taken_over",
  "completed",
  "cancelled",
  "limited",
  "stopped",
  "failed",
  "waits",
  "not_configured",
  "other_sites",
  "other_kind",
] as const;
export type WhyLeft = (typeof WHY_LEFT)[number];

export type Becoming =
  | { readonly what: "goes_on" | "superseded" | "freed" | "cleared" | "removed" | "busy" }
  | { readonly what: "left"; readonly why: WhyLeft };

export function whatBecomes(run: LeftRun, asker: Asker): Becoming {
  switch (asker.by) {
    case "name":
      return whenNamed(run);
    case "run":
      return whenAnotherBegins(run, asker);
    case "file":
      return whenFileIsGiven(run);
    case "notification":
      return whenNotified(run);
    case "service":
      return whenServiceLooks(run, asker.configured);
    case "fetch":
      return run.kind === "fetch" && !run.isAlive ? CLEARED : left(run.isAlive ? "alive" : "other_kind");
    case "clearing":
      return KINDS[run.kind].afterDeath === "is_removed" && !run.isAlive ? { what: "removed" } : left("other_kind");
    default:
      return asker satisfies never;
  }
}

/** How a run was left that no process works on. */
export type Leaving = "died" | "put_down" | "stopped" | "waits" | "failed" | "limited" | "completed" | "cancelled";

/** A run that died while somebody else only probed what it had started was left as it was before that. */
export function howLeft({ state, endedBy }: Pick<LeftRun, "state" | "endedBy">): Leaving {
  if (state === "running" || state === "interrupted") {
    return LEFT_BY[endedBy];
  }
  return state === "failed" || state === "completed" || state === "cancelled" ? state : "limited";
}

const LEFT_BY: Readonly<Record<EndedBy, Leaving>> = {
  nobody: "died",
  death: "died",
  run: "died",
  service: "put_down",
  person: "stopped",
  // It has done all that it knows of: it waits for the rest of its list, or for a site that is not configured here.
  itself: "waits",
};

const GOES_ON: Becoming = { what: "goes_on" };
const FREED: Becoming = { what: "freed" };
const CLEARED: Becoming = { what: "cleared" };
const BUSY: Becoming = { what: "busy" };

function left(why: WhyLeft): Becoming {
  return { what: "left", why };
}

/** Whether it holds money, or its process died and its batches may be leased. */
function isHeld({ state, reserved, started }: LeftRun): boolean {
  return state === "running" || reserved + started > 0;
}

/** Why nobody goes on with a run that is over, or null. */
function whyOver({ state, isTakenOver }: LeftRun): Becoming | null {
  if (isTakenOver) {
    return left("taken_over");
  }
  return state === "completed" || state === "cancelled" ? left(state) : null;
}

/** A person may go on with whatever can go on, also with what a limit ended: the call may bring a higher one. */
function whenNamed(run: LeftRun): Becoming {
  const { goesOnWith } = KINDS[run.kind];
  const over = whyOver(run);
  if (over !== null) {
    return over;
  }
  if (goesOnWith === "nothing") {
    return left("other_kind");
  }
  if (goesOnWith === "next_notification" && isLimited(run.state)) {
    return left("limited");
  }
  return run.isAlive ? BUSY : GOES_ON;
}

/** What its own limit ended is over: the same file begins a new run with what is left. What a budget ended goes on. */
function whenFileIsGiven(run: LeftRun): Becoming {
  return whyOver(run) ?? (isEndedByOwnLimit(run.state) ? left("limited") : run.isAlive ? BUSY : GOES_ON);
}

/** The run of a day goes on however it ended, unless a person ended it. */
function whenNotified(run: LeftRun): Becoming {
  if (run.isAlive) {
    return BUSY;
  }
  const leaving = howLeft(run);
  return leaving === "cancelled" || leaving === "stopped" ? left(leaving) : GOES_ON;
}

/** Only what nobody put down on purpose goes on by itself, and only under a configuration that has all its sites. */
function whenServiceLooks(run: LeftRun, configured: readonly string[]): Becoming {
  const { kind, isAlive, isTakenOver, hosts } = run;
  if (isAlive) {
    return left("alive");
  }
  const leaving = howLeft(run);
  const isLeftBehind = leaving === "died" || leaving === "put_down";
  const otherwise = (why: WhyLeft) => (isHeld(run) ? FREED : left(why));
  if (isTakenOver) {
    return run.state === "running" ? CLEARED : left("taken_over");
  }
  if (KINDS[kind].afterDeath !== "goes_on") {
    return isHeld(run) ? CLEARED : left("other_kind");
  }
  if (!isLeftBehind) {
    return otherwise(leaving);
  }
  if (!hosts.every((host) => configured.includes(host))) {
    return otherwise("not_configured");
  }
  // The notifications of a run that was put down wait by themselves, and wake it.
  return KINDS[kind].goesOnWith === "next_notification" && leaving === "put_down" ? otherwise("waits") : GOES_ON;
}

function whenAnotherBegins(run: LeftRun, asker: Extract<Asker, { by: "run" }>): Becoming {
  const sharesSites = run.hosts.some((host) => asker.hosts.includes(host));
  if (run.isAlive) {
    const isInTheWay = [run.kind, asker.kind].every((kind) => KINDS[kind].keepsSitesBusy !== "no");
    return sharesSites && isInTheWay ? BUSY : left("alive");
  }
  if (KINDS[asker.kind].keepsSitesBusy === "no") {
    return left("other_kind");
  }
  if (KINDS[asker.kind].goesOnWith === "next_notification") {
    // It is short and waits for nobody: it finishes earlier days of its site, and leaves all else to other runs.
    return run.kind === asker.kind && sharesSites ? CLEARED : left("other_kind");
  }
  const { goesOnWith } = KINDS[run.kind];
  switch (goesOnWith) {
    case "next_run_of_its_sites":
      return run.isTakenOver ? CLEARED : whenSitesAreWalked(run, asker);
    case "next_notification":
      return isHeld(run) ? CLEARED : left("waits");
    case "same_file":
      return isHeld(run) ? (run.isTakenOver ? CLEARED : FREED) : left("other_kind");
    case "nothing":
      return run.kind === "fetch" && (isHeld(run) || sharesSites) ? CLEARED : left("other_kind");
    default:
      return goesOnWith satisfies never;
  }
}

/**
 * A run that walks all sites of this one sees all its pages. It does this run's work, unless it could buy what the limits of this run forbid:
 * where both have the same sites these limits go over to it, and otherwise this run waits for whoever goes on with it under them.
 */
function whenSitesAreWalked(run: LeftRun, asker: Extract<Asker, { by: "run" }>): Becoming {
  const otherwise = (why: WhyLeft) => (isHeld(run) ? FREED : left(why));
  if (KINDS[asker.kind].pagesFrom !== "catalogs" || !asker.isNew) {
    return otherwise("other_kind");
  }
  const hasAll = run.hosts.every((host) => asker.hosts.includes(host));
  const hasSame = hasAll && run.hosts.length === asker.hosts.length;
  if (!hasAll) {
    return otherwise("other_sites");
  }
  if (asker.isFresh) {
    return { what: "superseded" };
  }
  if (howLeft(run) === "stopped" && !asker.isOfPerson) {
    return otherwise("stopped");
  }
  if (hasSame) {
    return run.state === "interrupted" ? GOES_ON : { what: "superseded" };
  }
  return areLooser(asker.limits, run.limits) ? otherwise("other_sites") : { what: "superseded" };
}
