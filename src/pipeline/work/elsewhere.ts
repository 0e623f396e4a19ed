/** The work of a run that workers on other machines may share. The dispatcher stays with the owner of the ledger. */
import type { QueuePlace, QueueWorkers } from "../../queue/queue.ts";
import type { StageDeps } from "../stage-deps.ts";
import type { InFlightRegistry } from "./in-flight-jobs.ts";

/** One work period of a run. */
export interface SharedWork {
  readonly runId: string;
  readonly deps: StageDeps;
  /** Knows the jobs of workers elsewhere like those of this process. */
  readonly inFlight: InFlightRegistry;
  /** Aborts when the run must stop. */
  readonly stop: AbortSignal;
  /** Called for what ends the run. */
  readonly onFailure: (error: unknown) => void;
  readonly queue: QueuePlace;
  /** The workers of this process on the same queue. */
  readonly local: QueueWorkers;
}

export interface WorkersElsewhere {
  /** Offers the work. Returns a function that ends the offer, and resolves when no job of it is under way elsewhere. */
  join(work: SharedWork): () => Promise<void>;
  /** How many workers there are now. */
  count(): number;
}

/** Of a command, which works alone. */
export const NO_WORKERS_ELSEWHERE: WorkersElsewhere = { join: () => async () => {}, count: () => 0 };
