/**
 * In a world of crawls there is no service: a run offers its work itself, over the routes of a service and nothing else of it. One run at a time has
 * the address that the workers know.
 */
import fastify from "fastify";
import type { Resources } from "../../../src/agent/compose.ts";
import { LicetError } from "../../../src/errors.ts";
import { NO_WORKERS_ELSEWHERE, type WorkersElsewhere } from "../../../src/pipeline/work/elsewhere.ts";
import { addProblems } from "../../../src/serve/http/problem.ts";
import { addLedgerRoutes } from "../../../src/serve/http/routes/ledger.ts";
import { createServiceWorkers } from "../../../src/serve/workers/create-workers.ts";
import type { ServiceWorkers } from "../../../src/serve/workers/workers.ts";
import type { Host } from "./service-way.ts";
import type { Member, Traffic } from "./traffic.ts";

export class CommandService {
  readonly #traffic: Traffic;
  readonly #trace: (line: () => string) => void;
  #host: Host | null = null;

  constructor(traffic: Traffic, trace: (line: () => string) => void) {
    this.#traffic = traffic;
    this.#trace = trace;
  }

  get host(): Host | null {
    return this.#host?.owner.isAlive === true ? this.#host : null;
  }

  /** Does the work of a run, with workers unless another run has them. */
  async offer<Result>(
    owner: Member,
    resources: Resources,
    work: (elsewhere: WorkersElsewhere) => Promise<Result>,
  ): Promise<Result> {
    if (this.host !== null) {
      return work(NO_WORKERS_ELSEWHERE);
    }
    // Whoever ended in order had its jobs ended before.
    const workers = this.#createWorkers(resources, this.#host !== null);
    const app = fastify({ logger: false });
    const say = (message: string) => this.#trace(() => message);
    addProblems(app, { debug: say, info: say, warn: say });
    addLedgerRoutes(app, { workers, lease: { assertHeld: () => {} } } as never);
    await app.ready();
    this.#traffic.add(owner, "service");
    this.#host = { app, owner };
    try {
      await workers.start();
      return await work(workers);
    } finally {
      this.#host = null;
      workers.stop();
    }
  }

  #createWorkers(resources: Resources, isAfterDeath: boolean): ServiceWorkers {
    const say = (message: string) => this.#trace(() => `service: ${message}`);
    return createServiceWorkers(resources, {
      log: { info: say, warn: say },
      toOperating: toInternal,
      isAfterDeath,
      known: [],
    });
  }
}

function toInternal(error: unknown): LicetError {
  return new LicetError("INTERNAL_ERROR", String(error instanceof Error ? error.stack : error), {
    details: { errorId: "simulated" },
  });
}
