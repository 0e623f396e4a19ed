/** An HTTP relay before a gateway. It can go away, as the gateway's server does, and come back at the same address. */
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface GatewayRelay {
  readonly url: string;
  /** Refuses connections, and cuts those that are open. */
  cut(): Promise<void>;
  /** Answers every request with this status from now on, and passes none on. */
  answer(status: number, headers?: Readonly<Record<string, string>>): void;
  restore(): Promise<void>;
  /** Called with each request that arrives, before it is passed on. */
  onRequest(listener: (path: string) => void): void;
  close(): Promise<void>;
}

export async function startGatewayRelay(target: string): Promise<GatewayRelay> {
  const listeners: ((path: string) => void)[] = [];
  let status: number | null = null;
  let own: Readonly<Record<string, string>> = {};
  const relay = (): Server =>
    createServer((incoming, outgoing) => {
      const path = incoming.url ?? "/";
      for (const listener of listeners) {
        listener(path);
      }
      if (status !== null) {
        outgoing.writeHead(status, { "content-type": "application/json", ...own }).end("{}");
        return;
      }
      const onward = request(
        new URL(path, target),
        { method: incoming.method ?? "GET", headers: incoming.headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
        },
      );
      onward.on("error", () => outgoing.destroy());
      incoming.pipe(onward);
    });
  const listen = (server: Server, port: number) =>
    new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  let server: Server | null = relay();
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  const cut = async () => {
    const old = server;
    server = null;
    if (old !== null) {
      const closed = new Promise<void>((resolve) => old.close(() => resolve()));
      old.closeAllConnections();
      await closed;
    }
  };
  return {
    url: `http://127.0.0.1:${port}`,
    cut,
    answer: (code, headers = {}) => {
      status = code;
      own = headers;
    },
    restore: async () => {
      status = null;
      if (server === null) {
        server = relay();
        await listen(server, port);
      }
    },
    onRequest: (listener) => listeners.push(listener),
    close: cut,
  };
}
