/**
 * One HTTP request and its answer, as undici's lowest-level handler. It needs no stream, no header object, no timer and no
 * AbortController per request, because every page makes two requests.
 *
 * It guarantees:
 * - `sent` becomes true just before a connected socket is written to, never later. `sent: false` means that not one byte of the
 * request left the process.
 * - The request is written at most once. undici moves a request to a new connection when its old one closed before it was
 * written. If undici ever wrote a request a second time, the second `onRequestStart` would stop it.
 * - After the end (an answer, a failure, a deadline) nothing more is sent or read.
 * - It is not written later than `unsentMs` after its beginning. A process that stood still has the ticks to wait for a connection, and others may have
 * its share of the gateway's limits by then (decision 0155).
 */
import type { Dispatcher } from "undici";
import { decompress, isContentCoding } from "./content-coding.ts";

/** How many bytes of an error's body are read. */
export const MAX_PROBLEM_BYTES = 64 * 1024;

export interface WireRequest {
  readonly method: "GET" | "POST";
  /** Path and query. */
  readonly path: string;
  /** Names and values, alternating. */
  readonly headers: string[];
  readonly body: Uint8Array | null;
}

export type WireFailure = "no_connection" | "reset" | "timeout" | "too_large" | "bad_body" | "aborted" | "expired";

export type WireAnswer =
  | { readonly kind: "answered"; readonly status: number; readonly headers: readonly Buffer[]; readonly body: Buffer }
  | { readonly kind: "failed"; readonly reason: WireFailure; readonly sent: boolean; readonly detail: string };

/** Numbers of the transport's ticks; 0 means never. */
export interface ExchangeLimits {
  readonly maxBytes: number;
  /** By the clock for durations: a request that is not written by then is never written. */
  readonly unsentMs: number;
  /** Until the first byte of the answer, and between two pieces of it. */
  readonly idleTicks: number;
  /** From the beginning, including the connection, to the last byte. */
  readonly totalTicks: number;
}

/** undici destroys the connection of an aborted request with this error as the reason. */
const STOPPED = new Error("stopped");

export class Exchange implements Dispatcher.DispatchHandler {
  /** The exchange's index in the transport's list of exchanges in flight. */
  index = -1;
  readonly #resolve: (answer: WireAnswer) => void;
  readonly #onEnd: (exchange: Exchange) => void;
  readonly #limits: ExchangeLimits;
  readonly #startTick: number;
  readonly #startMs = performance.now();
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

  /** Ends the exchange from outside: a deadline, or the caller's signal. */
  stop(reason: WireFailure, detail: string): void {
    this.#fail(reason, detail);
    this.#controller?.abort(STOPPED);
  }

  /** Calls back once, at the end. */
  whenOver(callback: () => void): void {
    this.#afterwards = callback;
  }

  /** Called by the transport's sweep at every tick. */
  checkDeadlines(): void {
    const now = this.#tick();
    if (now - this.#startTick > this.#limits.totalTicks) {
      this.stop("timeout", "the whole answer took too long");
    } else if (this.#controller !== null && now - this.#idleSinceTick > this.#limits.idleTicks) {
      this.stop("timeout", this.#status === 0 ? "no answer before the timeout" : "the answer stopped in the middle");
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isOver || this.#controller !== null) {
      controller.abort(STOPPED);
      this.#fail("reset", "the connection was lost");
      return;
    }
    if (performance.now() - this.#startMs > this.#limits.unsentMs) {
      this.#fail("no_connection", "this process stood still before the request was sent");
      controller.abort(STOPPED);
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
    // HTTP/1.1 gives names and values in turn, as received. The parsed headers would join repeated ones.
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

  /** A success that is too large is not an answer. For a refusal, the status and the beginning of its body are enough. */
  #stopAtCap(chunk: Buffer): void {
    if (isSuccess(this.#status)) {
      this.stop("too_large", `the answer is larger than ${this.#maxBytes} bytes`);
      return;
    }
    this.#keep(chunk.subarray(0, Math.max(0, chunk.length - (this.#bytes - this.#maxBytes))));
    this.#answer(this.#body());
    this.#controller?.abort(STOPPED);
  }

  /** licet asks for no compression. A compressed answer is read all the same, with the same size limit. */
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
 * Maps undici's and the system's error codes. Their messages are not used, because they can contain addresses and header values.
 */
function readTransportError(error: Error, sent: boolean): { reason: WireFailure; detail: string } {
  const code = (error as NodeJS.ErrnoException).code ?? error.name;
  if (code === "UND_ERR_HEADERS_OVERFLOW") {
    return { reason: "too_large", detail: "the answer's headers are too large" };
  }
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT") {
    return { reason: sent ? "timeout" : "no_connection", detail: `no connection before the timeout (${code})` };
  }
  if (code === "UND_ERR_DESTROYED" || code === "UND_ERR_CLOSED") {
    return { reason: "aborted", detail: "the client was closed" };
  }
  if (code === "UND_ERR_INVALID_ARG" && !sent) {
    return { reason: "no_connection", detail: "the request contains characters that a header or path cannot contain" };
  }
  if (code.startsWith("HPE_") || error.name === "HTTPParserError") {
    return { reason: "bad_body", detail: "the answer is not HTTP" };
  }
  return sent
    ? { reason: "reset", detail: `the connection was lost (${code})` }
    : { reason: "no_connection", detail: `no connection (${code})` };
}
