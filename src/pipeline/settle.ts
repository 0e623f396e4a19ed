/**
 * Stage 5: the content is in hand. Content, charge and use are committed in one ledger transaction before anything else
 * happens to them (promise 4); Markdown derived from HTML follows, since it can be derived again at any time.
 */

import { hashContent } from "../content/content-hash.ts";
import { type ErrorCode, isLicetError } from "../errors.ts";
import type { ContentAnswer } from "../gateway/gateway.ts";
import type { AnswerFlaw, ContentRecord, OpenPurchase, Settled, Settlement } from "../ledger/purchase-ledger.ts";
import { type Micros, ZERO_MICROS } from "../money/micros.ts";
import type { Money } from "../money/money.ts";
import { feeOfCharge } from "../policy/fee.ts";
import type { License } from "../rates/license.ts";
import { MAX_PRICE_MICROS } from "../rates/rate.ts";
import { backoffMs } from "../time/backoff.ts";
import type { AcquireContext } from "./acquire-context.ts";
import { EMPTY_IN_A_ROW } from "./answer-streaks.ts";
import { deriveMarkdown } from "./derive-markdown.ts";
import { stopSite } from "./stop-site.ts";

/** Failures of the ledger that may be over in a moment: another process's lock, a full disk, a disk that failed once. */
const PASSING_FAILURES: ReadonlySet<ErrorCode> = new Set(["LEDGER_LOCKED", "DISK_FULL", "LEDGER_UNWRITABLE"]);
/** At least so often, also when the run is to stop. */
const SETTLE_ATTEMPTS = 6;
/** So long somebody can make room before the run ends without what is in hand. */
const SETTLE_PATIENCE_MS = 60_000;
const SETTLE_BACKOFF_MS = 500;
const MAX_SETTLE_BACKOFF_MS = 8_000;

type ContentInHand = Extract<ContentAnswer, { readonly kind: "content" }>;

export async function settle(context: AcquireContext, purchase: OpenPurchase, answer: ContentInHand): Promise<"over"> {
  const { deps, batch } = context;
  const paid = purchase.intent === "content";
  const charge = paid ? readCharge(purchase, answer) : NO_CHARGE;
  const content = toContentRecord(purchase, answer);
  const bodyBytes = Buffer.byteLength(answer.content.body);
  const isEmpty = paid && bodyBytes < deps.limits.minContentBytes;
  const settled = await commit(context, {
    purchaseId: purchase.purchaseId,
    now: deps.clock.now(),
    charge: charge.claimed,
    feeMicros: feeToBook(context, purchase, charge.booked),
    content,
    requestId: answer.requestId,
    flaws: charge.flaws,
    isEmpty,
  });
  if (settled.outcome === "settled") {
    deps.events.acquired({ url: purchase.url, charged: charge.booked });
  }
  if (settled.stopped !== null) {
    deps.siteHealth.claimStop(batch.host);
    deps.events.siteStopped({ host: batch.host, ...settled.stopped });
  } else if (!isEmpty) {
    context.slowStart.proven();
  }
  if (paid) {
    await noteFilling(context, purchase.url, bodyBytes, isEmpty);
  }
  if (purchase.format === "both" && content.html !== null) {
    await deriveMarkdown(deps, { purchaseId: purchase.purchaseId, url: purchase.url, html: content.html });
  }
  return "over";
}

interface Charge {
  /** What the gateway says, where it is believed; null: the quote counts. */
  readonly claimed: Money | null;
  readonly booked: Money | null;
  readonly flaws: readonly AnswerFlaw[];
}

const NO_CHARGE: Charge = { claimed: null, booked: null, flaws: [] };

/**
 * A charge that cannot be read, or is not believed, is booked at the quote: as it stands it would fill the balances, and the content
 * that came with it could not be committed.
 */
function readCharge(purchase: OpenPurchase, { content }: ContentInHand): Charge {
  const { rate, rateUnreadable = null } = content;
  const said = rate?.price ?? null;
  const flaws: AnswerFlaw[] = [];
  if (rateUnreadable !== null) {
    const detail = `what was charged for ${purchase.url} cannot be read (${rateUnreadable}): its quoted price counts`;
    flaws.push({ kind: "charge_unreadable", detail });
  }
  const isBelieved = said === null || said.micros <= MAX_PRICE_MICROS;
  if (!isBelieved) {
    const detail = `${purchase.url} was charged ${said.micros} micros ${said.currency}, which is not believed: its quoted price counts`;
    flaws.push({ kind: "charge_unreadable", detail });
  }
  const answered = content.license ?? rate?.license ?? null;
  if (purchase.license !== null && answered !== null && isOtherLicense(purchase.license, answered)) {
    const detail = `${purchase.url} was ordered under ${nameLicense(purchase.license)} and came under ${nameLicense(answered)}`;
    flaws.push({ kind: "license_mismatch", detail });
  }
  const claimed = isBelieved ? said : null;
  return { claimed, booked: claimed ?? quoteOf(purchase), flaws };
}

function quoteOf({ quotedMicros, currency }: OpenPurchase): Money | null {
  return currency === null ? null : { micros: quotedMicros, currency };
}

function feeToBook({ deps }: AcquireContext, purchase: OpenPurchase, charged: Money | null): Micros {
  const quoted = quoteOf(purchase);
  return charged === null || quoted === null
    ? ZERO_MICROS
    : feeOfCharge(deps.fee, { quoted, setAsideMicros: purchase.feeMicros, charged });
}

/** Of another type, or of another id where both have one. */
function isOtherLicense(ordered: License, answered: License): boolean {
  return (
    ordered.licenseType !== answered.licenseType ||
    (ordered.cuid !== null && answered.cuid !== null && ordered.cuid !== answered.cuid)
  );
}

function nameLicense({ licenseType, cuid }: License): string {
  return cuid === null ? licenseType : `${licenseType} ${cuid}`;
}

const EMPTY_HINT =
  "ask the gateway's operator why, or set content.minBytes to 0 if pages without content are what you want";

/** A page that came without content is paid for and kept. A streak of them is a site that gives nothing for its price. */
async function noteFilling(
  { deps, batch }: AcquireContext,
  url: string,
  bodyBytes: number,
  isEmpty: boolean,
): Promise<void> {
  const { host } = batch;
  if (isEmpty) {
    deps.events.warned(
      `pages of ${host} come without content (fewer than ${deps.limits.minContentBytes} bytes) and are charged: ${EMPTY_HINT}`,
    );
  }
  if (deps.answerStreaks.filled(host, isEmpty)) {
    const detail = `${EMPTY_IN_A_ROW} pages in a row were charged and came without content, the last one ${url} (${bodyBytes} bytes): ${EMPTY_HINT}`;
    await stopSite(deps, batch, { stop: "empty_content", detail });
  }
}

/**
 * What was paid for is in hand and nowhere else: the ledger is asked again after every failure that may pass, and nothing more is
 * bought meanwhile in this process. Only when the process is told to end, or its patience is, the content is given up. Asking twice
 * changes nothing.
 */
async function commit({ deps, signal }: AcquireContext, settlement: Settlement): Promise<Settled> {
  const { ledger, clock, events, buyingHold } = deps;
  const since = clock.now();
  let goOn = () => {};
  for (let attempt = 1; ; attempt++) {
    try {
      const settled = await ledger.settlePurchase(settlement);
      goOn();
      return settled;
    } catch (error) {
      const isLate = attempt >= SETTLE_ATTEMPTS && (signal.aborted || clock.now() - since >= SETTLE_PATIENCE_MS);
      if (!isLicetError(error) || !PASSING_FAILURES.has(error.code) || isLate) {
        throw error;
      }
      if (attempt === 1) {
        goOn = buyingHold.begin();
      } else {
        events.warned(`what is paid for is kept until it can be written, and nothing more is bought: ${error.message}`);
      }
      await clock.sleep(backoffMs(attempt, SETTLE_BACKOFF_MS, MAX_SETTLE_BACKOFF_MS, deps.random));
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
