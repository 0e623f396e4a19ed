/**
 * The way between a worker and its service: `fetch` over requests that are injected into the service's HTTP interface. It loses requests and
 * answers, brings requests twice, late and out of order, and is cut for a while.
 */
import type { FastifyInstance } from "fastify";
import { LEDGER_PATHS } from "../../../src/worker/http-names.ts";
import type { Faults } from "../faults.ts";
import type { Random } from "../random.ts";
import type { Owner, Scheduler } from "../scheduler.ts";
import type { SimulatedWorker } from "./worker-process.ts";

/** Whoever answers at the address of the service. */
export interface Host {
  readonly app: FastifyInstance;
  readonly owner: Owner;
}

export interface WayDeps {
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly random: Random;
  readonly trace: (line: () => string) => void;
  readonly host: () => Host | null;
}

const LATE_MS = 20_000;
const AGAIN_MS = 5_000;

type Fetch = typeof globalThis.fetch;
type Request = Pick<RequestInit, "body" | "headers"> & { readonly path: string };

export function createServiceFetch(deps: WayDeps, worker: SimulatedWorker): Fetch {
  const { scheduler, faults, random, trace } = deps;
  const send = (request: Request, signal: AbortSignal | null): Promise<Response> =>
    new Promise((resolve, reject) => {
      const what = `${worker.name} ${request.path}`;
      // Something on the way may let the short requests pass, and no others.
      const isCut = () =>
        worker.cutOff.has("service") ||
        (request.path === LEDGER_PATHS.messages && worker.cutOff.has("messages of the service"));
      const abort = () => reject(new DOMException("aborted", "AbortError"));
      const fail = () => scheduler.schedule(random.int(0, 50), worker, () => reject(lost()));
      /** It shows as a reset, or as silence until the time of the request is over. */
      const lose = (why: string) => {
        trace(() => `${what}: ${why}`);
        if (random.chance(0.5)) {
          fail();
        }
      };
      if (signal?.aborted === true) {
        abort();
        return;
      }
      signal?.addEventListener("abort", abort, { once: true });
      const travelMs = faults.strikes("worker_call_late") ? random.int(200, LATE_MS) : random.int(0, 8);
      if (faults.strikes("worker_call_twice")) {
        scheduler.schedule(travelMs + random.int(0, AGAIN_MS), null, () => arrive(deps, request, () => {}));
      }
      scheduler.schedule(travelMs, null, () => {
        if (isCut() || faults.strikes("worker_call_lost")) {
          lose("lost on the way");
          return;
        }
        const isThere = arrive(deps, request, (answer) => {
          if (isCut() || faults.strikes("worker_answer_lost")) {
            lose(`${answer.status}, and its answer was lost`);
            return;
          }
          trace(() => `${what}: ${answer.status}`);
          scheduler.schedule(random.int(0, 8), worker, () => resolve(answer));
        });
        if (!isThere) {
          fail();
        }
      });
    });
  return (url, { body = null, headers = {}, signal = null } = {}) =>
    send({ path: new URL(String(url)).pathname, body, headers }, signal);
}

/** A service that hangs answers when it goes on. One that dies, or has ended meanwhile, never does. @returns whether anybody listens */
function arrive({ host, scheduler }: WayDeps, { path, body, headers }: Request, answer: (answer: Response) => void) {
  const there = host();
  if (there === null || !there.owner.isAlive) {
    return false;
  }
  scheduler.schedule(0, there.owner, () => {
    const payload = typeof body === "string" ? body : Buffer.from(body as Uint8Array);
    const asked = { method: "POST" as const, url: path, payload, headers: headers as Record<string, string> };
    if (host()?.app !== there.app) {
      return;
    }
    void there.app.inject(asked).then(({ statusCode, headers: named, rawPayload }) => {
      const response = {
        status: statusCode,
        ok: statusCode < 400,
        headers: { get: (name: string) => named[name] ?? null },
        json: async () => JSON.parse(rawPayload.toString()),
        arrayBuffer: async () => rawPayload,
      };
      answer(response as unknown as Response);
    });
  });
  return true;
}

function lost(): TypeError {
  return new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
}
