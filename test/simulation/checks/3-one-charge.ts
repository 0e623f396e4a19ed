/**
 * Promise 3: a purchase has one one-time token, committed as *started* before the chargeable request is sent; so one decision is
 * charged once at most. What stays unanswered is in doubt until it is resolved, and is never silently bought again.
 */
import type { Evidence, StepRule, Violation } from "./evidence.ts";
import type { Change, History, Step } from "./history.ts";
import type { PurchaseRow, PurchaseState } from "./ledger-rows.ts";
import { sitesInForce } from "./settings.ts";

/** `reserved → started → settled | released | in_doubt`, `in_doubt → settled | released`; late content settles (decision 0009). */
const LEGAL: Readonly<Record<PurchaseState, readonly PurchaseState[]>> = {
  reserved: ["reserved", "started", "released"],
  started: ["started", "settled", "released", "in_doubt"],
  in_doubt: ["in_doubt", "settled", "released"],
  released: ["released", "settled"],
  settled: ["settled"],
};

export function createOneCharge(evidence: Evidence, history: History): StepRule {
  return (step) => {
    const violation = judgeRequests(step, history);
    if (violation !== null) {
      return violation;
    }
    for (const change of step.purchases) {
      const { before, now } = change;
      const found =
        (before === null ? judgeNew(now, step, history, evidence) : judgeTransition(before, now, history)) ??
        judgeToken(change, history) ??
        judgeRelease(now, history);
      if (found !== null) {
        return found;
      }
    }
    return judgeCharges(step, history);
  };
}

/** Called with the purchases as of the commit before: a request may only carry what was committed before it was sent. */
function judgeRequests({ requested, charged }: Step, { purchaseOf }: History): Violation | null {
  // No content request without a purchase that is committed as started with its token.
  const early = requested.find(({ token }) => !purchaseOf.has(token));
  if (early !== undefined) {
    return broken("started-before-sent", `a request for ${early.url} came with a token that was never started`);
  }
  // So no charge either.
  const unknown = charged.find(({ token }) => !purchaseOf.has(token));
  return unknown === undefined
    ? null
    : broken("charge-has-a-purchase", `${unknown.url} was charged without a purchase`);
}

/** No purchase of a page beside one that is open; under `inDoubt: hold` none beside one that is in doubt. */
function judgeNew(row: PurchaseRow, step: Step, { purchases }: History, evidence: Evidence): Violation | null {
  if (row.state !== "reserved" && row.state !== "released") {
    return broken("begins-reserved", `purchase ${row.id} appears as ${row.state}`);
  }
  const isHeld = (host: string) => sitesInForce(evidence, host).every(({ policy }) => policy.inDoubt === "hold");
  const latest = new Map(purchases);
  for (const { now } of step.purchases) {
    latest.set(now.id, now);
  }
  for (const other of latest.values()) {
    if (other.url !== row.url || other.id === row.id) {
      continue;
    }
    if (other.state === "in_doubt" && isHeld(row.host)) {
      return broken("doubt-is-held", `purchase ${row.id} of ${row.url} while purchase ${other.id} is in doubt`);
    }
    if (other.state === "reserved" || other.state === "started") {
      return broken(
        "one-open-purchase",
        `purchase ${row.id} of ${row.url} while purchase ${other.id} is ${other.state}`,
      );
    }
  }
  return null;
}

function judgeTransition(before: PurchaseRow, now: PurchaseRow, { resolutions }: History): Violation | null {
  // States change along the design's table.
  if (!LEGAL[before.state].includes(now.state)) {
    return broken("legal-transition", `purchase ${now.id} went from ${before.state} to ${now.state}`);
  }
  // Content cannot come for what was never sent.
  if (now.state === "settled" && now.startedAt === null) {
    return broken("settled-was-started", `purchase ${now.id} is settled and was never started`);
  }
  // What had ended changes by a resolution alone, which says the same.
  const resolution = resolutions.get(now.id);
  const outcome = now.state === "settled" ? "charged" : "not_charged";
  const hadEnded = before.state === "in_doubt" || before.state === "released";
  return hadEnded && before.state !== now.state && resolution?.outcome !== outcome
    ? broken("change-has-a-resolution", `purchase ${now.id} went from ${before.state} to ${now.state} without one`)
    : null;
}

/** A purchase of content keeps its one token; no token serves two purchases. */
function judgeToken({ now }: Change<PurchaseRow>, { tokenOf, purchaseOf }: History): Violation | null {
  if (now.token === null) {
    return null;
  }
  const [known, owner] = [tokenOf.get(now.id), purchaseOf.get(now.token)];
  if (now.intent === "content" && known !== undefined && known !== now.token) {
    return broken("one-token", `purchase ${now.id} has a second token`);
  }
  return owner === undefined || owner === now.id
    ? null
    : broken("token-serves-once", `purchases ${owner} and ${now.id} have one token`);
}

/** What the gateway has charged is never taken for nothing, unless a person or the quote says so. */
function judgeRelease(row: PurchaseRow, history: History): Violation | null {
  const isCharged = (history.chargeOf.get(history.tokenOf.get(row.id) ?? "")?.micros ?? 0) > 0;
  return row.state === "released" && isCharged && !isTakenForNothing(row, history)
    ? broken("charged-is-not-released", `purchase ${row.id} of ${row.url} was charged and is released as ${row.reason}`)
    : null;
}

/**
 * Whether an operator has resolved the purchase, or its quote of nothing has: that such a page was overcharged in an answer that was
 * lost is known from the gateway's invoice alone.
 */
function isTakenForNothing(row: PurchaseRow, { resolutions }: History): boolean {
  const source = resolutions.get(row.id)?.source;
  return source === "operator" || (source === "nothing_to_charge" && row.quoted + row.fee + row.useReserve === 0);
}

/** For a later charge, the purchase must not be released either. */
function judgeCharges({ charged, purchases }: Step, history: History): Violation | null {
  const changed = new Map(purchases.map(({ now }) => [now.id, now]));
  for (const { token } of charged) {
    const id = history.purchaseOf.get(token) ?? 0;
    const row = changed.get(id) ?? history.purchases.get(id);
    const violation = row === undefined ? null : judgeRelease(row, history);
    if (violation !== null) {
      return violation;
    }
  }
  return null;
}

/**
 * At the end every charge in the gateway's account has its purchase: settled at that amount, in doubt, or taken for nothing;
 * what an operator is said to have resolved was resolved so; and what was settled or started once has kept its row.
 */
export function endOneCharge(evidence: Evidence, history: History, rows: readonly PurchaseRow[]): Violation[] {
  const violations: Violation[] = [];
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const charge of evidence.account.charges) {
    const row = byId.get(history.purchaseOf.get(charge.token) ?? 0);
    const isSettled =
      row?.state === "settled" &&
      row.chargedCurrency === charge.currency &&
      (row.charged === charge.micros || (charge.said !== "truth" && row.charged === row.quoted));
    const isNothing = charge.micros === 0 && row?.state === "released";
    const isTaken = row !== undefined && isTakenForNothing(row, history);
    if (!isSettled && !isNothing && row?.state !== "in_doubt" && !isTaken) {
      violations.push(
        broken(
          "charge-is-accounted",
          `${charge.url} was charged ${charge.micros}, purchase ${row?.id} is ${row?.state}`,
        ),
      );
    }
  }
  for (const { purchaseId, outcome, source } of history.resolutions.values()) {
    const isKnown = evidence.operations.some(
      (operation) =>
        operation.kind === "resolve" &&
        operation.purchaseId === purchaseId &&
        operation.charged === (outcome === "charged"),
    );
    if (source === "operator" && !isKnown) {
      violations.push(broken("resolved-by-somebody", `nobody resolved purchase ${purchaseId} as ${outcome}`));
    }
  }
  for (const known of history.purchases.values()) {
    if (JSON.stringify(known) !== JSON.stringify(byId.get(known.id))) {
      violations.push(broken("row-is-as-committed", `purchase ${known.id} of ${known.url} has changed in no commit`));
    }
  }
  return violations;
}

function broken(rule: string, detail: string): Violation {
  return { promise: 3, rule, detail };
}
