/**
 * Server-sent events (the WHATWG's `text/event-stream`) to one client. What waits for a slow reader is bounded: a client that does not
 * read is disconnected, and can come back with `Last-Event-ID`.
 */
import type { FastifyReply } from "fastify";
import { toPrintedJson } from "../../printed-json.ts";
import type { Clock } from "../../time/clock.ts";

/** Bytes that may wait for one client that follows a run. All events that are kept of a run fit. */
const MAX_WAITING_BYTES = 2_097_152;
/** Proxies close connections on which nothing is sent. */
const HEARTBEAT_MS = 15_000;

export interface StreamEvent {
  readonly id: string;
  readonly name: string;
  readonly data: unknown;
}

export interface EventStream {
  /** Sends nothing once the client has gone. */
  send(event: StreamEvent): void;
  end(): void;
  /** Aborts when the stream has ended, whoever ended it. */
  readonly ended: AbortSignal;
}

/**
 * Takes the reply over: the route must return it.
 * @param limits.maxWaitingBytes beyond what the system holds for the connection. @default 2 MiB
 */
export function openEventStream(
  reply: FastifyReply,
  clock: Pick<Clock, "sleep">,
  { maxWaitingBytes = MAX_WAITING_BYTES }: { readonly maxWaitingBytes?: number } = {},
): EventStream {
  const { raw } = reply;
  const ending = new AbortController();
  reply.hijack();
  raw.writeHead(200, {
    ...reply.getHeaders(),
    "content-type": "text/event-stream; charset=utf-8",
    // nginx would otherwise collect the events.
    "x-accel-buffering": "no",
  } as Record<string, string>);
  raw.on("close", () => ending.abort());
  raw.on("error", () => ending.abort());
  const write = (text: string) => {
    if (ending.signal.aborted) {
      return;
    }
    raw.write(text);
    if (raw.writableLength > maxWaitingBytes) {
      ending.abort();
      raw.destroy();
    }
  };
  // The first bytes tell the client that the stream is open, before anything happens.
  write(": events of one run\n\n");
  void beat(clock, ending.signal, () => write(": still here\n\n"));
  return {
    // JSON has no raw line breaks, so one line of data is enough. A name of an event is ours.
    send: ({ id, name, data }) => write(`id: ${id}\nevent: ${name}\ndata: ${toPrintedJson(data)}\n\n`),
    end: () => {
      if (!ending.signal.aborted) {
        ending.abort();
        raw.end();
      }
    },
    ended: ending.signal,
  };
}

async function beat(clock: Pick<Clock, "sleep">, ended: AbortSignal, send: () => void): Promise<void> {
  while (!ended.aborted) {
    await clock.sleep(HEARTBEAT_MS, ended);
    send();
  }
}
