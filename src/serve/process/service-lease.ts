/**
 * The lease of this service. It is taken before anything else, so that a second service of the same ledger does nothing at all. While
 * the service is at work, the lease is renewed; a renewal that finds another fence means that another service took the lease, because
 * this process was suspended for long, for example. This service must then stop at once.
 */
import type { Resources } from "../../agent/compose.ts";
import { queryService } from "../../agent/known-service.ts";
import { processLabel } from "../../agent/this-process.ts";
import { isLicetError, LicetError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { KnownService, KnownWorker } from "../../ledger/service-ledger.ts";
import { keepRenewing } from "../../pipeline/work/keep-lease.ts";
import { elapsedMs } from "../../time/clock.ts";
import type { ServiceLog } from "../log/service-log.ts";

export interface ServiceLease {
  readonly fence: number;
  readonly startedAt: number;
  /** The service before died: what it had dealt to its workers may still be used. */
  readonly isAfterDeath: boolean;
  /** The workers on other machines as the service before knew them. */
  readonly workersBefore: readonly KnownWorker[];
  /** When the ledger last confirmed the lease, epoch ms. */
  renewedAt(): number;
  /**
   * Calls at once and with each renewal.
   * @param listener.untilMs when the lease ends if nobody renews it, by the clock for durations
   */
  onRenewed(listener: (untilMs: number) => void): void;
  /** Why the ledger could not be written at the last renewal. Null: it could. */
  problem(): string | null;
  /** Aborts with a `SERVICE_LOST` when another service took the lease, or with the bug that keeps it from being renewed. */
  readonly lost: AbortSignal;
  /**
   * Who acts for the owner of the ledger asks first: a process that was suspended may have lost the lease, and not know it yet.
   * @throws LicetError SERVICE_LOST when the lease is lost, or has ended without a renewal
   */
  assertHeld(): void;
  /** Records where the HTTP interface listens, and from now on, with each renewal, the workers. */
  announce(url: string, workers: () => readonly KnownWorker[]): Promise<void>;
  /** Gives the lease back, and renews it no more. */
  release(): Promise<void>;
}

/** @throws LicetError SERVICE_ALIVE, LEDGER_* */
export async function takeServiceLease(resources: Resources, log: ServiceLog): Promise<ServiceLease> {
  const { clock, tuning, processes, config } = resources;
  const ledger = await resources.ledger("create", "pages");
  const process = processes.begin();
  try {
    const { taken, startedAt } = await takeUnchanged(resources, ledger, process);
    if (taken.kind === "alive") {
      throw refuse(taken.service, config.ledger.path);
    }
    if (taken.died !== null) {
      const label = processLabel(taken.died.process);
      log.warn(`the service before (${label}) did not stop in order; this one continues with what it left`, {
        process: label,
      });
    }
    return keepServiceLease(
      { ledger, clock, leaseMs: tuning.serviceLeaseMs, log, end: () => processes.end(process) },
      { fence: taken.fence, startedAt, isAfterDeath: taken.died !== null, workersBefore: await ledger.readWorkers() },
    );
  } catch (error) {
    processes.end(process);
    throw error;
  }
}

/** Asks anew when somebody took or renewed the lease meanwhile: this process may have been suspended for long. */
async function takeUnchanged(resources: Resources, ledger: Ledger, process: string) {
  for (;;) {
    const { query, known } = await queryService(resources, ledger);
    const taken = await ledger.takeService({ ...query, known, process });
    if (taken.kind !== "changed") {
      return { taken, startedAt: query.now };
    }
  }
}

interface LeaseWork {
  readonly ledger: Ledger;
  readonly clock: Resources["clock"];
  readonly leaseMs: number;
  readonly log: ServiceLog;
  readonly end: () => void;
}

function keepServiceLease(
  { ledger, clock, leaseMs, log, end }: LeaseWork,
  taken: Pick<ServiceLease, "fence" | "startedAt" | "isAfterDeath" | "workersBefore">,
): ServiceLease {
  const { fence, startedAt, workersBefore } = taken;
  const lost = new AbortController();
  let renewedAt = startedAt;
  let endsAt = startedAt + leaseMs;
  let problem: string | null = null;
  let untilMs = elapsedMs(clock) + leaseMs;
  const listeners: ((untilMs: number) => void)[] = [];
  let url: string | null = null;
  let listWorkers: () => readonly KnownWorker[] = () => workersBefore;
  let isReleased = false;

  /** A renewal that was under way when the lease was given back finds that it is gone. */
  const lose = (reason: unknown) => {
    if (!isReleased) {
      lost.abort(reason);
    }
  };
  const renew = async (expiresAt: number): Promise<boolean> => {
    const sentMs = elapsedMs(clock);
    try {
      const isOurs = await ledger.renewService({ fence, expiresAt, url, workers: listWorkers() });
      renewedAt = clock.now();
      endsAt = expiresAt;
      if (isOurs) {
        untilMs = sentMs + leaseMs;
        for (const listener of listeners) {
          listener(untilMs);
        }
      }
      if (problem !== null) {
        log.info("the ledger can be written again");
        problem = null;
      }
      return isOurs;
    } catch (error) {
      if (!isLicetError(error)) {
        lose(error);
        return false;
      }
      // A full disk does not show who has the lease. No other service can take it either while the ledger cannot be written.
      if (problem === null) {
        log.warn(`the lease of the service cannot be renewed: ${error.message}`, { code: error.code });
      }
      problem = error.message;
      return true;
    }
  };
  const kept = keepRenewing(clock, { leaseMs, leftMs: leaseMs, renew }, new AbortController().signal);
  kept.signal.addEventListener("abort", () => lose(describeLoss()), { once: true });

  return {
    ...taken,
    renewedAt: () => renewedAt,
    onRenewed: (listener) => {
      listeners.push(listener);
      listener(untilMs);
    },
    problem: () => problem,
    lost: lost.signal,
    assertHeld: () => {
      lost.signal.throwIfAborted();
      if (clock.now() >= endsAt) {
        throw new LicetError("SERVICE_LOST", "this service does not know whether it still has its ledger", {
          hint: "It was suspended, or its ledger cannot be written. It renews its lease or stops within seconds: ask again.",
        });
      }
    },
    announce: async (listening, workers) => {
      url = listening;
      listWorkers = workers;
      if (!(await renew(clock.now() + leaseMs))) {
        lose(describeLoss());
      }
    },
    release: async () => {
      isReleased = true;
      kept.stop();
      end();
      // What its workers had under way to the end is for the next service to know.
      await ledger.renewService({ fence, expiresAt: endsAt, url, workers: listWorkers() });
      await ledger.releaseService(fence);
    },
  };
}

function refuse({ process, url, expiresAt }: KnownService, path: string): LicetError {
  const label = processLabel(process);
  const where = url === null ? "" : ` at ${url}`;
  const until = new Date(expiresAt ?? 0).toISOString();
  return new LicetError("SERVICE_ALIVE", `a service of this ledger is at work already: ${label}${where} (${path})`, {
    hint: `Use that service, or stop it with SIGTERM first. If its machine is gone, its lease ends at ${until}.`,
    details: { process: label, url, path },
  });
}

function describeLoss(): LicetError {
  return new LicetError("SERVICE_LOST", "another service took over this ledger: this one has stopped at once", {
    hint: "The process was probably suspended for longer than its lease, or its clock was changed. Let one service work on a ledger.",
  });
}
