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
import type { KnownService } from "../../ledger/service-ledger.ts";
import { keepRenewing } from "../../pipeline/work/keep-lease.ts";
import type { ServiceLog } from "../log/service-log.ts";

export interface ServiceLease {
  readonly fence: number;
  readonly startedAt: number;
  /** The service before died: what it had dealt to its workers may still be used. */
  readonly isAfterDeath: boolean;
  /** When the ledger last confirmed the lease, epoch ms. */
  renewedAt(): number;
  /** Why the ledger could not be written at the last renewal. Null: it could. */
  problem(): string | null;
  /** Aborts with a `SERVICE_LOST` when another service took the lease, or with the bug that keeps it from being renewed. */
  readonly lost: AbortSignal;
  /** Records where the HTTP interface listens. */
  announce(url: string): Promise<void>;
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
      { fence: taken.fence, startedAt, isAfterDeath: taken.died !== null },
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
  { fence, startedAt, isAfterDeath }: Pick<ServiceLease, "fence" | "startedAt" | "isAfterDeath">,
): ServiceLease {
  const lost = new AbortController();
  let renewedAt = startedAt;
  let problem: string | null = null;
  let url: string | null = null;
  let isReleased = false;

  /** A renewal that was under way when the lease was given back finds that it is gone. */
  const lose = (reason: unknown) => {
    if (!isReleased) {
      lost.abort(reason);
    }
  };
  const renew = async (expiresAt: number): Promise<boolean> => {
    try {
      const isOurs = await ledger.renewService({ fence, expiresAt, url });
      renewedAt = clock.now();
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
  const kept = keepRenewing(clock, leaseMs, renew, new AbortController().signal);
  kept.signal.addEventListener("abort", () => lose(describeLoss()), { once: true });

  return {
    fence,
    startedAt,
    isAfterDeath,
    renewedAt: () => renewedAt,
    problem: () => problem,
    lost: lost.signal,
    announce: async (listening) => {
      url = listening;
      if (!(await renew(clock.now() + leaseMs))) {
        lose(describeLoss());
      }
    },
    release: async () => {
      isReleased = true;
      kept.stop();
      end();
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
