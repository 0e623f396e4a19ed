/** Describes a request for people who look for an error: method, address, status, time. Never headers or bodies. */
import type { RequestEvent } from "./client-options.ts";
import type { WireAnswer, WireRequest } from "./exchange.ts";
import { redactText } from "./redact.ts";

/** Parameters that continue an earlier answer. Only the gateway knows what they contain. */
const PAGE_TOKENS = /([?&](?:pageToken|next-token)=)[^&#]*/g;

export function describeRequest(
  { method, path }: WireRequest,
  answer: WireAnswer,
  context: Pick<RequestEvent, "call" | "durationMs"> & { readonly origin: string; readonly secrets: readonly string[] },
): RequestEvent {
  const { call, durationMs, origin, secrets } = context;
  return {
    call,
    method,
    url: redactText(origin + path, secrets).replace(PAGE_TOKENS, "$1[redacted]"),
    status: statusOf(answer),
    failure: answer.kind === "failed" ? answer.detail : null,
    durationMs,
  };
}

/** The HTTP status of an answer. Null when none came. */
export function statusOf(answer: WireAnswer): number | null {
  return answer.kind === "answered" ? answer.status : null;
}
