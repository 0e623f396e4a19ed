/**
 * Faults that the sandbox can inject. A request gets at most one fault. `all` is the probability of *any* fault, chosen evenly
 * among those of its endpoint. `<group>:<fault>` limits a fault to a group of endpoints.
 */
export const FAULT_NAMES = {
  "reset-before": "the connection is reset before anything has happened",
  "reset-after-charge": "the token is spent and the page charged, then the connection is reset without an answer",
  "status-500-after-charge": "the token is spent and the page charged, then the answer is a 500",
  "reset-mid-body": "the connection is reset in the middle of the answer's body (content: charged)",
  timeout: "no answer ever comes",
  slow: "the answer is delayed",
  "status-500": "the answer is 500 with an error body; nothing happened",
  "status-502": "the answer is 502 with an HTML body, as from a proxy; nothing happened",
  "status-503": "the answer is 503 with an HTML body, as from a proxy; nothing happened",
  "status-429": "the answer is 429, with Retry-After as seconds, as 0 and as an HTTP date in turn; nothing happened",
  "truncated-json": "the JSON of the answer is cut in the middle (content: charged)",
  "empty-200": "the answer is 200 with an empty body (content: charged)",
  "wrong-shape": "the answer is 200 with JSON of another shape (content: charged)",
  "error-200": "the answer is 200 with an error body (content: charged)",
  "price-rise": "the page's rate rises between quote and token, so the token is refused with 400",
  "over-charge": "the page is charged above the token's cap",
  "token-500": "the answer to a token request is 500",
  "token-expired": "the token that is issued has expired already",
  "catalog-repeat": "a catalog page repeats entries of the page before it",
  "catalog-loop": "a catalog page has the page token that led to it, so the catalog never ends",
  "bulk-shuffle": "the bulk rates are in another order than the request",
  "bulk-missing": "a URL is missing from the bulk rates",
  "bulk-duplicate": "a URL is twice in the bulk rates",
  "bulk-error": "a rate in the bulk rates has an error and cannot be bought",
  "report-lost-answer": "the report is recorded, then the connection is reset without an answer",
  "receipt-short": "the report is recorded, and one receipt is missing in the answer",
  "receipt-wrong-total": "the report is recorded, and the total of one receipt is not price times uses",
  "webhook-lost": "a notification is never sent, and its delivery record says that no attempt was answered",
  "webhook-doubled": "a notification that was delivered is delivered once more",
  "webhook-late": "a notification is sent half a minute after the change",
  "webhook-forged": "somebody without the secret sends a notification too, of a page that does not exist",
  "webhook-replayed": "somebody sends a notification of before again, with its signature",
  "forbidden-site": "every request about the site is answered 403; the probability is that of a site, not of a request",
} as const;

/** The name of a fault. */
export type FaultName = keyof typeof FAULT_NAMES;

/** Groups of endpoints that a fault can be limited to. `webhook` is not an endpoint: its faults are those of a notification. */
export const FAULT_GROUPS = ["content", "token", "rate", "bulk", "catalog", "report", "history", "webhook"] as const;
export type FaultGroup = (typeof FAULT_GROUPS)[number];
