/**
 * A loopback proxy in front of a gateway that spoils the nth request on the wire: real sockets, real resets, real silence.
 * Whether the gateway behind it got the request is part of each fault, and so is what it booked.
 */
import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { GatewayClientOptions } from "../../src/gateway/client-options.ts";
import { type ResolvedClientOptions, resolveClientOptions } from "../../src/gateway/client-options.ts";
import { GatewayClient } from "../../src/gateway/gateway-client.ts";
import { Transport, type Wire } from "../../src/gateway/transport.ts";
import { type FaultPoint, NO_FAULT } from "./fault.ts";
import type { Traffic } from "./traffic.ts";

/** What becomes of a struck request after the gateway has, or has not, got it. */
export type WireFault =
  | { readonly kind: "no-connection" }
  /** The connection is reset: before the gateway gets the request, or after it worked on it. `midway`: half of the answer came. */
  | { readonly kind: "reset"; readonly reached: boolean; readonly midway: boolean }
  /** The connection is closed properly in the middle of the answer. */
  | { readonly kind: "cut" }
  | { readonly kind: "silence"; readonly reached: boolean }
  /** A complete answer with this status instead of the gateway's own. */
  | { readonly kind: "status"; readonly status: number; readonly reached: boolean }
  /** The gateway's own 200 with another body. */
  | { readonly kind: "body"; readonly spoil: (body: Buffer) => Buffer };

export const NO_WIRE_FAULT = { fault: { kind: "no-connection" } as const, requests: NO_FAULT };

export interface FaultyGateway {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Nobody listens on port 1. */
const DEAD_ORIGIN = "http://127.0.0.1:1";

/** @param upstreamPort of the gateway on 127.0.0.1 */
export async function startFaultyGateway(
  upstreamPort: number,
  { fault, requests }: { readonly fault: WireFault; readonly requests: FaultPoint },
): Promise<FaultyGateway> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer((message, response) => {
    readAll(message, (body) => {
      const strikes = fault.kind !== "no-connection" && requests.strikes(nameRequest(message.method, message.url));
      if (strikes && !reaches(fault)) {
        answer(fault, message, response, { status: 0, headers: [], body: Buffer.alloc(0) });
        return;
      }
      forward(agent, upstreamPort, message, body, (upstream) => {
        if (strikes) {
          answer(fault, message, response, upstream);
        } else {
          response.writeHead(upstream.status, upstream.headers).end(upstream.body);
        }
      });
    });
  });
  server.keepAliveTimeout = 0;
  server.on("connection", (socket) => socket.on("error", () => {}));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      agent.destroy();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Upstream {
  readonly status: number;
  readonly headers: string[];
  readonly body: Buffer;
}

function reaches(fault: WireFault): boolean {
  return fault.kind === "cut" || fault.kind === "body" || ("reached" in fault && fault.reached);
}

function readAll(message: IncomingMessage, then: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  message.on("data", (chunk: Buffer) => chunks.push(chunk));
  message.on("end", () => then(Buffer.concat(chunks)));
}

function forward(
  agent: Agent,
  port: number,
  message: IncomingMessage,
  body: Buffer,
  then: (upstream: Upstream) => void,
): void {
  const { method, url, rawHeaders } = message;
  const headers = body.length === 0 ? rawHeaders : [...rawHeaders, "content-length", String(body.length)];
  const kept = dropHeaders(headers, body.length === 0 ? ["connection"] : ["connection", "content-length"]);
  const sent = body.length === 0 ? kept : [...kept, "content-length", String(body.length)];
  const outgoing = httpRequest({ agent, host: "127.0.0.1", port, method, path: url, headers: sent }, (incoming) =>
    readAll(incoming, (answerBody) =>
      then({
        status: incoming.statusCode ?? 0,
        headers: dropHeaders(incoming.rawHeaders, ["connection", "keep-alive"]),
        body: answerBody,
      }),
    ),
  );
  // Only when the gateway is closed under it, at the end of a test.
  outgoing.on("error", () => message.socket.destroy());
  outgoing.end(body);
}

function dropHeaders(rawHeaders: readonly string[], names: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2);
    if (!names.includes(name.toLowerCase())) {
      kept.push(name, value);
    }
  }
  return kept;
}

function answer(fault: WireFault, message: IncomingMessage, response: ServerResponse, upstream: Upstream): void {
  switch (fault.kind) {
    case "no-connection":
    case "silence":
      return;
    case "reset":
      if (!fault.midway) {
        message.socket.resetAndDestroy();
        return;
      }
      response.writeHead(upstream.status, upstream.headers);
      response.write(upstream.body.subarray(0, upstream.body.length / 2), () => message.socket.resetAndDestroy());
      return;
    case "cut":
      response.writeHead(upstream.status, upstream.headers);
      response.write(upstream.body.subarray(0, upstream.body.length / 2), () => message.socket.end());
      return;
    case "status": {
      const retryAfter = fault.status === 429 ? ["retry-after", "1"] : [];
      response.writeHead(fault.status, ["content-type", "application/problem+json", ...retryAfter]);
      response.end(JSON.stringify({ title: `made to answer ${fault.status}`, status: fault.status }));
      return;
    }
    case "body": {
      const body = fault.spoil(upstream.body);
      const headers = dropHeaders(upstream.headers, ["content-length"]);
      response.writeHead(upstream.status, [...headers, "content-length", String(body.length)]).end(body);
      return;
    }
    default:
      fault satisfies never;
  }
}

/** `GET content`: the method and the endpoint. */
function nameRequest(method = "", url = ""): string {
  const endpoint =
    ["/catalog/list", "/rates/", "/tokens/content", "/tokens/crawl", "selfReport", "/content/"].find((part) =>
      url.includes(part),
    ) ?? url;
  return `${method} ${endpoint.replaceAll("/", " ").trim()}`;
}

export interface WatchedClient {
  readonly client: GatewayClient;
  /** Requests on the wire. */
  pending(): number;
}

/**
 * The gateway's client over real connections, which for a struck request lead nowhere.
 * @param travel is awaited before each request, and is not a request on the wire. The traffic counts it
 */
export function createWatchedClient(
  options: GatewayClientOptions,
  { fault, requests }: { readonly fault: WireFault; readonly requests: FaultPoint },
  { traffic, travel = async () => {} }: { readonly traffic: Traffic; readonly travel?: () => Promise<void> },
): WatchedClient {
  const resolved = resolveClientOptions(options);
  const wire = createTransport(resolved, resolved.origin);
  const deadWire = createTransport(resolved, DEAD_ORIGIN);
  let pending = 0;
  const watched: Wire = {
    send: async (request, signal) => {
      const strikes = fault.kind === "no-connection" && requests.strikes(nameRequest(request.method, request.path));
      const end = traffic.begin();
      await travel();
      pending += 1;
      try {
        return await (strikes ? deadWire : wire).send(request, signal);
      } finally {
        pending -= 1;
        end();
      }
    },
    received: () => wire.received(),
    close: async () => {
      await Promise.all([wire.close(), deadWire.close()]);
    },
  };
  return { client: new GatewayClient(options, watched), pending: () => pending };
}

function createTransport(options: ResolvedClientOptions, origin: string): Transport {
  return new Transport({ ...options, origin });
}
