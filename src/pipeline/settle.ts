/**
 * Stage 5: the content is in hand. Content, charge and use are committed in one ledger transaction before anything else
 * happens to them (promise 4); Markdown derived from HTML follows, since it can be derived again at any time.
 */
import { hashContent } from "../content/content-hash.ts";
import type { ContentAnswer } from "../gateway/gateway.ts";
import type { ContentRecord, OpenPurchase } from "../ledger/purchase-ledger.ts";
import { ZERO_MICROS } from "../money/micros.ts";
import { feeOf } from "../policy/fee.ts";
import type { AcquireContext } from "./acquire-context.ts";
import { deriveMarkdown } from "./derive-markdown.ts";

type ContentInHand = Extract<ContentAnswer, { readonly kind: "content" }>;

export async function settle(
  { deps, batch }: AcquireContext,
  purchase: OpenPurchase,
  answer: ContentInHand,
): Promise<"over"> {
  const paid = purchase.intent === "content";
  const charge = paid ? (answer.content.rate?.price ?? null) : null;
  const quoted = purchase.currency === null ? null : { micros: purchase.quotedMicros, currency: purchase.currency };
  const feeBase = charge ?? quoted;
  const content = toContentRecord(purchase, answer);
  const settled = await deps.ledger.settlePurchase({
    purchaseId: purchase.purchaseId,
    now: deps.clock.now(),
    charge,
    feeMicros: paid && feeBase !== null ? feeOf(deps.fee, feeBase) : ZERO_MICROS,
    content,
    requestId: answer.requestId,
  });
  if (settled.outcome === "settled") {
    deps.events.acquired({ url: purchase.url, charged: paid ? feeBase : null });
  }
  if (settled.overcharged) {
    const detail = `${purchase.url} was charged above its quoted price`;
    deps.events.siteStopped({ host: batch.host, stop: "overcharged", detail });
  }
  if (purchase.format === "both" && content.html !== null) {
    await deriveMarkdown(deps, { purchaseId: purchase.purchaseId, url: purchase.url, html: content.html });
  }
  return "over";
}

function toContentRecord(purchase: OpenPurchase, { content }: ContentInHand): ContentRecord {
  const isMarkdown = purchase.format === "markdown";
  return {
    markdown: isMarkdown ? content.body : null,
    html: isMarkdown ? null : content.body,
    header: content.header,
    footer: content.footer,
    ...content.metadata,
    contentHash: hashContent({ header: content.header ?? "", body: content.body, footer: content.footer ?? "" }),
    conversionFailure: null,
  };
}
