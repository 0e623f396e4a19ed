/** What came of one attempt. The error is for people: it names no URL and quotes no answer. */
export type Sent = { readonly ok: true } | { readonly ok: false; readonly error: string };

/** How long an attempt may take, and what ends it earlier: the process stops. */
export interface AttemptLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** One document, ready to be sent. */
export interface Outgoing {
  readonly id: string;
  /** The exact bytes that are signed, as a text. */
  readonly body: string;
}
