/**
 * Sends the requests of one client: through the gate (request-gate.ts), over the wire (transport.ts), and again where repeatable.ts
 * allows it.
 */

import { setMaxListeners } from "node:events";
import { elapsedMs } from "../time/clock.ts";
import { callBackoffMs, parseRetryAfter } from "./backoff.ts";
import { checkSignal } from "./client-calls.ts";
import type { RequestEvent, ResolvedClientOptions } from "./client-options.ts";
import { findHeader, isSuccess, type WireAnswer, type WireRequest } from "./exchange.ts";
import type { RequestLimits } from "./gateway.ts";
import { createGatewayDate, type GatewayDate } from "./gateway-date.ts";
import { answerInvalid, type CallContext, failureOf, toGatewayError } from "./gateway-error.ts";
import { NOT_JSON, parseJson } from "./json-answer.ts";
import { redactData, redactText } from "./redact.ts";
import { type Call, retriesAfter } from "./repeatable.ts";
import { EXPIRED, type GatedRequest, NOT_ADMITTED, type RequestClass, RequestGate } from "./request-gate.ts";
import type { Wire } from "./transport.ts";

/** The answer for a request that never passed the gate: its signal was aborted, or the client was closed. */
const NEVER_SENT: WireAnswer = { kind: "failed", reason: "aborted", sent: false, detail: "stopped before it was sent" };

/** The answer for a request whose token expired before its turn came. */
const EXPIRED_UNSENT: WireAnswer = {
  kind: "failed",
  reason: "expired",
  sent: false,
  detail: "its token expired while it waited for its turn",
};

/** The kinds of repeatable calls that the gate treats differently. */
const REQUEST_CLASSES: Readonly<Partial<Record<Call, RequestClass>>> = {
  content_token: "token",
  indexing_token: "token",
};

/** What the client knows about a request beside its bytes. */
interface Sending extends GatedRequest {
  /** Null: of a request that no event tells of, and whose answer a proxy may have kept: its `Date` says nothing. */
  readonly call: Call | null;
  /** Secrets of this request beside the API key. */
  readonly secrets?: readonly string[];
  /** Called when the limits have admitted the request, just before it is sent. */
  readonly onSend?: () => void;
}

const NO_SECRETS: readonly string[] = [];

export class RequestSender {
  readonly #options: ResolvedClientOptions;
  readonly #gate: RequestGate;
  readonly #wire: Wire;
  readonly #closing = new AbortController();
  readonly #date: GatewayDate;
  readonly #secrets: readonly string[];

  constructor(options: ResolvedClientOptions, wire: Wire) {
    this.#options = options;
    this.#secrets = [options.apiKey];
    this.#gate = new RequestGate(options);
    this.#date = createGatewayDate(options.clock);
    // Every call that waits for a retry listens, so there are as many listeners as concurrent calls. This is not a leak.
    setMaxListeners(0, this.#closing.signal);
    this.#wire = wire;
  }

  /** Sends a repeatable call until it has its answer, an answer that a retry cannot change, or no retry left. */
  async ask<T>(
    call: Call,
    request: WireRequest,
    read: (json: unknown) => T | null,
    subject: CallContext["subject"],
    signal: AbortSignal | undefined,
  ): Promise<T> {
    checkSignal(call, signal);
    let limited = 0;
    let failed = 0;
    for (;;) {
      const answer = await this.send(request, { call, requestClass: REQUEST_CLASSES[call] }, signal);
      const { origin, basePath } = this.#options;
      const attempts = 1 + limited + failed;
      const context: CallContext = { call, subject, origin, basePath, request, attempts, secrets: this.#secrets };
      if (answer.kind === "answered" && isSuccess(answer.status)) {
        const json = parseJson(redactData(answer.body, this.#secrets));
        if (json !== NOT_JSON) {
          const value = read(json);
          if (value === null) {
            throw answerInvalid(answer, context, "it has a different shape");
          }
          return value;
        }
      }
      const failure = failureOf(answer);
      const isLimited = failure === "rate_limited";
      const used = isLimited ? limited : failed;
      const retries = failure === null ? 0 : retriesAfter(call, failure, this.#options.retries);
      if (failure === null || used >= retries) {
        throw toGatewayError(answer, context);
      }
      limited += isLimited ? 1 : 0;
      failed += isLimited ? 0 : 1;
      const delayMs = isLimited ? 0 : this.#delayBefore(failed, answer);
      this.#options.onRetry({
        call,
        attempt: limited + failed,
        because: failure,
        status: statusOf(answer),
        retries,
        delayMs,
        waitMs: isLimited ? this.#gate.pauseMs() : delayMs,
      });
      await this.#sleep(delayMs, signal);
    }
  }

  /** Sends one request through gate and transport. Never rejects. */
  async send(request: WireRequest, sending: Sending, signal: AbortSignal | undefined): Promise<WireAnswer> {
    const { call, secrets = NO_SECRETS, onSend } = sending;
    const entered = this.#gate.enter(signal, sending);
    const pass = typeof entered === "number" ? entered : await entered;
    if (pass === NOT_ADMITTED || pass === EXPIRED) {
      return pass === EXPIRED ? EXPIRED_UNSENT : NEVER_SENT;
    }
    onSend?.();
    const onRequest = this.#options.onRequest();
    const startedAt = onRequest === undefined ? 0 : elapsedMs(this.#options.clock);
    const answer = await this.#wire.send(request, signal);
    if (call !== null) {
      onRequest?.(
        describeRequest(request, answer, {
          call,
          origin: this.#options.origin,
          durationMs: Math.round(elapsedMs(this.#options.clock) - startedAt),
          secrets: [...this.#secrets, ...secrets],
        }),
      );
    }
    if (answer.kind === "failed" && answer.sent) {
      void this.#gate.giveUp();
      return answer;
    }
    if (answer.kind === "answered") {
      if (call !== null) {
        this.#date.note(answer.headers);
      }
      if (answer.status === 429) {
        this.#gate.rateLimited(pass, this.#retryAfterMs(answer), sending);
      } else if (answer.status < 500) {
        this.#gate.served(pass);
      }
    }
    this.#gate.leave();
    // Answers come several at once. The requests that take their places are sent first, because the gateway can work on them meanwhile.
    await this.#wire.received();
    return answer;
  }

  /** The limits that requests keep. */
  get limits(): RequestLimits {
    return this.#gate;
  }

  /** What the `Date` of the answers says of the present, epoch ms. Null: it is not known. */
  dateAt(): number | null {
    return this.#date.read();
  }

  /** Requests in flight are aborted. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#gate.close();
    await this.#wire.close();
  }

  #retryAfterMs(answer: Extract<WireAnswer, { kind: "answered" }>): number | null {
    return parseRetryAfter(findHeader(answer.headers, "retry-after"), this.#options.clock.now());
  }

  #delayBefore(step: number, answer: WireAnswer): number {
    const own = callBackoffMs(step, this.#options.random());
    return answer.kind === "answered" ? Math.max(own, this.#retryAfterMs(answer) ?? 0) : own;
  }

  /** After an abort the next `send` is not admitted, so nothing is checked here. */
  async #sleep(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
    if (delayMs > 0) {
      const closing = this.#closing.signal;
      await this.#options.clock.sleep(delayMs, signal === undefined ? closing : AbortSignal.any([signal, closing]));
    }
  }
}

/** Parameters that continue an earlier answer. Only the gateway knows what they contain. */
const PAGE_TOKENS = /([?&](?:pageToken|next-token)=)[^&#]*/g;

/** For people who look for an error: method, address, status, time. Never headers or bodies. */
function describeRequest(
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
function statusOf(answer: WireAnswer): number | null {
  return answer.kind === "answered" ? answer.status : null;
}
