/**
 * A programmable HTTP server on the loopback interface: it keeps every request it was sent, complete, before the
 * handler sees it, so that a test can count what really arrived.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface ReceivedRequest {
  readonly method: string;
  /** As sent: path and query, not decoded. */
  readonly target: string;
  readonly headers: IncomingMessage["headers"];
  /** Names as sent, in order. */
  readonly headerNames: readonly string[];
  readonly body: string;
  readonly socket: Socket;
}

export type Respond = (request: ReceivedRequest, response: ServerResponse, index: number) => void;

export interface LoopbackServer {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly received: readonly ReceivedRequest[];
  /** Connections that were ever opened. */
  readonly connections: number;
  /** Resolves once this many requests have been received. */
  arrived(count: number): Promise<void>;
  /** Closes the connections that are open now, as a server does with idle ones. */
  dropConnections(): Promise<void>;
  close(): Promise<void>;
}

export async function startLoopbackServer(respond: Respond): Promise<LoopbackServer> {
  const received: ReceivedRequest[] = [];
  const open = new Set<Socket>();
  const waiting: { count: number; resolve: () => void }[] = [];
  let connections = 0;

  const server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.on("end", () => {
      const request: ReceivedRequest = {
        method: message.method ?? "",
        target: message.url ?? "",
        headers: message.headers,
        headerNames: message.rawHeaders.filter((_, index) => index % 2 === 0),
        body: Buffer.concat(chunks).toString(),
        socket: message.socket,
      };
      received.push(request);
      for (const waiter of waiting.filter(({ count }) => count <= received.length)) {
        waiter.resolve();
      }
      respond(request, response, received.length - 1);
    });
  });
  // An idle connection ends when the test says so, not by the clock.
  server.keepAliveTimeout = 0;
  server.on("connection", (socket) => {
    connections += 1;
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  const dropConnections = async () => {
    await Promise.all(
      [...open].map((socket) => {
        const gone = new Promise<void>((resolve) => socket.once("close", () => resolve()));
        socket.destroy();
        return gone;
      }),
    );
  };
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    received,
    get connections() {
      return connections;
    },
    arrived: (count) =>
      received.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
    dropConnections,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await dropConnections();
      await closed;
    },
  };
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  value: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(value));
}
