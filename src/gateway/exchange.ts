/**
 * One HTTP request and its answer, as undici's lowest-level handler: no stream, no header object, no timer and no
 * AbortController per request, since two of these are made for every page.
 *
 * What it promises:
 * - `sent` is true from the moment a connected socket is about to be written to, never later. So `sent: false` means
 *   that not one byte of the request left.
 * - The request is written at most once. undici hands a request to a new connection when its old one closed before it
 *   was written; were it ever to write one a second time, the second `onRequestStart` stops it.
 * - After the end (an answer, a failure, a deadline) nothing is sent and nothing more is read.
 */
import type { Dispatcher } from "undici";
import { decompress, isContentCoding } from "./content-coding.ts";

/** How much of an error's body is worth reading. */
export const MAX_PROBLEM_BYTES = 64 * 1024;

export interface WireRequest {
  readonly method: "GET" | "POST";
  /** Path and query. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: Uint8Array | null;
}

export type WireFailure = "no_connection" | "reset" | "timeout" | "too_large" | "bad_body" | "aborted";

export type WireAnswer =
  | { readonly kind: "answered"; readonly status: number; readonly headers: readonly Buffer[]; readonly body: Buffer }
  | { readonly kind: "failed"; readonly reason: WireFailure; readonly sent: boolean; readonly detail: string };

/** Counts of the transport's sweep; 0 is never. */
export interface ExchangeLimits {
  readonly maxBytes: number;
  /** Until the first byte of the answer, and between two pieces of it. */
  readonly idleTicks: number;
  /** From the beginning, connecting included, to the last byte. */
  readonly totalTicks: number;
}

/** undici destroys the connection of an aborted request; it is given this as the reason. */
const STOPPED = new Error("stopped");

export class Exchange implements Dispatcher.DispatchHandler {
  /** Its place in the transport's list of what is in flight. */
  index = -1;
  readonly #resolve: (answer: WireAnswer) => void;
  readonly #onEnd: (exchange: Exchange) => void;
  readonly #limits: ExchangeLimits;
  readonly #startTick: number;
  readonly #tick: () => number;
  #idleSinceTick: number;
  #controller: Dispatcher.DispatchController | null = null;
  #isOver = false;
  #status = 0;
  #headers: readonly Buffer[] = [];
  #first: Buffer | null = null;
  #rest: Buffer[] | null = null;
  #bytes = 0;
  #maxBytes = 0;
  #afterwards: (() => void) | null = null;

  constructor(
    limits: ExchangeLimits,
    tick: () => number,
    onEnd: (exchange: Exchange) => void,
    resolve: (answer: WireAnswer) => void,
  ) {
    this.#limits = limits;
    this.#tick = tick;
    this.#startTick = tick();
    this.#idleSinceTick = this.#startTick;
    this.#onEnd = onEnd;
    this.#resolve = resolve;
  }

  /** Ends it from outside: a deadline, the caller's signal. */
  stop(reason: WireFailure, detail: string): void {
    this.#fail(reason, detail);
    this.#controller?.abort(STOPPED);
  }

  /** Calls back once, at the end. */
  whenOver(callback: () => void): void {
    this.#afterwards = callback;
  }

  /** The transport's sweep asks at every tick. */
  checkDeadlines(): void {
    const now = this.#tick();
    if (now - this.#startTick > this.#limits.totalTicks) {
      this.stop("timeout", "the answer took too long in all");
    } else if (this.#controller !== null && now - this.#idleSinceTick > this.#limits.idleTicks) {
      this.stop("timeout", this.#status === 0 ? "no answer in time" : "the answer stopped in the middle");
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isOver || this.#controller !== null) {
      controller.abort(STOPPED);
      this.#fail("reset", "the connection was lost");
      return;
    }
    this.#controller = controller;
    this.#idleSinceTick = this.#tick();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200) {
      return;
    }
    this.#status = status;
    // HTTP/1.1 gives names and values in turn, as they came: the parsed ones join what a gateway sends twice.
    this.#headers = controller.rawHeaders as Buffer[];
    this.#maxBytes = isSuccess(status) ? this.#limits.maxBytes : Math.min(MAX_PROBLEM_BYTES, this.#limits.maxBytes);
    this.#idleSinceTick = this.#tick();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) {
      this.#stopAtCap(chunk);
      return;
    }
    this.#keep(chunk);
    this.#idleSinceTick = this.#tick();
  }

  onResponseEnd(): void {
    if (this.#isOver) {
      return;
    }
    const coding = findHeader(this.#headers, "content-encoding")?.trim().toLowerCase();
    if (coding !== undefined && coding !== "" && coding !== "identity") {
      void this.#decode(coding);
      return;
    }
    this.#answer(this.#body());
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const { reason, detail } = readTransportError(error, this.#controller !== null);
    this.#fail(reason, detail);
  }

  #keep(chunk: Buffer): void {
    if (this.#first === null) {
      this.#first = chunk;
    } else if (this.#rest === null) {
      this.#rest = [this.#first, chunk];
    } else {
      this.#rest.push(chunk);
    }
  }

  #body(): Buffer {
    return this.#rest === null ? (this.#first ?? EMPTY) : Buffer.concat(this.#rest);
  }

  /** A success that is too large is not an answer; of a refusal, the status and the beginning are all that is needed. */
  #stopAtCap(chunk: Buffer): void {
    if (isSuccess(this.#status)) {
      this.stop("too_large", `the answer is larger than ${this.#maxBytes} bytes`);
      return;
    }
    this.#keep(chunk.subarray(0, Math.max(0, chunk.length - (this.#bytes - this.#maxBytes))));
    this.#answer(this.#body());
    this.#controller?.abort(STOPPED);
  }

  /** No compression was asked for; who compresses all the same is read, under the same cap. */
  async #decode(coding: string): Promise<void> {
    const decoded = isContentCoding(coding) ? await decompress(coding, this.#body(), this.#maxBytes) : "unreadable";
    if (decoded === "too_large") {
      this.#fail("too_large", `the answer is larger than ${this.#maxBytes} bytes`);
    } else if (decoded === "unreadable") {
      this.#fail("bad_body", "the answer's Content-Encoding cannot be read");
    } else {
      this.#answer(decoded);
    }
  }

  #answer(body: Buffer): void {
    this.#end({ kind: "answered", status: this.#status, headers: this.#headers, body });
  }

  #fail(reason: WireFailure, detail: string): void {
    this.#end({ kind: "failed", reason, sent: this.#controller !== null, detail });
  }

  #end(answer: WireAnswer): void {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#onEnd(this);
      this.#afterwards?.();
      this.#resolve(answer);
    }
  }
}

const EMPTY = Buffer.alloc(0);

/** The first value of a header, or null. `name` in lower case. */
export function findHeader(headers: readonly Buffer[], name: string): string | null {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const key = headers[index] as Buffer;
    if (key.length === name.length && key.toString("latin1").toLowerCase() === name) {
      return (headers[index + 1] as Buffer).toString("latin1");
    }
  }
  return null;
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/**
 * undici's and the system's error codes. Their messages are not passed on: they can quote addresses and header values.
 */
function readTransportError(error: Error, sent: boolean): { reason: WireFailure; detail: string } {
  const code = (error as NodeJS.ErrnoException).code ?? error.name;
  if (code === "UND_ERR_HEADERS_OVERFLOW") {
    return { reason: "too_large", detail: "the answer's headers are too large" };
  }
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT") {
    return { reason: sent ? "timeout" : "no_connection", detail: `no connection in time (${code})` };
  }
  if (code === "UND_ERR_DESTROYED" || code === "UND_ERR_CLOSED") {
    return { reason: "aborted", detail: "the client was closed" };
  }
  if (code === "UND_ERR_INVALID_ARG" && !sent) {
    return { reason: "no_connection", detail: "the request holds what no header or path can carry" };
  }
  if (code.startsWith("HPE_") || error.name === "HTTPParserError") {
    return { reason: "bad_body", detail: "the answer is not HTTP" };
  }
  return sent
    ? { reason: "reset", detail: `the connection was lost (${code})` }
    : { reason: "no_connection", detail: `no connection (${code})` };
}
