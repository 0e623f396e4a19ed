/**
 * One connection to the gateway: undici's client without its pool, for one request at a time. undici makes the connection when a request needs it.
 *
 * Whoever gives a request up resets its connection. A connection that is closed in order goes on to deliver what was sent: after a break of the network, the
 * gateway would get a request for which nobody waits any more, charge it, and refuse its token to the request that was sent instead.
 */
import type { Socket } from "node:net";
import type { buildConnector as Undici } from "undici";
import type { Exchange, WireRequest } from "./exchange.ts";
import { buildConnector, Client } from "./undici-client.ts";

/** Opens a connection to the origin of a client, and says to whoever has it which socket the kernel knows it by. */
type Connect = (target: Undici.Options, callback: Undici.Callback, onTcp: (tcp: Socket) => void) => void;

/** @param timeoutMs until the connection is there, and as long again until TLS is */
export function createConnect(timeoutMs: number): Connect {
  const connectTcp = buildConnector({ timeout: timeoutMs, allowH2: false });
  // One for all connections, because it remembers TLS sessions.
  const connectTls = buildConnector({ timeout: timeoutMs, allowH2: false });
  return (target, callback, onTcp) => {
    const { hostname, protocol } = target;
    const isTls = protocol === "https:";
    const port = target.port === "" && isTls ? HTTPS_PORT : target.port;
    connectTcp({ hostname, port, protocol: "http:" }, (...tcp) => {
      if (tcp[1] === null) {
        callback(...tcp);
        return;
      }
      onTcp(tcp[1]);
      if (isTls) {
        connectTls({ ...target, httpSocket: tcp[1] }, callback);
      } else {
        callback(...tcp);
      }
    });
  };
}

const HTTPS_PORT = "443";

export class Connection {
  readonly #client: Client;
  #tcp: Socket | null = null;

  /** @param origin scheme, host and port */
  constructor(origin: string, connect: Connect) {
    this.#client = new Client(origin, {
      connect: (target, callback) =>
        connect(target, callback, (tcp) => {
          this.#tcp = tcp;
        }),
      pipelining: 1,
      allowH2: false,
      // The sweep of the transport checks both deadlines.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  send({ method, path, headers, body }: WireRequest, exchange: Exchange): void {
    // Not idempotent, also a GET: undici may only move an idempotent request, and undici must not decide what is repeated.
    this.#client.dispatch({ method, path, headers, body, idempotent: false }, exchange);
  }

  /** Closes it, and takes back what was sent and has not arrived. */
  async reset(): Promise<void> {
    this.#tcp?.resetAndDestroy();
    await this.close();
  }

  async close(): Promise<void> {
    await this.#client.destroy();
  }
}
