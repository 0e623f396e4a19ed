/**
 * Stage 5: the content is in hand. Content, charge and use are committed in one ledger transaction before anything else
 * happens to them (promise 4); Markdown derived from HTML follows, since it can be derived again at any time.
 */

import { hashContent } from "../content/content-hash.ts";
import { type ErrorCode, isLicetError } from "../errors.ts";
import type { ContentAnswer } from "../gateway/gateway.ts";
import type { ContentRecord, OpenPurchase, Settled, Settlement } from "../ledger/purchase-ledger.ts";
import { ZERO_MICROS } from "../money/micros.ts";
import { feeOf } from "../policy/fee.ts";
import { MAX_PRICE_MICROS } from "../rates/rate.ts";
import { backoffMs } from "../time/backoff.ts";
import type { AcquireContext } from "./acquire-context.ts";
import { deriveMarkdown } from "./derive-markdown.ts";
import type { StageDeps } from "./stage-deps.ts";

/** Failures of the ledger that may be over in a moment: another process's lock, a full disk, a disk that failed once. */
const PASSING_FAILURES: ReadonlySet<ErrorCode> = new Set(["LEDGER_LOCKED", "DISK_FULL", "LEDGER_UNWRITABLE"]);
const SETTLE_ATTEMPTS = 6;
const SETTLE_BACKOFF_MS = 500;
const MAX_SETTLE_BACKOFF_MS = 8_000;

type ContentInHand = Extract<ContentAnswer, { readonly kind: "content" }>;

export async function settle(
  { deps, batch }: AcquireContext,
  purchase: OpenPurchase,
  answer: ContentInHand,
): Promise<"over"> {
  const paid = purchase.intent === "content";
  const claimed = paid ? (answer.content.rate?.price ?? null) : null;
  const believed = claimed === null || claimed.micros <= MAX_PRICE_MICROS;
  const charge = believed ? claimed : null;
  const quoted = purchase.currency === null ? null : { micros: purchase.quotedMicros, currency: purchase.currency };
  const feeBase = charge ?? quoted;
  const content = toContentRecord(purchase, answer);
  const settled = await commit(deps, {
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
  const { rateUnreadable = null } = answer.content;
  if (paid && rateUnreadable !== null) {
    deps.events.warned(
      `what was charged for ${purchase.url} cannot be read (${rateUnreadable}): its quoted price counts`,
    );
  }
  if (settled.overcharged) {
    const detail = `${purchase.url} was charged above its quoted price`;
    deps.events.siteStopped({ host: batch.host, stop: "overcharged", detail });
  }
  if (!believed && settled.outcome === "settled") {
    await stopUnbelieved(deps, batch, `${purchase.url} was charged ${claimed.micros} micros ${claimed.currency}`);
  }
  if (purchase.format === "both" && content.html !== null) {
    await deriveMarkdown(deps, { purchaseId: purchase.purchaseId, url: purchase.url, html: content.html });
  }
  return "over";
}

/**
 * A charge that is not believed is booked at the quoted price: as it stands, it would fill the balances, and the content that
 * came with it could not be committed. Nothing more is bought from a site that does this.
 */
async function stopUnbelieved(
  { ledger, events, clock }: StageDeps,
  { runId, host }: AcquireContext["batch"],
  claim: string,
): Promise<void> {
  const detail = `${claim}, which is not believed: its quoted price counts`;
  await ledger.stopSite({ runId, host, stop: "overcharged", detail, now: clock.now() });
  events.siteStopped({ host, stop: "overcharged", detail });
}

/**
 * What was paid for is in hand and nowhere else: the ledger is asked again after every failure that may pass before the
 * content is given up. Asking twice changes nothing.
 */
async function commit(deps: StageDeps, settlement: Settlement): Promise<Settled> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await deps.ledger.settlePurchase(settlement);
    } catch (error) {
      const mayPass = isLicetError(error) && PASSING_FAILURES.has(error.code);
      if (!mayPass || attempt === SETTLE_ATTEMPTS) {
        throw error;
      }
      await deps.clock.sleep(backoffMs(attempt, SETTLE_BACKOFF_MS, MAX_SETTLE_BACKOFF_MS, deps.random));
    }
  }
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
