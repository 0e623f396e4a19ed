/** In front of a sandbox: counts requests and what is under way, as a gateway with limits would. */
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface CountingGateway {
  readonly url: string;
  /** Where the sandbox is. */
  forwardTo(url: string): void;
  /** Requests that were under way at once, at most. */
  readonly mostAtOnce: number;
  /** Requests that came until now. */
  readonly requests: number;
  /** Answers 429 for so long, and counts what comes meanwhile. */
  restFor(seconds: number): void;
  readonly cameInRest: readonly number[];
  close(): void;
}

export async function startCountingGateway(): Promise<CountingGateway> {
  const cameInRest: number[] = [];
  let target = new URL("http://127.0.0.1:1");
  const underWay = new Set<IncomingMessage>();
  let [requests, mostAtOnce, restUntil] = [0, 0, 0];
  const server = createServer((incoming, outgoing) => {
    const now = performance.now();
    requests += 1;
    underWay.add(incoming);
    mostAtOnce = Math.max(mostAtOnce, underWay.size);
    // Whoever asked has given it up.
    outgoing.on("close", () => underWay.delete(incoming));
    if (now < restUntil) {
      cameInRest.push(now);
      incoming.resume();
      underWay.delete(incoming);
      outgoing.writeHead(429, { "retry-after": String(Math.ceil((restUntil - now) / 1_000)) }).end();
      return;
    }
    const { method, url: path, headers } = incoming;
    const forwarded = request({ hostname: target.hostname, port: target.port, method, path, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => {
        // Before whoever asked can know it.
        underWay.delete(incoming);
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(Buffer.concat(chunks));
      });
    });
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwardTo: (url) => {
      target = new URL(url);
    },
    get mostAtOnce() {
      return mostAtOnce;
    },
    get requests() {
      return requests;
    },
    restFor: (seconds) => {
      restUntil = performance.now() + seconds * 1_000;
    },
    cameInRest,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
