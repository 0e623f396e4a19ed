/**
 * What may be sent twice, and how often (gateway-notes § What may be repeated). The only place that decides it.
 */

export type Call =
  | "catalog"
  | "rate"
  | "rate_batch"
  | "content_token"
  | "indexing_token"
  | "history"
  | "content"
  | "self_report";

/** Whether the client repeats a call by itself, and why. */
export const REPEATABLE: Readonly<Record<Call, { readonly repeat: boolean; readonly because: string }>> = {
  catalog: { repeat: true, because: "it changes nothing" },
  rate: { repeat: true, because: "it changes nothing" },
  rate_batch: { repeat: true, because: "it changes nothing, although it is a POST" },
  history: { repeat: true, because: "it changes nothing" },
  content_token: { repeat: true, because: "an unused token costs nothing and expires" },
  indexing_token: { repeat: true, because: "an unused token costs nothing and expires" },
  // Only the pipeline knows whether the first attempt was committed as started, and with which token.
  content: { repeat: false, because: "it is the chargeable step" },
  // Only the pipeline holds the frozen bytes and knows whether the window of the idempotency id is still open.
  self_report: { repeat: false, because: "a report is repeated by whoever froze it" },
};

/** Why an attempt gave nothing usable, as far as repeating it goes. */
export type Failure = "no_connection" | "reset" | "timeout" | "server_error" | "rate_limited" | "bad_json";

/** A page that is simply not enabled may answer a token request with 500 for ever (gateway-notes). */
export const TOKEN_SERVER_ERROR_RETRIES = 1;

/**
 * A 429 says that the call is welcome later, and all calls wait together for "later": it is tried more often than what
 * merely failed, since in a crowd the same call can come last several times.
 */
export const RATE_LIMITED_RETRIES = 10;

/** How often a call may be sent again after a failure of this kind, in all. */
export function retriesAfter(call: Call, failure: Failure, retries: number): number {
  if (!REPEATABLE[call].repeat || retries === 0) {
    return 0;
  }
  if (failure === "rate_limited") {
    return Math.max(retries, RATE_LIMITED_RETRIES);
  }
  if (failure === "server_error" && (call === "content_token" || call === "indexing_token")) {
    return Math.min(retries, TOKEN_SERVER_ERROR_RETRIES);
  }
  return retries;
}

/** The kind of failure that a status is, or null when it is an answer: repeating it would give the same one. */
export function failureOfStatus(status: number): Failure | null {
  if (status === 429) {
    return "rate_limited";
  }
  // 408: the server gave up waiting for the request; 425: it asks to send it again. Neither has looked at it.
  return status === 408 || status === 425 || status >= 500 ? "server_error" : null;
}
