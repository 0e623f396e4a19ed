/** Decides what may be sent twice, and how often. No other file decides this. */

export const CALLS = [
  "catalog",
  "rate",
  "rate_batch",
  "content_token",
  "indexing_token",
  "history",
  "content",
  "self_report",
  "date",
] as const;
/** A call of the gateway's interface. */
export type Call = (typeof CALLS)[number];

/** Whether the client repeats a call automatically, and why. */
export const REPEATABLE: Readonly<Record<Call, { readonly repeat: boolean; readonly because: string }>> = {
  catalog: { repeat: true, because: "it changes nothing" },
  rate: { repeat: true, because: "it changes nothing" },
  rate_batch: { repeat: true, because: "it changes nothing, although it is a POST" },
  history: { repeat: true, because: "it changes nothing" },
  date: { repeat: false, because: "somebody waits for it, and it is asked again when it is needed again" },
  content_token: { repeat: true, because: "an unused token costs nothing and expires" },
  indexing_token: { repeat: true, because: "an unused token costs nothing and expires" },
  // Only the pipeline knows whether the first attempt was committed as started, and with which token.
  content: { repeat: false, because: "it is the chargeable step" },
  // Only the pipeline has the frozen bytes and knows whether the idempotency id is still valid.
  self_report: { repeat: false, because: "only the caller that froze a report repeats it" },
};

/** Why an attempt gave no usable answer, as far as a retry depends on it. */
export const FAILURES = ["no_connection", "reset", "timeout", "server_error", "rate_limited", "bad_json"] as const;
/** Why an attempt gave no usable answer, as far as a retry depends on it. */
export type Failure = (typeof FAILURES)[number];

/** A token request for a page that is not enabled may always answer 500. */
export const TOKEN_SERVER_ERROR_RETRIES = 1;

/**
 * A 429 says that the call may succeed later, and all calls wait together. A rate-limited call is retried more often than a
 * failed one, because with many waiting calls the same call can be last several times.
 */
export const RATE_LIMITED_RETRIES = 10;

/** The most retries of a call after a failure of this kind, in total. */
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

/** The kind of failure for a status. Null when the status is an answer, because a retry would give the same one. */
export function failureOfStatus(status: number): Failure | null {
  if (status === 429) {
    return "rate_limited";
  }
  // 408: the server stopped waiting for the request. 425: it requests a retry. In both cases it has not processed the request.
  return status === 408 || status === 425 || status >= 500 ? "server_error" : null;
}
