/**
 * Sends the chargeable request of a *started* purchase and acts on its answer.
 *
 * There are five kinds of answer (`ContentAnswer`):
 * - content: the purchase is settled;
 * - a refusal: the purchase is released;
 * - a 401 (`unauthorized`): the purchase is released, or in doubt after an attempt without an answer. That attempt probably used the token up, so
 *   the page was charged and its content is lost;
 * - a request to wait (429), or no usable answer: the same request is sent again with the same token: some times, and in an outage until
 *   the token expires, if the policy of the call says so.
 *
 * A token may expire before the gateway serves its request, because the gateway asks for a rest (429) that is longer than the token's
 * life. When it is certain that the token was not used, the purchase is released and its page is reserved anew, for another token.
 */
import { LicetError } from "../../errors.ts";
import type { ContentAnswer, GatewayRetry } from "../../gateway/gateway.ts";
import type { OpenPurchase } from "../../ledger/purchase-ledger.ts";
import type { DoubtReason, OneTimeToken } from "../../purchase/purchase.ts";
import { backoffMs } from "../../time/backoff.ts";
import type { AcquireContext } from "../acquire/acquire-context.ts";
import { release, toRefusal } from "../acquire/release.ts";
import { stopRefusing } from "../acquire/stop-refusing.ts";
import { UNUSED_TOKENS_IN_A_ROW } from "../settle/answer-streaks.ts";
import { settle } from "../settle/settle.ts";
import { isGatewayAway } from "./content-outage.ts";
import { refetchIndexing } from "./refetch-indexing.ts";

/** A token that was refused after its request waited this long has probably expired: no token lives shorter. */
const TOKEN_MAY_EXPIRE_MS = 1_000;

/** What is known so far about the request of one token. */
interface Sent {
  /** An attempt may have reached the gateway, and no usable answer came back. */
  readonly mayHaveBeenSent: boolean;
}

/** What the attempts before an answer have shown. */
interface Probed extends Sent {
  readonly token: OneTimeToken;
  /** The gateway asked for a rest before (429). */
  readonly wasLimited: boolean;
  /** Why the last attempt had no answer, for people. */
  readonly whyUnanswered: string;
}

/** An answer after which the same request is sent again. */
type AgainAnswer = Extract<ContentAnswer, { kind: "refused" | "rate_limited" | "unanswered" }>;

/**
 * Refusals that the gateway itself sends. They
 * show that the gateway read the request. A redirect or any other 4xx, for example a proxy's 413, does not show what happened to
 * an earlier attempt.
 */
const OWN_REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404]);

/** @returns the purchase that its page has now, for another token. Null: the purchase is settled, released, in doubt, or another worker's */
export async function fetchAndProbe(
  context: AcquireContext,
  purchase: OpenPurchase,
  token: OneTimeToken,
  sent: Sent,
): Promise<OpenPurchase | null> {
  const { deps } = context;
  let mayHaveBeenSent = sent.mayHaveBeenSent;
  let wasLimited = false;
  let whyUnanswered = "the process ended before an answer came";
  for (let attempt = 1; ; attempt++) {
    const answer = await deps.gateway.fetchContent({
      url: purchase.wireUrl,
      token: token.token,
      format: purchase.format === "markdown" ? "markdown" : "html",
      expiresAt: mayHaveBeenSent ? null : token.expiresAt,
    });
    switch (answer.kind) {
      case "content":
        deps.siteHealth.granted(context.batch.host, "content");
        deps.answerStreaks.granted(context.batch.host);
        await settle(context, purchase, answer);
        return null;
      case "refused": {
        const refusal = toRefusal(answer.status, answer.detail, purchase.url);
        if (answer.status === 400 && mayHaveBeenSent && purchase.intent === "content") {
          // The gateway specification also uses 400 for an invalid token. After an attempt without an answer, the token may be used up.
          await holdInDoubt(context, purchase, "token_spent", `${whyUnanswered}; then the gateway answered 400`);
          return null;
        }
        if (!mayHaveBeenSent || OWN_REFUSALS.has(answer.status) || purchase.intent === "indexing") {
          await release(context, purchase, "content_refused", refusal);
          return null;
        }
        whyUnanswered = `${whyUnanswered}; then something answered ${answer.status}`;
        await stopRefusing(context, refusal);
        break;
      }
      case "unauthorized":
        return endUnauthorized(context, purchase, answer, { token, mayHaveBeenSent, wasLimited, whyUnanswered });
      case "rate_limited":
        wasLimited = true;
        break;
      case "unanswered":
        if (purchase.intent === "indexing") {
          // Nothing was charged, and the token may be used up, so only a fresh token can help.
          await refetchIndexing(context, purchase);
          return null;
        }
        mayHaveBeenSent ||= answer.sent;
        whyUnanswered = answer.detail;
        break;
      default:
        return answer satisfies never;
    }
    const waitMs = waitBeforeProbe(context, answer, attempt);
    // Before the next attempt.
    const tokenExpires = deps.clock.now() + waitMs >= token.expiresAt;
    const wasLast = attempt > deps.limits.probes;
    const mayBeAway = wasLast && !tokenExpires && answer.kind === "unanswered";
    const why = whyAgain(answer);
    const isAway = mayBeAway && (await isGatewayAway(deps, purchase, { because: why.because, detail: whyUnanswered }));
    const goesOn = !wasLast || (isAway && !context.signal.aborted);
    if (tokenExpires || !goesOn) {
      return endUnanswered(context, purchase, answer, { mayHaveBeenSent, tokenExpires, isAway, detail: whyUnanswered });
    }
    const attempts = Math.max(deps.limits.probes, attempt) + 1;
    deps.events.retrying({ call: "content", ...why, attempt: attempt + 1, attempts, waitMs });
    await deps.clock.sleep(waitMs, wasLast ? context.signal : undefined);
  }
}

/** A 401: the token was refused, because it is not right, or not any more. */
async function endUnauthorized(
  context: AcquireContext,
  purchase: OpenPurchase,
  { detail, waitedMs = 0 }: Extract<ContentAnswer, { kind: "unauthorized" }>,
  { token, mayHaveBeenSent, wasLimited, whyUnanswered }: Probed,
): Promise<OpenPurchase | null> {
  const refusal = toRefusal(401, detail, purchase.url);
  if (purchase.intent === "indexing") {
    await refetchIndexing(context, purchase, refusal);
    return null;
  }
  if (!mayHaveBeenSent) {
    if (!(await isOurs(context))) {
      return null;
    }
    const isLate = wasLimited || waitedMs >= TOKEN_MAY_EXPIRE_MS;
    const again = isLate ? await reserveAnew(context, purchase, LIMITED, LATE_TOKEN) : null;
    if (again === null) {
      await release(context, purchase, "content_refused", refusal);
    }
    return again;
  }
  const expired = context.deps.clock.now() >= token.expiresAt;
  const why = `${whyUnanswered}; then the token was refused (401)`;
  await holdInDoubt(context, purchase, expired ? "token_expired" : "token_spent", why);
  return null;
}

const UNANSWERED_BECAUSE: Readonly<
  Record<Extract<ContentAnswer, { kind: "unanswered" }>["reason"], GatewayRetry["because"]>
> = {
  no_connection: "no_connection",
  reset: "reset",
  timeout: "timeout",
  server_error: "server_error",
  bad_body: "bad_json",
  too_large: "bad_json",
  expired: "rate_limited",
};

const LIMITED = { because: "rate_limited", status: 429 } as const;
const LATE_TOKEN = "its request had to wait, and then its token was refused (401)";

/** The kind of failure, for people. */
function whyAgain(answer: AgainAnswer): Pick<GatewayRetry, "because" | "status"> {
  switch (answer.kind) {
    case "rate_limited":
      return LIMITED;
    case "refused":
      return { because: "server_error", status: answer.status };
    case "unanswered":
      return { because: UNANSWERED_BECAUSE[answer.reason], status: answer.status ?? null };
    default:
      return answer satisfies never;
  }
}

function waitBeforeProbe({ deps }: AcquireContext, answer: AgainAnswer, attempt: number): number {
  const { probeBackoffMs, maxProbeBackoffMs } = deps.limits;
  const asked = answer.kind === "rate_limited" ? (answer.retryAfterMs ?? 0) : 0;
  return Math.max(asked, backoffMs(attempt, probeBackoffMs, maxProbeBackoffMs, deps.random));
}

/**
 * Releases a purchase whose token was certainly not used, and reserves its page for another token.
 * @returns the new purchase, or null: the page is given up
 */
async function reserveAnew(
  { deps, batch, leaseId }: AcquireContext,
  { purchaseId, url }: OpenPurchase,
  why: Pick<GatewayRetry, "because" | "status">,
  detail: string,
): Promise<OpenPurchase | null> {
  const count = deps.answerStreaks.unusedToken(batch.host, url);
  if (count === null) {
    return null;
  }
  const anew = await deps.ledger.reserveAnew({ leaseId, purchaseId, detail, now: deps.clock.now() });
  if (anew !== null) {
    const [attempt, attempts] = [count + 1, UNUSED_TOKENS_IN_A_ROW];
    deps.events.retrying({ call: "content_token", ...why, attempt, attempts, waitMs: 0 });
  }
  return anew;
}

async function endUnanswered(
  context: AcquireContext,
  purchase: OpenPurchase,
  last: AgainAnswer,
  {
    mayHaveBeenSent,
    tokenExpires,
    isAway,
    detail,
  }: Sent & { readonly tokenExpires: boolean; readonly isAway: boolean; readonly detail: string },
): Promise<OpenPurchase | null> {
  if (purchase.intent === "indexing") {
    await refetchIndexing(context, purchase);
    return null;
  }
  if (mayHaveBeenSent) {
    // In an outage it stays started: whoever goes on with the run probes it, and the token may live until then.
    if (!isAway) {
      await holdInDoubt(context, purchase, tokenExpires ? "token_expired" : "unanswered", detail);
    }
    return null;
  }
  if (!(await isOurs(context))) {
    return null;
  }
  const limited = whyAgain(last).because === "rate_limited";
  const why = limited ? "the gateway asked for a rest that was longer than its token's life" : detail;
  // In an outage the run goes on with the page after it.
  const again = tokenExpires || isAway ? await reserveAnew(context, purchase, whyAgain(last), why) : null;
  if (again !== null) {
    return again;
  }
  const message = limited
    ? `the gateway kept answering 429 for ${purchase.url}`
    : `${purchase.url} was never sent: ${detail}`;
  await release(
    context,
    purchase,
    limited ? "rate_limited" : "never_sent",
    limited
      ? new LicetError("GATEWAY_RATE_LIMITED", message, { details: { url: purchase.url, status: 429 } })
      : new LicetError("GATEWAY_UNREACHABLE", message, { details: { url: purchase.url } }),
  );
  return null;
}

/**
 * Says whether this worker still has the batch. A worker that was delayed past its lease cannot know that nothing was sent: another
 * worker that found the purchase started has the same token. Whoever has the batch next finds it started, so this worker leaves it:
 * a doubt now would keep that worker from asking the gateway, and the page would stay in doubt after a jump of the clock.
 */
function isOurs({ deps, leaseId }: AcquireContext): Promise<boolean> {
  return deps.ledger.renewLease({ leaseId, expiresAt: deps.clock.now() + deps.limits.leaseMs });
}

async function holdInDoubt(
  { deps }: AcquireContext,
  purchase: OpenPurchase,
  reason: DoubtReason,
  detail: string,
): Promise<void> {
  const isInDoubt = await deps.ledger.holdInDoubt({
    purchaseId: purchase.purchaseId,
    reason,
    detail,
    now: deps.clock.now(),
  });
  if (isInDoubt) {
    deps.events.inDoubt({ url: purchase.url, reason, quoted: purchase.quote?.price ?? null });
  }
}
