/**
 * `agent.resolveRun` and `agent.resolveInvoice`: resolve many purchases in doubt by the answer of a person. Each purchase is one
 * transaction.
 */
import { canonicalPageUrl } from "../catalog/page-url.ts";
import type { DoubtToResolve, ResolvedPurchase } from "../ledger/purchase-ledger.ts";
import type { Money } from "../money/money.ts";
import type { Resources } from "./compose.ts";
import type { CheckedInvoiceLine, DoubtWord, ResolvedMany } from "./reports/doubt-word.ts";

/** Purchases in doubt that are read at once. */
const DOUBT_PAGE = 1_000;

export async function resolveRunAgent(resources: Resources, runId: string, word: DoubtWord): Promise<ResolvedMany> {
  const ledger = await resources.ledger("existing");
  // @throws RUN_NOT_FOUND
  await ledger.readRun(runId);
  const resolved: ResolvedPurchase[] = [];
  for await (const { purchaseId } of readDoubts(resources, runId)) {
    resolved.push(await ledger.resolvePurchase({ purchaseId, ...word, now: resources.clock.now() }));
  }
  return { resolved, unmatched: [] };
}

/**
 * Resolves purchases by the lines of an invoice. Each line names a purchase by its number, or a page by its URL, and perhaps an
 * amount. It resolves one purchase in doubt. The amount must equal the quote, with or without the fee, because the token's cap
 * allowed no other charge.
 */
export async function resolveInvoiceAgent(
  resources: Resources,
  lines: AsyncIterable<CheckedInvoiceLine>,
  word: DoubtWord,
): Promise<ResolvedMany> {
  const ledger = await resources.ledger("existing");
  const byId = new Map<number, DoubtToResolve>();
  const byUrl = new Map<string, DoubtToResolve[]>();
  for await (const doubt of readDoubts(resources, null)) {
    byId.set(doubt.purchaseId, doubt);
    for (const url of new Set([doubt.url, doubt.wireUrl])) {
      byUrl.set(url, [...(byUrl.get(url) ?? []), doubt]);
    }
  }
  const resolved: ResolvedPurchase[] = [];
  const unmatched: ResolvedMany["unmatched"][number][] = [];
  for await (const line of lines) {
    const candidates = findCandidates(line, byId, byUrl).filter(({ purchaseId }) => byId.has(purchaseId));
    const found = candidates.find((doubt) => isAmountOf(line.amount, doubt));
    if (found === undefined) {
      unmatched.push({ line: line.line, reason: describeMiss(line, candidates) });
      continue;
    }
    const { purchaseId } = found;
    byId.delete(purchaseId);
    resolved.push(await ledger.resolvePurchase({ purchaseId, ...word, now: resources.clock.now() }));
  }
  return { resolved, unmatched };
}

async function* readDoubts(resources: Resources, runId: string | null): AsyncGenerator<DoubtToResolve> {
  const ledger = await resources.ledger("existing");
  for (let after = 0; ; ) {
    const page = await ledger.readDoubts({ runId, afterPurchaseId: after, limit: DOUBT_PAGE });
    yield* page;
    const last = page.at(-1);
    if (last === undefined) {
      return;
    }
    after = last.purchaseId;
  }
}

function findCandidates(
  { purchaseId, url }: CheckedInvoiceLine,
  byId: ReadonlyMap<number, DoubtToResolve>,
  byUrl: ReadonlyMap<string, readonly DoubtToResolve[]>,
): readonly DoubtToResolve[] {
  if (purchaseId !== null) {
    const doubt = byId.get(purchaseId);
    return doubt === undefined ? [] : [doubt];
  }
  return url === null ? [] : (byUrl.get(url) ?? byUrl.get(canonicalPageUrl(url) ?? "") ?? []);
}

/** Compares an amount with the quote. Without a currency, the amount is in the currency of the quote. */
function isAmountOf(amount: CheckedInvoiceLine["amount"], { quoted, fee }: DoubtToResolve): boolean {
  if (amount === null) {
    return true;
  }
  return (
    quoted !== null &&
    (amount.currency === null || amount.currency === quoted.currency) &&
    (amount.micros === quoted.micros || amount.micros === quoted.micros + (fee?.micros ?? 0))
  );
}

function describeMiss({ purchaseId, url }: CheckedInvoiceLine, candidates: readonly DoubtToResolve[]): string {
  const subject = purchaseId === null ? (url ?? "it") : `purchase ${purchaseId}`;
  const [first] = candidates;
  return first === undefined
    ? `${subject} is not in doubt, or is no longer in doubt`
    : `${subject} was quoted at a different amount: ${describeAmount(first.quoted)}`;
}

function describeAmount(amount: Money | null): string {
  return amount === null ? "nothing" : `${amount.micros} micros ${amount.currency}`;
}
