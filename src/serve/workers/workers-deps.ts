import type { Config } from "../../config/config.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Failure } from "../../ledger/messages/failure.ts";
import type { KnownWorker } from "../../ledger/service-ledger.ts";
import type { PipelineLimits } from "../../pipeline/stage-deps.ts";
import type { Clock } from "../../time/clock.ts";

export interface WorkersDeps {
  readonly config: Pick<Config, "gateway" | "queue" | "content">;
  readonly clock: Clock;
  readonly leaseTimes: Pick<PipelineLimits, "leaseMs" | "flushLeaseMs"> & { readonly workerLeaseMs: number };
  readonly ledger: () => Promise<Ledger>;
  readonly gateway: () => Promise<Gateway>;
  readonly log: { info(message: string, fields?: object): void; warn(message: string, fields?: object): void };
  readonly failureOf: (error: unknown) => Failure;
  /** The service before died, or left workers with something under way: they may go on for the rest of their shares. */
  readonly isAfterDeath: boolean;
  /** The workers of the service before. */
  readonly known: readonly KnownWorker[];
}
