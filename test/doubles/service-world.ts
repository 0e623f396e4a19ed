import type { IncomingHttpHeaders } from "node:http";
import { request } from "node:http";
import { loadConfig } from "../../src/config/load-config.ts";
import type { LogFields } from "../../src/serve/log/service-log.ts";
import { type Service, startService } from "../../src/serve/service.ts";
import { type CrawlWorld, createCrawlWorld, type WorldOptions } from "./crawl-world.ts";
import { askUntilRead } from "./too-busy.ts";

/** A service over a sandbox, in this process, on a free port. */
export interface ServiceWorld extends CrawlWorld {
  readonly service: Service;
  /** The lines of the log, as they would be written. */
  readonly logged: readonly string[];
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. A text or bytes are sent as they are. */
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body, read as JSON. Undefined when it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asks for
  readonly json: any;
}

export async function createServiceWorld(options: WorldOptions): Promise<ServiceWorld> {
  const world = await createCrawlWorld({ ...options, config: { serve: { port: 0 }, ...options.config } });
  const logged: string[] = [];
  const write = (message: string, fields: LogFields = {}) => {
    logged.push(JSON.stringify({ message, ...fields }));
  };
  const config = await loadConfig({ path: world.configFile, cwd: world.directory, env: {} });
  const service = await startService(config, { debug: write, info: write, warn: write });
  return {
    ...world,
    service,
    logged,
    call: (method, path, call) => callService(service.url, method, path, call),
    close: async () => {
      await service.stop();
      await world.close();
    },
  };
}

export function callService(base: string, method: string, path: string, call: CallOptions = {}): Promise<Answer> {
  return askUntilRead(() => callOnce(base, method, path, call));
}

/** Unlike fetch, node's request sends any Host, Origin and Sec-Fetch header. */
function callOnce(base: string, method: string, path: string, call: CallOptions): Promise<Answer> {
  const { headers = {}, body } = call;
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  // Bytes, because node would write the headers in the encoding of a text.
  const bytes = body === undefined ? undefined : Buffer.from(isRaw ? body : JSON.stringify(body));
  const type =
    bytes === undefined
      ? {}
      : { "content-type": "application/json", "content-length": String(Buffer.byteLength(bytes)) };
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers: { ...type, ...headers }, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        const { statusCode: status = 0, headers: received } = answer;
        resolve({ status, headers: received, text, json: parse(text) });
      });
    });
    sent.on("error", reject);
    sent.end(bytes);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
