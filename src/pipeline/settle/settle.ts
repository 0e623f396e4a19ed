/**
 * Stage 5: stores content that has arrived. One ledger transaction commits content, charge and use before anything else happens
 * to them (promise 4). Markdown is derived from the HTML afterwards, because it can be derived again at any time.
 */

import { hashContent } from "../../content/content-hash.ts";
import { type ErrorCode, isLicetError } from "../../errors.ts";
import type { ContentAnswer } from "../../gateway/gateway.ts";
import type { AnswerFlaw, OpenPurchase, Settled, SettledContent, Settlement } from "../../ledger/purchase-ledger.ts";
import { type Micros, ZERO_MICROS } from "../../money/micros.ts";
import type { Money } from "../../money/money.ts";
import { feeOfCharge } from "../../policy/fee.ts";
import { type License, nameLicense } from "../../rates/license.ts";
import { MAX_PRICE_MICROS } from "../../rates/rate.ts";
import { backoffMs } from "../../time/backoff.ts";
import { toGatewayTime } from "../../time/clock-judgement.ts";
import type { AcquireContext } from "../acquire/acquire-context.ts";
import { stopSite } from "../stop-site.ts";
import { EMPTY_IN_A_ROW } from "./answer-streaks.ts";
import { deriveMarkdown } from "./derive-markdown.ts";
import { NO_SINK } from "./document-sink.ts";

/** Ledger failures that may be temporary: another process's lock, a full disk, a disk error; and a service that does not answer its worker. */
const PASSING_FAILURES: ReadonlySet<ErrorCode> = new Set([
  "LEDGER_LOCKED",
  "DISK_FULL",
  "LEDGER_UNWRITABLE",
  "SERVICE_UNREACHABLE",
  "SERVICE_STOPPING",
  "SERVICE_LOST",
  "WORKER_EXPIRED",
]);
/** The minimum number of attempts, also when the run is stopping. */
const SETTLE_ATTEMPTS = 6;
const SETTLE_BACKOFF_MS = 500;
const MAX_SETTLE_BACKOFF_MS = 8_000;

type ContentInHand = Extract<ContentAnswer, { readonly kind: "content" }>;

export async function settle(context: AcquireContext, purchase: OpenPurchase, answer: ContentInHand): Promise<void> {
  const { deps, batch } = context;
  const now = deps.clock.now();
  const paid = purchase.intent === "content";
  const charge = paid ? readCharge(purchase, answer) : NO_CHARGE;
  // Its length, its hash and its column are made of the same bytes.
  const body = answer.content.bodyBytes ?? Buffer.from(answer.content.body);
  const content = toSettledContent(purchase, answer, body);
  const isEmpty = paid && body.length < deps.limits.minContentBytes;
  const feeMicros = feeToBook(context, purchase, charge.booked);
  const settled = await commit(context, {
    purchaseId: purchase.purchaseId,
    now,
    askedAt: toAskedAt(deps, now, answer.tookMs),
    charge: charge.claimed,
    feeMicros,
    content,
    requestId: answer.requestId,
    flaws: charge.flaws,
    isEmpty,
    validUntilAt: paid ? (answer.content.validUntilAt ?? null) : null,
  });
  if (settled.outcome === "settled") {
    deps.events.bought({ url: purchase.url, charged: charge.booked, feeMicros });
  }
  if (settled.stopped !== null) {
    deps.siteHealth.claimStop(batch.host);
    deps.events.siteStopped({ host: batch.host, ...settled.stopped });
  } else if (!isEmpty) {
    context.slowStart.proven();
    deps.siteHealth.proven(batch.host);
  }
  const emptyStreak = paid ? countEmpty(context, purchase.url, body.length, isEmpty) : null;
  if (emptyStreak !== null) {
    await stopSite(deps, batch, { stop: "empty_content", detail: emptyStreak });
  }
  if (purchase.format === "both" && content.html !== null) {
    await deriveMarkdown(deps, { purchaseId: purchase.purchaseId, url: purchase.url, html: answer.content.body });
  }
  if (settled.outcome === "settled" && deps.documents !== NO_SINK) {
    await give(context, purchase.purchaseId);
  }
}

/** Null where the gateway's time is not known: what is written is a proof of the time that it was (`readClockEvidence`). */
function toAskedAt({ gateway }: AcquireContext["deps"], now: number, tookMs: number | undefined): number | null {
  const gatewayAt = gateway.dateAt();
  return tookMs === undefined || gatewayAt === null ? null : toGatewayTime(now, gatewayAt) - tookMs;
}

/** Gives the document to the program that runs the crawl. */
async function give({ deps }: AcquireContext, purchaseId: number): Promise<void> {
  try {
    await deps.documents.give(purchaseId);
  } catch (error) {
    // This failure ends the run, so the other pages of the batch are not bought first.
    deps.buyingHold.begin();
    throw error;
  }
}

interface Charge {
  /** The charge that the gateway reported, if it is plausible. Null: the quote counts. */
  readonly claimed: Money | null;
  readonly booked: Money | null;
  readonly flaws: readonly AnswerFlaw[];
}

const NO_CHARGE: Charge = { claimed: null, booked: null, flaws: [] };

/**
 * Reads the charge. A charge that cannot be read, or is not plausible, is booked at the quoted price: such an amount could
 * exhaust the balances or prevent the commit of the content.
 */
function readCharge(purchase: OpenPurchase, { content }: ContentInHand): Charge {
  const { rate, rateUnreadable = null } = content;
  const reported = rate?.price ?? null;
  const flaws: AnswerFlaw[] = [];
  if (rateUnreadable !== null) {
    const detail = `what was charged for ${purchase.url} cannot be read (${rateUnreadable}): its quoted price counts`;
    flaws.push({ kind: "charge_unreadable", detail });
  }
  const isPlausible = reported === null || reported.micros <= MAX_PRICE_MICROS;
  if (!isPlausible) {
    const detail = `${purchase.url} was charged ${reported.micros} micros ${reported.currency}, which is not plausible: its quoted price counts`;
    flaws.push({ kind: "charge_unreadable", detail });
  }
  const answered = content.license ?? rate?.license ?? null;
  const ordered = purchase.quote?.license ?? null;
  if (ordered !== null && answered !== null && isOtherLicense(ordered, answered)) {
    const detail = `${purchase.url} was ordered under ${nameLicense(ordered)} and came under ${nameLicense(answered)}`;
    flaws.push({ kind: "license_mismatch", detail });
  }
  const claimed = isPlausible ? reported : null;
  return { claimed, booked: claimed ?? purchase.quote?.price ?? null, flaws };
}

function feeToBook({ deps }: AcquireContext, purchase: OpenPurchase, charged: Money | null): Micros {
  const { quote, feeMicros } = purchase;
  return charged === null || quote === null
    ? ZERO_MICROS
    : feeOfCharge(deps.fee, { quoted: quote.price, setAsideMicros: feeMicros, charged });
}

/** True for a license of another type, or of another id when both have one. */
function isOtherLicense(ordered: License, answered: License): boolean {
  return (
    ordered.licenseType !== answered.licenseType ||
    (ordered.cuid !== null && answered.cuid !== null && ordered.cuid !== answered.cuid)
  );
}

const EMPTY_HINT =
  "ask the gateway's operator why, or set content.minBytes to 0 if pages without content are what you want";

/**
 * Counts a page that came without content. The page is paid for and stored.
 * @returns why the site stops: a streak of such pages. Null: it does not
 */
function countEmpty(
  { deps, batch: { host } }: AcquireContext,
  url: string,
  bodyBytes: number,
  isEmpty: boolean,
): string | null {
  if (isEmpty) {
    deps.events.warned(
      `pages of ${host} come without content (fewer than ${deps.limits.minContentBytes} bytes) and are charged: ${EMPTY_HINT}`,
    );
  }
  return deps.answerStreaks.contentArrived(host, isEmpty)
    ? `${EMPTY_IN_A_ROW} pages in a row were charged and came without content, the last one ${url} (${bodyBytes} bytes): ${EMPTY_HINT}`
    : null;
}

/**
 * Commits the settlement. The paid content exists only in this process's memory, so the commit is repeated after every temporary
 * failure, and this process buys nothing more meanwhile. The content is given up only when the process must end or the time limit
 * is reached. A repeated commit changes nothing.
 */
async function commit({ deps, signal }: AcquireContext, settlement: Settlement): Promise<Settled> {
  const { ledger, clock, events, buyingHold, outagePolicy } = deps;
  const since = clock.now();
  let resumeBuying = () => {};
  for (let attempt = 1; ; attempt++) {
    try {
      const settled = await ledger.settlePurchase(settlement);
      resumeBuying();
      if (!buyingHold.isActive) {
        outagePolicy.reportSuccess("ledger");
      }
      return settled;
    } catch (error) {
      if (!isLicetError(error) || !PASSING_FAILURES.has(error.code)) {
        throw error;
      }
      const isKept = outagePolicy.keepsContent(error, { waitedMs: clock.now() - since, signal });
      if (attempt >= SETTLE_ATTEMPTS && !isKept) {
        throw error;
      }
      if (attempt === 1) {
        resumeBuying = buyingHold.begin();
      } else {
        events.warned(
          `content that was paid for is kept in memory until it can be written, and nothing more is bought: ${error.message}`,
        );
      }
      await clock.sleep(backoffMs(attempt, SETTLE_BACKOFF_MS, MAX_SETTLE_BACKOFF_MS, deps.random));
    }
  }
}

function toSettledContent(purchase: OpenPurchase, { content }: ContentInHand, body: Uint8Array): SettledContent {
  const isMarkdown = purchase.format === "markdown";
  return {
    markdown: isMarkdown ? body : null,
    html: isMarkdown ? null : body,
    header: content.header,
    footer: content.footer,
    ...content.metadata,
    contentHash: hashContent({ header: content.header ?? "", body, footer: content.footer ?? "" }),
    conversionFailure: null,
  };
}
