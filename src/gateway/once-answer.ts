/**
 * The results of the two calls that are sent once, as values. The important distinction is between a definite refusal and no
 * usable answer. Without a usable answer, a page may have been charged and a report may have been booked.
 */
import { parseRetryAfter } from "./backoff.ts";
import { cutBody } from "./body-bytes.ts";
import { readContent } from "./endpoints/content.ts";
import { readReceipts } from "./endpoints/self-report.ts";
import { findHeader, isSuccess, type WireAnswer, type WireFailure } from "./exchange.ts";
import type { ContentAnswer, ReportAnswer } from "./gateway.ts";
import { redirectOrigin } from "./gateway-error.ts";
import { NOT_JSON, parseJson } from "./json-answer.ts";
import { describeNotJson, readProblem, readRequestId } from "./problem.ts";
import { redactData } from "./redact.ts";

type Answered = Extract<WireAnswer, { kind: "answered" }>;
type Unanswered = Extract<ContentAnswer, { kind: "unanswered" }>;

/** @param secrets texts that the gateway may send back and that no detail may contain: the API key, the token */
export function toContentAnswer(answer: WireAnswer, secrets: readonly string[], now: () => number): ContentAnswer {
  if (answer.kind === "failed") {
    return {
      kind: "unanswered",
      reason: contentReason(answer.reason, answer.sent),
      sent: answer.sent,
      detail: answer.detail,
    };
  }
  const { status, headers, body } = answer;
  if (isSuccess(status)) {
    const { json, body: bytes } = cutBody(body) ?? { json: parseJson(body), body: null };
    const content =
      json === NOT_JSON ? `the body is not JSON: ${describeNotJson(answer, secrets).text}` : readContent(json, bytes);
    return typeof content === "string"
      ? unanswered("bad_body", content)
      : { kind: "content", content, requestId: readRequestId(headers, secrets) };
  }
  if (status === 429) {
    return { kind: "rate_limited", retryAfterMs: parseRetryAfter(findHeader(headers, "retry-after"), now()) };
  }
  const { detail, requestId } = readProblem(answer, secrets);
  if (status < 400) {
    const to = redirectOrigin(headers, secrets);
    return { kind: "refused", status, detail: to === null ? "a redirect" : `a redirect to ${to}`, requestId };
  }
  // A proxy's 408 does not show what the gateway behind it did.
  if (status === 408 || status >= 500) {
    return { ...unanswered("server_error", `the gateway answered ${status}: ${detail}`), status };
  }
  return status === 401 ? { kind: "unauthorized", detail, requestId } : { kind: "refused", status, detail, requestId };
}

export function toReportAnswer(answer: WireAnswer, secrets: readonly string[], now: () => number): ReportAnswer {
  if (answer.kind === "failed") {
    return { kind: "unanswered", detail: answer.detail, retryAfterMs: null, mayBeTaken: answer.sent };
  }
  const { status, headers, body } = answer;
  if (isSuccess(status)) {
    const json = parseJson(redactData(body, secrets));
    const foreign = json === NOT_JSON ? `: the body is not JSON: ${describeNotJson(answer, secrets).text}` : "";
    const read = readReceipts(json);
    return read === null
      ? {
          kind: "unanswered",
          detail: `the gateway's answer contains no receipts${foreign}`,
          retryAfterMs: null,
          mayBeTaken: true,
        }
      : { kind: "accepted", ...read };
  }
  const { detail } = readProblem(answer, secrets);
  if (status === 401 || status === 403) {
    return { kind: "unauthorized", status, detail };
  }
  if (isOpen(answer)) {
    const retryAfterMs = parseRetryAfter(findHeader(headers, "retry-after"), now());
    const mayBeTaken = !NOT_TAKEN.has(status);
    return { kind: "unanswered", detail: `the gateway answered ${status}: ${detail}`, retryAfterMs, mayBeTaken };
  }
  return { kind: "rejected", status, detail };
}

/**
 * Statuses of a request that was not carried out and must be sent elsewhere (RFC 9110 § 15.4.2, 15.4.8, 15.4.9) or later (RFC
 * 6585 § 4).
 */
const NOT_TAKEN: ReadonlySet<number> = new Set([301, 307, 308, 429]);

/** A redirect, "not now" (408, 425, 429) or a server error. These statuses say nothing about the body. */
function isOpen({ status }: Answered): boolean {
  return status < 400 || status === 408 || status === 425 || status === 429 || status >= 500;
}

function unanswered(reason: Unanswered["reason"], detail: string): Unanswered {
  return { kind: "unanswered", reason, sent: true, detail };
}

/** To the purchase, an abort by licet is a connection that was lost or never opened. */
function contentReason(reason: WireFailure, sent: boolean): Unanswered["reason"] {
  return reason === "aborted" ? (sent ? "reset" : "no_connection") : reason;
}
