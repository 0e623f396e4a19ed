/** The service as a worker reaches it: hello, beats, and the messages of its port, each sent once. */
import { ERROR_CODES, type ErrorCode, LicetError } from "../errors.ts";
import { type Body, MESSAGE_TYPE, ZSTD } from "../ledger/http/body.ts";
import type { Exchange } from "../ledger/http/http-channel.ts";
import { isLoopback } from "../loopback.ts";
import { LEDGER_HEADERS, LEDGER_PATHS } from "./http-names.ts";
import { whyUnreachable } from "./why-unreachable.ts";
import type { Beat, BeatAnswer, Hello, Welcome } from "./worker-port.ts";

export interface ServiceClient {
  /** A network is between the two: what crosses it is worth compressing. On one machine that would be work for both, and nothing saved. */
  readonly isRemote: boolean;
  /** @throws LicetError SERVICE_UNREACHABLE; WORKER_VERSION, QUEUE_NOT_SHARED, TOKEN_* */
  hello(hello: Hello, signal: AbortSignal): Promise<Welcome>;
  /** @throws LicetError SERVICE_UNREACHABLE, WORKER_EXPIRED */
  beat(beat: Beat, signal: AbortSignal): Promise<BeatAnswer>;
  bye(session: string, signal: AbortSignal): Promise<void>;
  /** @param session the one at the time of each request */
  exchangeAs(session: () => string): Exchange;
}

export interface ServiceClientOptions {
  /** `https://…` or `http://…`, with a path if a proxy puts the service there. */
  readonly url: string;
  /** A secret. */
  readonly token: string;
  readonly version: string;
  /** @default that of this process */
  readonly fetch?: typeof globalThis.fetch;
}

const HINT = "Check --serve, the network and the service.";

/** @throws LicetError USAGE_INVALID for what is not an address */
export function createServiceClient({
  url,
  token,
  version,
  fetch = globalThis.fetch,
}: ServiceClientOptions): ServiceClient {
  const base = parseServiceUrl(url);
  const headers = { authorization: `Bearer ${token}`, [LEDGER_HEADERS.version]: version };

  async function post(path: string, request: RequestInit): Promise<Response> {
    const response = await reach(base, () =>
      fetch(base + path, {
        method: "POST",
        redirect: "error",
        ...request,
        headers: { ...headers, ...request.headers },
      }),
    );
    if (!response.ok) {
      throw await toError(base, response);
    }
    return response;
  }

  const say = (path: string, body: object, signal: AbortSignal): Promise<Response> =>
    post(path, { body: JSON.stringify(body), headers: { "content-type": "application/json" }, signal });

  async function ask<Answer>(path: string, body: object, signal: AbortSignal): Promise<Answer> {
    const response = await say(path, body, signal);
    return reach(base, async () => (await response.json()) as Answer);
  }

  return {
    isRemote: !isLoopback(new URL(base).hostname),
    hello: (hello, signal) => ask(LEDGER_PATHS.hello, hello, signal),
    beat: (beat, signal) => ask(LEDGER_PATHS.beat, beat, signal),
    bye: async (session, signal) => {
      await say(LEDGER_PATHS.bye, { session }, signal);
    },
    exchangeAs: (session) => async (request, body, signal) => {
      const response = await post(LEDGER_PATHS.messages, {
        body: body.bytes as Uint8Array<ArrayBuffer>,
        headers: {
          "content-type": MESSAGE_TYPE,
          ...(body.isCompressed ? { "content-encoding": ZSTD } : {}),
          "accept-encoding": ZSTD,
          [LEDGER_HEADERS.session]: session(),
          [LEDGER_HEADERS.number]: String(request.number),
          [LEDGER_HEADERS.done]: String(request.done),
        },
        signal,
      });
      return reach(base, () => readBody(response));
    },
  };
}

/** @returns the address without a slash at its end */
function parseServiceUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.username !== "" || url.search !== "") {
    throw new LicetError("USAGE_INVALID", "--serve is not the address of a service", {
      hint: "Write it as https://host:port, without a user and without a query.",
    });
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** @throws LicetError SERVICE_UNREACHABLE for whatever the network does. Its messages may have addresses and headers in them. */
async function reach<Result>(url: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw unreachable(url, whyUnreachable(error));
  }
}

function unreachable(url: string, why: string): LicetError {
  return new LicetError("SERVICE_UNREACHABLE", `the service at ${url} cannot be reached: ${why}`, {
    hint: HINT,
    details: { url },
  });
}

/** A problem of the service has its own code. Anything else comes from something in front of it. */
async function toError(url: string, response: Response): Promise<LicetError> {
  const problem = (await response.json().catch(() => null)) as {
    readonly code?: unknown;
    readonly detail?: unknown;
    readonly hint?: unknown;
    readonly details?: object;
  } | null;
  const code = problem?.code;
  if (typeof code !== "string" || !Object.hasOwn(ERROR_CODES, code)) {
    return unreachable(url, `something answered ${response.status}`);
  }
  const hint = typeof problem?.hint === "string" ? { hint: problem.hint } : {};
  const options = { ...hint, details: problem?.details ?? {} };
  return new LicetError<ErrorCode>(code as ErrorCode, String(problem?.detail), options as never);
}

/** `fetch` decompresses what it knows. What it leaves is named by the header. */
async function readBody(response: Response): Promise<Body> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { bytes, isCompressed: response.headers.get("content-encoding") === ZSTD && isZstd(bytes) };
}

const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd];

function isZstd(bytes: Uint8Array): boolean {
  return ZSTD_MAGIC.every((byte, index) => bytes[index] === byte);
}
