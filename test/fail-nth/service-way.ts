/**
 * The way between a worker and its service: `fetch` over requests that are injected into the service's HTTP interface. The request that is struck
 * goes wrong there as the fault says.
 */
import type { FastifyInstance } from "fastify";
import { unpackMessage, ZSTD } from "../../src/ledger/http/body.ts";
import { decodeMessage } from "../../src/ledger/messages/message.ts";
import type { ServiceWorkers } from "../../src/serve/workers/workers.ts";
import type { Clock } from "../../src/time/clock.ts";
import { LEDGER_PATHS } from "../../src/worker/http-names.ts";
import type { FaultPoint } from "./fault.ts";

/**
 * @param arrive brings the request to the service, and resolves with its answer
 * @param wait lasts until the worker has given the request up, or for as long as the fault says
 */
type Spoil = (arrive: () => Promise<Response>, wait: () => Promise<void>) => Promise<Response>;

export interface WayFaults extends Pick<NamedWayFault, "spoil" | "lateMs" | "spellMs"> {
  readonly requests: FaultPoint;
}

export interface NamedWayFault {
  readonly name: string;
  readonly spoil: Spoil;
  /** Nothing reaches the service while it lasts. */
  readonly isDeaf?: true;
  /** How long what is late takes. @default longer than the worker waits for an answer, and than its share lasts */
  readonly lateMs?: number;
  /** From the request that is struck on, all of them go wrong for so long. What is late comes when that is over. */
  readonly spellMs?: number;
}

const LOST: NamedWayFault = {
  name: "is lost before the service gets it",
  isDeaf: true,
  spoil: async () => {
    throw lost();
  },
};
const ANSWER_LOST: NamedWayFault = {
  name: "is worked on, and its answer is lost",
  spoil: async (arrive) => {
    await arrive();
    throw lost();
  },
};
const LATE: NamedWayFault = {
  name: "comes when the worker has given it up",
  isDeaf: true,
  spoil: async (arrive, wait) => {
    await wait();
    return arrive();
  },
};
const ANSWERED_LATE: NamedWayFault = {
  name: "is answered when the worker has given it up",
  spoil: async (arrive, wait) => {
    const answer = await arrive();
    await wait();
    return answer;
  },
};

/** How a request of a worker goes wrong. */
export const WAY_FAULTS: readonly NamedWayFault[] = [
  LOST,
  ANSWER_LOST,
  LATE,
  ANSWERED_LATE,
  {
    name: "is answered 503 by something in front of the service",
    isDeaf: true,
    spoil: async () => unavailable(),
  },
  {
    name: "is worked on, and answered 503 by something in front of the service",
    spoil: async (arrive) => {
      await arrive();
      return unavailable();
    },
  },
  {
    name: "is worked on, and its answer ends in the middle",
    spoil: async (arrive) => cut(await arrive()),
  },
  {
    name: "comes twice at once",
    spoil: async (arrive) => {
      const [answer] = await Promise.all([arrive(), arrive()]);
      return answer;
    },
  },
  {
    name: "comes again when it was answered long ago",
    spoil: async (arrive, wait) => {
      void wait()
        .then(arrive)
        .catch(() => {});
      return arrive();
    },
  },
];

const LATE_MS = 20_000;
/** The service has forgotten the worker, and works itself. */
const FORGOTTEN_MS = 45_000;
/** It has dealt the worker's share again too, and leased its batches to others. */
const DEALT_AGAIN_MS = 75_000;

/** Requests and answers that the service and the worker have long given up, and times in which nothing passes. */
export const LONG_FAULTS: readonly NamedWayFault[] = [FORGOTTEN_MS, DEALT_AGAIN_MS].flatMap((ms) => [
  { ...LATE, name: `comes ${ms / 1_000} s later`, lateMs: ms },
  { ...ANSWERED_LATE, name: `is answered ${ms / 1_000} s later`, lateMs: ms },
  { ...LOST, name: `and all of ${ms / 1_000} s are lost`, spellMs: ms },
  { ...ANSWER_LOST, name: `and all of ${ms / 1_000} s are worked on, and their answers lost`, spellMs: ms },
  { ...LATE, name: `and all of ${ms / 1_000} s come at its end`, spellMs: ms },
  { ...ANSWERED_LATE, name: `and all of ${ms / 1_000} s are answered at its end`, spellMs: ms },
]);

export interface ServiceWay {
  readonly fetch: typeof globalThis.fetch;
  /** The service as its routes get it: what it works on is not on the way. */
  watch(workers: ServiceWorkers): Pick<ServiceWorkers, "hello" | "beat" | "bye" | "answer">;
  /** Requests and answers on the way. What waits for time (a beat that is held, calls that wait for company) is not. */
  moving(): number;
}

export function createServiceWay(
  app: FastifyInstance,
  clock: Clock,
  { spoil, requests, lateMs = LATE_MS, spellMs }: WayFaults,
): ServiceWay {
  let moving = 0;
  let spellEndsAt = Number.NEGATIVE_INFINITY;
  const isSpoiled = (name: string): boolean => {
    const strikes = requests.strikes(name);
    if (strikes && spellMs !== undefined) {
      spellEndsAt = clock.now() + spellMs;
    }
    return strikes || clock.now() < spellEndsAt;
  };
  const wait = () => clock.sleep(spellMs === undefined ? lateMs : Math.max(0, spellEndsAt - clock.now()));
  const arrive = async (path: string, { body, headers }: RequestInit): Promise<Response> => {
    moving += 1;
    try {
      const payload = typeof body === "string" ? body : Buffer.from(body as Uint8Array);
      const asked = { method: "POST" as const, url: path, payload, headers: headers as Record<string, string> };
      const { statusCode: status, headers: named, rawPayload } = await app.inject(asked);
      const coding = named["content-encoding"];
      return new Response(status === 204 ? null : new Uint8Array(rawPayload), {
        status,
        headers: coding === undefined ? {} : { "content-encoding": String(coding) },
      });
    } finally {
      moving -= 1;
    }
  };
  const watched =
    <Asked extends readonly unknown[], Result>(work: (...asked: Asked) => Promise<Result>) =>
    async (...asked: Asked): Promise<Result> => {
      moving -= 1;
      try {
        return await work(...asked);
      } finally {
        moving += 1;
      }
    };
  return {
    fetch: async (url, request = {}) => {
      const path = new URL(String(url)).pathname;
      const bring = () => arrive(path, request);
      const answer = isSpoiled(await nameRequest(path, request)) ? spoil(bring, wait) : bring();
      return Promise.race([answer, whenAborted(request.signal)]);
    },
    watch: (workers) => ({
      hello: watched((hello, tokenName) => workers.hello(hello, tokenName)),
      beat: watched((beat) => workers.beat(beat)),
      bye: (session) => workers.bye(session),
      answer: watched((session, request, body) => workers.answer(session, request, body)),
    }),
    moving: () => moving,
  };
}

/** `messages beginJob`: the endpoint, and what the message calls for. */
async function nameRequest(path: string, { body, headers }: RequestInit): Promise<string> {
  const endpoint = path.slice(path.lastIndexOf("/") + 1);
  if (path !== LEDGER_PATHS.messages) {
    return endpoint;
  }
  const isCompressed = new Headers(headers).get("content-encoding") === ZSTD;
  const calls = decodeMessage(await unpackMessage({ bytes: body as Uint8Array, isCompressed }));
  const names = (calls as readonly (readonly [number, string])[]).map(([, name]) => name);
  return `${endpoint} ${[...new Set(names)].join(" ")}`;
}

function whenAborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = () => reject(new DOMException("aborted", "AbortError"));
    if (signal?.aborted === true) {
      abort();
    }
    signal?.addEventListener("abort", abort, { once: true });
  });
}

function lost(): TypeError {
  return new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
}

function unavailable(): Response {
  return new Response("<html><title>Unavailable</title></html>", { status: 503 });
}

function cut(answer: Response): Response {
  const broken = new ReadableStream({
    start: (controller) => controller.error(new TypeError("terminated", { cause: { code: "UND_ERR_SOCKET" } })),
  });
  const { status, headers } = answer;
  return status === 204 ? answer : new Response(broken, { status, headers });
}
