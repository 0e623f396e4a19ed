/** Turns the answer to a repeatable call into the error that it throws when no attempt gave a usable answer. */
import { type ErrorCode, type ErrorDetails, LicetError } from "../errors.ts";
import { findHeader, isSuccess, type WireAnswer, type WireFailure } from "./exchange.ts";
import { REDIRECT_HINT } from "./gateway.ts";
import { readProblem, readRequestId } from "./problem.ts";
import { redactText } from "./redact.ts";
import { type Call, type Failure, failureOfStatus } from "./repeatable.ts";

export interface CallContext {
  readonly call: Call;
  /** The subject of the call: `{url}`, `{host}` or nothing. */
  readonly subject: ErrorDetails;
  readonly attempts: number;
  /** The origin of the gateway. */
  readonly origin: string;
  /** Texts that must not appear in an error, although the gateway may send them back. */
  readonly secrets: readonly string[];
}

type Failed = Extract<WireAnswer, { kind: "failed" }>;
type Answered = Extract<WireAnswer, { kind: "answered" }>;

const FAILED: Readonly<Record<WireFailure, { readonly code: ErrorCode; readonly hint: string }>> = {
  no_connection: { code: "GATEWAY_UNREACHABLE", hint: "Check gateway.baseUrl, the network and the gateway's status." },
  reset: { code: "GATEWAY_FAILED", hint: "The gateway closed the connection; try again later." },
  timeout: { code: "GATEWAY_TIMEOUT", hint: "Try again later, or raise gateway.timeoutMs." },
  too_large: { code: "GATEWAY_ANSWER_TOO_LARGE", hint: "Use smaller pages or batches." },
  bad_body: { code: "GATEWAY_ANSWER_INVALID", hint: "Check that gateway.baseUrl is a gateway of this interface." },
  aborted: { code: "INTERRUPTED", hint: "licet stopped the call." },
};

/** The kind of failure, when a retry can help; null when it cannot. */
export function failureOf(answer: WireAnswer): Failure | null {
  if (answer.kind === "answered") {
    // A success gets here only when its body is not JSON.
    return isSuccess(answer.status) ? "bad_json" : failureOfStatus(answer.status);
  }
  switch (answer.reason) {
    case "no_connection":
    case "reset":
    case "timeout":
      return answer.reason;
    case "bad_body":
      return "bad_json";
    case "too_large":
    case "aborted":
      return null;
    default:
      return answer.reason satisfies never;
  }
}

export function toGatewayError(answer: WireAnswer, context: CallContext): LicetError {
  return answer.kind === "failed" ? fromFailure(answer, context) : fromStatus(answer, context);
}

/** The error for a success whose JSON is not the endpoint's answer. */
export function answerInvalid(answer: Answered, context: CallContext, why: string): LicetError {
  return new LicetError("GATEWAY_ANSWER_INVALID", `the gateway's answer to ${context.call} is unusable: ${why}`, {
    hint: FAILED.bad_body.hint,
    details: {
      ...context.subject,
      call: context.call,
      status: answer.status,
      requestId: readRequestId(answer.headers, context.secrets),
    },
  });
}

function fromFailure(answer: Failed, context: CallContext): LicetError {
  const { code, hint } = FAILED[answer.reason];
  return new LicetError(code, `${describe(context)} at ${context.origin}: ${answer.detail}`, {
    hint,
    details: { ...context.subject, call: context.call, attempts: context.attempts },
  });
}

function fromStatus(answer: Answered, context: CallContext): LicetError {
  const { status, headers } = answer;
  if (isSuccess(status)) {
    return answerInvalid(answer, context, "the body is not JSON");
  }
  const problem = readProblem(answer, context.secrets);
  const { code, hint } = classOf(status);
  return new LicetError(code, `${describe(context)}: the gateway answered ${status}: ${problem.detail}`, {
    hint,
    details: {
      ...context.subject,
      call: context.call,
      status,
      attempts: context.attempts,
      gatewayCode: problem.code,
      requestId: problem.requestId,
      ...(status < 400 ? { location: redirectOrigin(headers, context.secrets) } : {}),
    },
  });
}

/** The call and its subject, as in `catalog of news.example`. */
function describe({ call, subject }: CallContext): string {
  const about = subject.url ?? subject.host ?? null;
  return about === null ? call : `${call} of ${about}`;
}

function classOf(status: number): { code: ErrorCode; hint: string } {
  if (status < 400) {
    return { code: "GATEWAY_REDIRECTED", hint: REDIRECT_HINT };
  }
  switch (status) {
    case 401:
      return { code: "GATEWAY_UNAUTHORIZED", hint: "Check gateway.apiKey and that it belongs to gateway.agentId." };
    case 403:
      return { code: "GATEWAY_FORBIDDEN", hint: "The account may not be enabled for this site." };
    case 404:
      return {
        code: "GATEWAY_NOT_FOUND",
        hint: "The gateway does not know this page or endpoint: check gateway.paths.",
      };
    case 429:
      return { code: "GATEWAY_RATE_LIMITED", hint: "Lower gateway.requestsPerSecond or gateway.concurrency." };
    default:
      return failureOfStatus(status) === null
        ? { code: "GATEWAY_REFUSED", hint: "The gateway will refuse the same request again." }
        : { code: "GATEWAY_FAILED", hint: "The gateway has an internal error; try again later." };
  }
}

/** The target of a redirect without path and query, which may contain secrets. */
export function redirectOrigin(headers: readonly Buffer[], secrets: readonly string[]): string | null {
  const location = findHeader(headers, "location");
  const url = location === null ? null : URL.parse(location);
  return url === null ? null : redactText(url.origin, secrets);
}
