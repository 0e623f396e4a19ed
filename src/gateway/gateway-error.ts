/** Turns the answer to a repeatable call into the error that it throws when no attempt gave a usable answer. */
import { type ErrorDetails, LicetError } from "../errors.ts";
import { findHeader, isSuccess, type WireAnswer, type WireFailure, type WireRequest } from "./exchange.ts";
import { REDIRECT_HINT } from "./gateway.ts";
import { clean, describeNotJson, readProblem, readRequestId } from "./problem.ts";
import { redactText } from "./redact.ts";
import { type Call, type Failure, failureOfStatus } from "./repeatable.ts";

export interface CallContext {
  readonly call: Call;
  /** The subject of the call: `{url}`, `{host}` or nothing. */
  readonly subject: Pick<ErrorDetails<"GATEWAY_TIMEOUT">, "url" | "host" | "urls">;
  readonly attempts: number;
  /** The origin of the gateway, and the path below it where the gateway begins. */
  readonly origin: string;
  readonly basePath: string;
  readonly request: Pick<WireRequest, "method" | "path">;
  /** Texts that must not appear in an error, although the gateway may send them back. */
  readonly secrets: readonly string[];
}

/** The codes of a call without an answer. */
type FailureCode =
  | "GATEWAY_UNREACHABLE"
  | "GATEWAY_FAILED"
  | "GATEWAY_TIMEOUT"
  | "GATEWAY_ANSWER_TOO_LARGE"
  | "GATEWAY_ANSWER_INVALID"
  | "INTERRUPTED";
/** The codes of an answer with an error. */
type StatusCode =
  | "GATEWAY_REDIRECTED"
  | "GATEWAY_UNAUTHORIZED"
  | "GATEWAY_FORBIDDEN"
  | "GATEWAY_NOT_FOUND"
  | "GATEWAY_RATE_LIMITED"
  | "GATEWAY_REFUSED"
  | "GATEWAY_FAILED";

type Failed = Extract<WireAnswer, { kind: "failed" }>;
type Answered = Extract<WireAnswer, { kind: "answered" }>;

const FAILED: Readonly<Record<WireFailure, { readonly code: FailureCode; readonly hint: string }>> = {
  no_connection: { code: "GATEWAY_UNREACHABLE", hint: "Check gateway.baseUrl, the network and the gateway's status." },
  reset: { code: "GATEWAY_FAILED", hint: "The gateway closed the connection; try again later." },
  timeout: { code: "GATEWAY_TIMEOUT", hint: "Try again later, or raise gateway.timeoutMs." },
  too_large: { code: "GATEWAY_ANSWER_TOO_LARGE", hint: "Use smaller pages or batches." },
  bad_body: { code: "GATEWAY_ANSWER_INVALID", hint: "Check that gateway.baseUrl is a gateway of this interface." },
  aborted: { code: "INTERRUPTED", hint: "licet stopped the call." },
  expired: { code: "INTERRUPTED", hint: "licet did not send the call, because its time was over." },
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
    case "expired":
      return null;
    default:
      return answer.reason satisfies never;
  }
}

export function toGatewayError(answer: WireAnswer, context: CallContext): LicetError {
  return answer.kind === "failed" ? fromFailure(answer, context) : fromStatus(answer, context);
}

/** The error for a success that is not the endpoint's answer. */
export function answerInvalid(
  answer: Answered,
  context: CallContext,
  why: string,
  details: ErrorDetails<"GATEWAY_ANSWER_INVALID"> = {},
): LicetError {
  return new LicetError("GATEWAY_ANSWER_INVALID", `the gateway's answer to ${describe(context)} is unusable: ${why}`, {
    hint: FAILED.bad_body.hint,
    details: {
      ...context.subject,
      call: context.call,
      status: answer.status,
      requestId: readRequestId(answer.headers, context.secrets),
      ...details,
    },
  });
}

/** An address in a message. A page's address within the path may be longer. */
const MAX_ADDRESS_CHARS = 300;

function notJson(answer: Answered, context: CallContext): LicetError {
  const { secrets, origin, request } = context;
  // The query is left out: it may contain a token of the gateway.
  const [path = ""] = request.path.split("?");
  const address = clean(origin + path, secrets, MAX_ADDRESS_CHARS);
  const { text, contentType, title } = describeNotJson(answer, secrets);
  const asked = `${request.method} ${address} was answered ${answer.status} with ${text}`;
  return answerInvalid(answer, context, `the body is not JSON: ${asked}`, { address, contentType, title });
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
    return notJson(answer, context);
  }
  const problem = readProblem(answer, context.secrets);
  const location = status < 400 ? redirectOrigin(headers, context.secrets) : null;
  const { code, hint } = classOf(status, context, location);
  return new LicetError(code, describeStatus(context, status, problem.detail, location), {
    hint,
    details: {
      ...context.subject,
      call: context.call,
      status,
      attempts: context.attempts,
      gatewayCode: problem.code,
      requestId: problem.requestId,
      ...(status < 400 ? { location } : {}),
    },
  });
}

function describeStatus(context: CallContext, status: number, detail: string, location: string | null): string {
  if (status < 400) {
    const target = location === null ? "another path of its address" : location;
    return `${describe(context)}: the gateway answered ${status}, a redirect to ${target}; licet follows no redirect`;
  }
  if (status === 404 && context.call === "catalog") {
    return `the gateway does not know the site ${context.subject.host}: the gateway answered 404: ${detail}`;
  }
  return `${describe(context)}: the gateway answered ${status}: ${detail}`;
}

/** The call and its subject, as in `catalog of news.example`. */
function describe({ call, subject }: CallContext): string {
  const about = subject.url ?? subject.host ?? null;
  return about === null ? call : `${call} of ${about}`;
}

function classOf(
  status: number,
  { call, origin, basePath, secrets }: CallContext,
  location: string | null,
): { code: StatusCode; hint: string } {
  if (status < 400) {
    const isElsewhere = location !== null && location !== origin;
    const hint = isElsewhere
      ? `If that is the gateway's address, set gateway.baseUrl to ${location}${redactText(basePath, secrets)}.`
      : REDIRECT_HINT;
    return { code: "GATEWAY_REDIRECTED", hint };
  }
  switch (status) {
    case 401:
      return { code: "GATEWAY_UNAUTHORIZED", hint: "Check gateway.apiKey and that it belongs to gateway.agentId." };
    case 403:
      return { code: "GATEWAY_FORBIDDEN", hint: "The account may not be enabled for this site." };
    case 404:
      return {
        code: "GATEWAY_NOT_FOUND",
        hint:
          call === "catalog"
            ? "Check the host under sites, or ask the gateway's operator about it. If the gateway knows none of your sites, check gateway.paths and gateway.baseUrl."
            : "The gateway does not know this page or endpoint: check gateway.paths.",
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
  return url === null || !/^https?:$/.test(url.protocol) ? null : redactText(url.origin, secrets);
}
