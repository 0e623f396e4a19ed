/** MCP over the standard input and output of a process that the test has started. The SDK's own hides how the process ended. */
import type { ChildProcess } from "node:child_process";
import { ReadBuffer, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #child: ChildProcess;
  readonly #buffer = new ReadBuffer();

  constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** A line on stdout that is not a message fails the test: `readMessage` throws. */
  async start(): Promise<void> {
    this.#child.stdout?.on("data", (chunk: string) => {
      this.#buffer.append(Buffer.from(chunk));
      for (let message = this.#buffer.readMessage(); message !== null; message = this.#buffer.readMessage()) {
        this.onmessage?.(message);
      }
    });
    this.#child.once("close", () => this.onclose?.());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#child.stdin?.write(serializeMessage(message));
  }

  /** Ends standard input, as a client that leaves does. */
  async close(): Promise<void> {
    this.#child.stdin?.end();
  }
}
