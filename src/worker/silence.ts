import { isLicetError, type LicetError } from "../errors.ts";
import { elapsedMs } from "../time/clock.ts";
import { retryPauseMs } from "./until-reached.ts";
import type { WorkerOptions } from "./worker-options.ts";

/** The beats of a session that the service does not answer, and when the worker gives the session up for it. */
export class Silence {
  readonly #options: Pick<WorkerOptions, "clock" | "log" | "random">;
  readonly #leaseMs: number;
  #heardMs: number;
  #beats = 0;

  /** @param leaseMs how long a share of the session lasts */
  constructor(options: Pick<WorkerOptions, "clock" | "log" | "random">, leaseMs: number) {
    this.#options = options;
    this.#leaseMs = leaseMs;
    this.#heardMs = elapsedMs(options.clock);
  }

  /** Beats without an answer, in a row. */
  get beats(): number {
    return this.#beats;
  }

  /** A beat was answered. */
  break(): void {
    if (this.#beats > 0) {
      this.#options.log.info("the service answers again");
    }
    this.#beats = 0;
    this.#heardMs = elapsedMs(this.#options.clock);
  }

  /** A beat was not answered. @returns whether the session is over */
  grow(error: LicetError): boolean {
    const { clock, log } = this.#options;
    this.#beats += 1;
    if (isLicetError(error, "WORKER_EXPIRED")) {
      log.warn("the service does not know this worker any more: its leases are over, and it comes again");
      return true;
    }
    // It may hear each beat, and only its answers may be lost: it would leave its runs to this worker for ever.
    if (elapsedMs(clock) - this.#heardMs >= this.#leaseMs) {
      log.warn(`${error.message}: this worker gives up its leases, and comes again`);
      return true;
    }
    if (this.#beats === 1) {
      log.warn(`${error.message}. Without it the worker starts nothing more, and keeps what it has paid for`);
    }
    return false;
  }

  /** Until the next beat is due. */
  wait(): Promise<void> {
    const { clock, random } = this.#options;
    return clock.sleep(retryPauseMs(this.#beats, random));
  }
}
