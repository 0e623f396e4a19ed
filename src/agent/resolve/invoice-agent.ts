/**
 * `agent.resolveInvoice`: resolves purchases in doubt by the lines of an invoice.
 *
 * An invoice names everything that was charged, not only what is in doubt. So a line accounts for one purchase, and first for one whose
 * outcome is known: the settled purchases of its page, the oldest first. A purchase in doubt gets a line only when lines are left over. The
 * same holds for lines that were applied before, because what they resolved is known: an invoice that is applied twice changes nothing.
 */
import { canonicalPageUrl } from "../../catalog/page-url.ts";
import { assertLicetError, LicetError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { InvoicedPurchase, ResolvedPurchase } from "../../ledger/purchase-ledger.ts";
import { toActedBy } from "../acts/acted-by.ts";
import type { Resources } from "../compose.ts";
import type { AppliedInvoice, CheckedDoubtWord, CheckedInvoiceLine } from "./doubt-word.ts";

/** Lines whose purchases are read at once. */
const LINES_AT_ONCE = 500;

/** All lines are in memory, because the last line may name the purchase that an earlier one could account for. */
const MAX_INVOICE_LINES = 1_000_000;

/**
 * The states that a line may account for, in this order. What is started is being asked for again: it may have been charged, and a line
 * that may belong to it says nothing about a purchase in doubt.
 */
const STATES_OF_WORD = {
  charged: ["settled", "started", "in_doubt"],
  notCharged: ["released", "in_doubt"],
} as const satisfies Readonly<Record<string, readonly InvoicedPurchase["state"][]>>;

/** Each line resolves one purchase at most, in one transaction. */
export async function resolveInvoiceAgent(
  resources: Pick<Resources, "ledger" | "clock" | "systemUser">,
  lines: AsyncIterable<CheckedInvoiceLine>,
  { charged, keepOff, ...acting }: CheckedDoubtWord,
): Promise<AppliedInvoice> {
  const ledger = await resources.ledger("existing");
  const states = STATES_OF_WORD[charged ? "charged" : "notCharged"];
  const who = toActedBy(resources, acting);
  const taken = new Set<number>();
  const resolved: ResolvedPurchase[] = [];
  const accounted: AppliedInvoice["accounted"][number][] = [];
  const unmatched: AppliedInvoice["unmatched"][number][] = [];
  for await (const { line, candidates } of withCandidates(ledger, await readBySharpness(lines))) {
    const found = choosePurchase(line, candidates, states, taken);
    if (found === null) {
      unmatched.push({ line: line.line, reason: describeMiss(line, candidates, states, taken) });
      continue;
    }
    const { purchaseId, state } = found;
    taken.add(purchaseId);
    if (state === "in_doubt") {
      const now = resources.clock.now();
      const done = await ledger.resolvePurchase({ purchaseId, charged, keepOff, who, now }).catch(notInDoubt);
      if (done === null) {
        unmatched.push({
          line: line.line,
          reason: `purchase ${purchaseId} is not in doubt any more: apply the invoice again`,
        });
        continue;
      }
      resolved.push(done);
    }
    accounted.push({ line: line.line, purchaseId, state });
  }
  const inOrder = (one: { readonly line: number }, other: { readonly line: number }) => one.line - other.line;
  const countOf = (wanted: InvoicedPurchase["state"]) => accounted.filter(({ state }) => state === wanted).length;
  return {
    resolved,
    lines: {
      settled: countOf("settled"),
      released: countOf("released"),
      started: countOf("started"),
      inDoubt: countOf("in_doubt"),
      unmatched: unmatched.length,
    },
    accounted: accounted.sort(inOrder),
    unmatched: unmatched.sort(inOrder),
  };
}

/**
 * All lines, those that say most first: a line with an amount fits fewer purchases than one without, and would find its purchase taken.
 * @throws LicetError USAGE_INVALID
 */
async function readBySharpness(lines: AsyncIterable<CheckedInvoiceLine>): Promise<readonly CheckedInvoiceLine[]> {
  const byNumber: CheckedInvoiceLine[] = [];
  const byAmount: CheckedInvoiceLine[] = [];
  const byPage: CheckedInvoiceLine[] = [];
  for await (const line of lines) {
    (line.purchaseId !== null ? byNumber : line.amount !== null ? byAmount : byPage).push(line);
    if (byNumber.length + byAmount.length + byPage.length > MAX_INVOICE_LINES) {
      throw new LicetError("USAGE_INVALID", `the invoice has more than ${MAX_INVOICE_LINES} lines`, {
        hint: "leave out the pages that have no purchase in doubt (licet status lists those that have one); keep all lines of the others",
      });
    }
  }
  return [...byNumber, ...byAmount, ...byPage];
}

async function* withCandidates(
  ledger: Ledger,
  lines: readonly CheckedInvoiceLine[],
): AsyncGenerator<{ readonly line: CheckedInvoiceLine; readonly candidates: readonly InvoicedPurchase[] }> {
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
    const some = lines.slice(at, at + LINES_AT_ONCE);
    const purchases = await ledger.readInvoiced({
      purchaseIds: some.flatMap(({ purchaseId }) => purchaseId ?? []),
      urls: some.flatMap(({ purchaseId, url }) => (purchaseId === null && url !== null ? url : [])),
    });
    const byNumber = new Map(purchases.map((purchase) => [purchase.purchaseId, purchase]));
    const byPage = new Map<string, InvoicedPurchase[]>();
    for (const purchase of purchases) {
      const identity = identityOf(purchase.url);
      byPage.set(identity, [...(byPage.get(identity) ?? []), purchase]);
    }
    for (const line of some) {
      const named = line.purchaseId === null ? undefined : byNumber.get(line.purchaseId);
      const ofPage = line.purchaseId === null && line.url !== null ? byPage.get(identityOf(line.url)) : undefined;
      yield { line, candidates: ofPage ?? (named === undefined ? [] : [named]) };
    }
  }
}

/** The same for all spellings of a page. */
function identityOf(url: string): string {
  return canonicalPageUrl(url) ?? url;
}

function choosePurchase(
  { amount }: CheckedInvoiceLine,
  candidates: readonly InvoicedPurchase[],
  states: readonly InvoicedPurchase["state"][],
  taken: ReadonlySet<number>,
): InvoicedPurchase | null {
  for (const state of states) {
    const found = candidates.find(
      (purchase) => purchase.state === state && !taken.has(purchase.purchaseId) && isAmountOf(amount, purchase),
    );
    if (found !== undefined) {
      return found;
    }
  }
  return null;
}

/**
 * Compares with the charge, or with the quote (the token's cap allowed no other charge), with or without the fee. Without a currency, the
 * amount is in the currency of the purchase.
 */
function isAmountOf(amount: CheckedInvoiceLine["amount"], purchase: InvoicedPurchase): boolean {
  const { micros, currency } = purchase.amount;
  return (
    amount === null ||
    ((amount.currency === null || amount.currency === currency) &&
      (amount.micros === micros || amount.micros === micros + purchase.feeMicros))
  );
}

function notInDoubt(error: unknown): null {
  assertLicetError(error, "PURCHASE_NOT_IN_DOUBT");
  return null;
}

function describeMiss(
  { purchaseId, url }: CheckedInvoiceLine,
  candidates: readonly InvoicedPurchase[],
  states: readonly InvoicedPurchase["state"][],
  taken: ReadonlySet<number>,
): string {
  const subject = purchaseId === null ? (url ?? "it") : `purchase ${purchaseId}`;
  const fitting = candidates.filter(({ state }) => states.includes(state));
  const left = fitting.find((purchase) => !taken.has(purchase.purchaseId));
  if (left !== undefined) {
    const { state, amount } = left;
    const verb = state === "settled" ? "charged" : "quoted at";
    return `${subject} was ${verb} a different amount: ${amount.micros} micros ${amount.currency}`;
  }
  if (fitting.length > 0) {
    return `${subject} is not in doubt, or not any more: each purchase of it has another line`;
  }
  switch (candidates[0]?.state) {
    case undefined:
      return `${subject} is not in doubt, and nothing was charged for it`;
    case "released":
      return `${subject} is not in doubt any more: a person said that it was not charged`;
    case "started":
      return `${subject} is not in doubt yet: its request is being repeated`;
    default:
      return `${subject} is not in doubt: it was charged`;
  }
}
