import type { Agent } from "../agent/agent.ts";
import type { Resources } from "../agent/compose.ts";
import type { EventBus } from "../agent/events/events.ts";
import type { Config } from "../config/config.ts";
import type { ServiceLog } from "./log/service-log.ts";
import type { Readiness } from "./process/readiness.ts";
import type { ServiceLease } from "./process/service-lease.ts";
import type { RunManager } from "./runs/run-manager.ts";
import type { DeliveryCounter } from "./webhooks/delivery-outcomes.ts";
import type { HintSignal } from "./webhooks/hint-signal.ts";
import type { ServiceWorkers } from "./workers/workers.ts";

/** What the parts and routes of the service share. */
export interface ServiceContext {
  readonly config: Config;
  /** Ledger, gateway, clock, ids. The parts open no queue of runs: the run manager gives each run its own. */
  readonly resources: Resources;
  /** For reading: status, runs, explain, documents, open items and their resolution. Runs are started by `runs`. */
  readonly agent: Agent;
  /** Events of everything but runs: requests to the gateway, reports by the clock. */
  readonly bus: EventBus;
  readonly runs: RunManager;
  readonly log: ServiceLog;
  /** The lease of this service: its age, for metrics. */
  readonly lease: ServiceLease;
  /** Whether ledger, queue and gateway are reachable. */
  readonly readiness: Readiness;
  /**
   * Aborts when the service begins to stop. What waits for long (an event stream, a pause) ends then. Requests that change something are
   * refused from then on, by the HTTP server.
   */
  readonly stopping: AbortSignal;
  /** The webhook receiver wakes it, webhook runs listen. */
  readonly hintSignal: HintSignal;
  /** Workers on other machines. */
  readonly workers: ServiceWorkers;
  /** Webhook deliveries by what came of them, for metrics. */
  readonly deliveries: DeliveryCounter;
}

/** Work of the service beside HTTP: schedules, readings of the delivery records, alerts. Parts start in order and stop in reverse. */
export interface ServicePart {
  readonly name: string;
  /** Starts the work and returns. A part handles its own failures: it logs them and tries again. */
  start(): Promise<void>;
  /** Begins nothing more, and resolves when what it does is done or given back. Never throws. */
  stop(): Promise<void>;
}
