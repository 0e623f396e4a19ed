/**
 * MCP over standard input and output: one JSON-RPC message a line. The SDK's own transport does not notice that standard input has ended, and
 * then a server whose client has gone never ends. This one answers the requests that it has received, and closes.
 */
import { ReadBuffer, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js";

export interface LineStreams {
  readonly input: AsyncIterable<Uint8Array>;
  /** Resolves when the text was written. */
  write(text: string): Promise<void>;
}

/** The longest line that is read. */
export const MAX_LINE_BYTES = 4_194_304;

export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #streams: LineStreams;
  readonly #onEnd: () => void;
  readonly #buffer = new ReadBuffer({ maxBufferSize: MAX_LINE_BYTES });
  readonly #unanswered = new Set<RequestId>();
  /** Aborts when nothing more is read. */
  readonly #ended = new AbortController();
  #isClosed = false;

  /** @param onEnd called once when nothing more is read, and before the last requests are answered */
  constructor(streams: LineStreams, onEnd: () => void) {
    this.#streams = streams;
    this.#onEnd = onEnd;
  }

  async start(): Promise<void> {
    void this.#read().catch((error: unknown) => this.#fail(error));
  }

  /** Reads nothing more, answers what was received, and closes. */
  end(): void {
    if (!this.#ended.signal.aborted) {
      this.#ended.abort();
      this.#onEnd();
      this.#closeWhenAnswered();
    }
  }

  /** Never rejects: a client that has gone cannot be told anything. */
  async send(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#streams.write(serializeMessage(message));
    } catch (error) {
      this.#fail(error);
    }
    if ("id" in message && !("method" in message) && message.id !== undefined) {
      this.#unanswered.delete(message.id);
      this.#closeWhenAnswered();
    }
  }

  async close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.end();
      this.onclose?.();
    }
  }

  async #read(): Promise<void> {
    const chunks = this.#streams.input[Symbol.asyncIterator]();
    const ended = new Promise<null>((resolve) => {
      this.#ended.signal.addEventListener("abort", () => resolve(null), { once: true });
    });
    while (!this.#ended.signal.aborted) {
      const next = await Promise.race([chunks.next(), ended]);
      if (next === null || next.done === true) {
        break;
      }
      this.#buffer.append(Buffer.from(next.value));
      this.#takeMessages();
    }
    this.end();
  }

  /** A line that is not a message is passed over: the next one may be. */
  #takeMessages(): void {
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) {
          return;
        }
        this.#note(message);
        this.onmessage?.(message);
      } catch (error) {
        this.onerror?.(toError(error));
      }
    }
  }

  /** A request that the client cancels gets no answer. */
  #note(message: JSONRPCMessage): void {
    if (!("method" in message)) {
      return;
    }
    if ("id" in message) {
      this.#unanswered.add(message.id);
    } else if (message.method === "notifications/cancelled") {
      this.#unanswered.delete(message.params?.requestId as RequestId);
    }
  }

  #closeWhenAnswered(): void {
    if (this.#ended.signal.aborted && this.#unanswered.size === 0) {
      void this.close();
    }
  }

  #fail(error: unknown): void {
    this.onerror?.(toError(error));
    void this.close();
  }
}

/** Without what was received: it may be long, and it may be anything. */
function toError(error: unknown): Error {
  const isKnown = error instanceof Error && !(error instanceof SyntaxError) && error.name !== "ZodError";
  return isKnown ? error : new Error("a line of standard input is not a message of the protocol");
}
