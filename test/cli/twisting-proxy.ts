/** A proxy before a gateway: it passes every request on, and answers content requests as a test says. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** What becomes of an answer to a content request: other JSON, or another answer that the gateway never gave. */
export type Twist =
  | { readonly kind: "rewrite"; readonly rewrite: (content: ContentJson) => unknown }
  | {
      readonly kind: "instead";
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string;
    }
  | null;

export interface ContentJson {
  readonly content: Record<string, unknown>;
  readonly rate: {
    readonly license: Record<string, unknown>;
    readonly price: { priceMicros: number; currency: string };
  };
}

export interface TwistingProxy {
  readonly url: string;
  /** Content requests that came in. */
  readonly contents: number;
  twist: Twist;
  close(): Promise<void>;
}

const CONTENT_PATH = /^\/dev\/v2\/content\/[^/]+$/;

export async function startTwistingProxy(gatewayUrl: string): Promise<TwistingProxy> {
  const state: { contents: number; twist: Twist } = { contents: 0, twist: null };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
    }
    const path = request.url ?? "/";
    const isContent = request.method === "GET" && CONTENT_PATH.test(path);
    state.contents += isContent ? 1 : 0;
    if (isContent && state.twist?.kind === "instead") {
      response.writeHead(state.twist.status, state.twist.headers ?? {}).end(state.twist.body ?? "");
      return;
    }
    const answer = await fetch(gatewayUrl + path, {
      method: request.method ?? "GET",
      headers: forwarded(request.headers),
      redirect: "manual",
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    const body = await answer.text();
    const isTwisted = isContent && answer.ok && state.twist?.kind === "rewrite";
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(
      isTwisted ? JSON.stringify(state.twist?.kind === "rewrite" && state.twist.rewrite(JSON.parse(body))) : body,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get contents() {
      return state.contents;
    },
    get twist() {
      return state.twist;
    },
    set twist(twist) {
      state.twist = twist;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function forwarded(headers: IncomingHttpHeaders): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !["host", "connection", "content-length"].includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}
