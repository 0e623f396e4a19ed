/**
 * In a world of crawls there is no service: a run offers its work itself, over the routes of a service and nothing else of it. One run at a time has
 * the address that the workers know.
 */
import fastify from "fastify";
import type { Resources } from "../../../src/agent/compose.ts";
import { NO_WORKERS_ELSEWHERE, type WorkersElsewhere } from "../../../src/pipeline/work/elsewhere.ts";
import { addProblems, internalError } from "../../../src/serve/http/problem.ts";
import { addLedgerRoutes } from "../../../src/serve/http/routes/ledger.ts";
import type { ServiceLog } from "../../../src/serve/log/service-log.ts";
import { createServiceWorkers } from "../../../src/serve/workers/create-workers.ts";
import type { ServiceWorkers } from "../../../src/serve/workers/workers.ts";
import type { ProcessLogs } from "../process-logs.ts";
import type { Host } from "./service-way.ts";
import type { Member, Traffic } from "./traffic.ts";

export class CommandService {
  readonly #traffic: Traffic;
  readonly #log: ServiceLog;
  #host: Host | null = null;

  constructor(traffic: Traffic, logs: ProcessLogs) {
    this.#traffic = traffic;
    this.#log = logs.of("service");
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
    addProblems(app, this.#log);
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
    return createServiceWorkers(resources, {
      log: this.#log,
      toOperating: (bug) => internalError(bug as Error, this.#log),
      isAfterDeath,
      known: [],
    });
  }
}
