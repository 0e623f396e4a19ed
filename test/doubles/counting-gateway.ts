/** In front of a sandbox: counts requests and what is under way, as a gateway with limits would. */
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface CountingGateway {
  readonly url: string;
  /** Where the sandbox is. */
  forwardTo(url: string): void;
  /** Requests that were under way at once, at most. */
  readonly mostAtOnce: number;
  /** Those requests: how long each had been under way, from which port, and whether its connection was closed. For the message of a test that fails. */
  readonly atOnce: string;
  /** Requests that came within one second, at most. */
  readonly mostInASecond: number;
  /** Requests that came until now. */
  readonly requests: number;
  /** Answers 429 for so long, and counts what comes meanwhile. @param saidAs how Retry-After says it. @default "seconds" */
  restFor(seconds: number, saidAs?: "seconds" | "date"): void;
  readonly cameInRest: readonly number[];
  close(): void;
}

export async function startCountingGateway(): Promise<CountingGateway> {
  const cameInRest: number[] = [];
  let target = new URL("http://127.0.0.1:1");
  const underWay = new Map<IncomingMessage, number>();
  let atOnce = "";
  let [requests, mostAtOnce, mostInASecond, restUntil] = [0, 0, 0, 0];
  let isDated = false;
  const lately: number[] = [];
  const server = createServer((incoming, outgoing) => {
    const now = performance.now();
    requests += 1;
    lately.push(now);
    while ((lately[0] ?? now) <= now - 1_000) {
      lately.shift();
    }
    mostInASecond = Math.max(mostInASecond, lately.length);
    underWay.set(incoming, now);
    if (underWay.size > mostAtOnce) {
      mostAtOnce = underWay.size;
      atOnce = [...underWay].map(([one, since]) => describeUnderWay(one, now - since)).join("\n");
    }
    // Whoever asked has given it up.
    outgoing.on("close", () => underWay.delete(incoming));
    if (now < restUntil) {
      cameInRest.push(now);
      incoming.resume();
      underWay.delete(incoming);
      const leftMs = restUntil - now;
      const until = new Date(Math.ceil((Date.now() + leftMs) / 1_000) * 1_000);
      const retryAfter = isDated ? until.toUTCString() : String(Math.ceil(leftMs / 1_000));
      outgoing.writeHead(429, { "retry-after": retryAfter }).end();
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
    get atOnce() {
      return atOnce;
    },
    get mostInASecond() {
      return mostInASecond;
    },
    get requests() {
      return requests;
    },
    restFor: (seconds, saidAs = "seconds") => {
      isDated = saidAs === "date";
      restUntil = performance.now() + seconds * 1_000;
    },
    cameInRest,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function describeUnderWay({ method, url, socket }: IncomingMessage, ageMs: number): string {
  return `${method} ${url} for ${Math.round(ageMs)} ms, from port ${socket.remotePort}${socket.destroyed ? ", closed" : ""}`;
}
