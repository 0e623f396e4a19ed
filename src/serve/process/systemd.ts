/**
 * Tells systemd that the service is ready, that it stops, and that it is alive (`Type=notify`, `WatchdogSec=`). Node cannot send to a
 * Unix datagram socket, and the packages that can need a compiler; so systemd's own program sends, for which the unit needs
 * `NotifyAccess=all`.
 */

import { execFile } from "node:child_process";
import { messageOf } from "../../errors.ts";
import type { Clock } from "../../time/clock.ts";
import type { ServiceLog } from "../log/service-log.ts";

const PROGRAM = "systemd-notify";
/** The program waits until systemd has read the message. */
const SEND_TIMEOUT_MS = 5_000;
const MICROS_PER_MS = 1_000;
/** Two pings in each period of the watchdog, so that one may be late. */
const PINGS_PER_PERIOD = 2;

export type Env = Readonly<Record<string, string | undefined>>;

export interface Systemd {
  /** The service works. From now on the watchdog is answered. */
  ready(service: Watched): Promise<void>;
  stopping(): Promise<void>;
  /** Answers the watchdog no more. */
  close(): void;
}

/** What the watchdog watches. */
export interface Watched {
  /** One line for `systemctl status`. */
  describe(): string;
  /** Resolves while the service can work. The event loop must answer for that too. */
  checkAlive(): Promise<void>;
}

export interface SystemdDeps {
  /** Of the process: `NOTIFY_SOCKET`, `WATCHDOG_USEC`, `WATCHDOG_PID`, `PATH`. */
  readonly env: Env;
  readonly pid: number;
  readonly clock: Clock;
  readonly log: ServiceLog;
}

/** Does nothing when systemd does not wait for this process. */
export function connectSystemd({ env, pid, clock, log }: SystemdDeps): Systemd {
  const closed = new AbortController();
  let hasFailed = false;
  const notify = async (...lines: readonly string[]): Promise<void> => {
    const problem = env.NOTIFY_SOCKET === undefined ? null : await send(lines, env);
    if (problem !== null && !hasFailed) {
      log.warn(`systemd cannot be told about this service: ${problem}`, { program: PROGRAM });
    }
    hasFailed = problem !== null;
  };
  const watch = async (service: Watched, everyMs: number): Promise<void> => {
    while (!closed.signal.aborted) {
      try {
        await service.checkAlive();
        await notify("WATCHDOG=1", `STATUS=${service.describe()}`);
      } catch (error) {
        // systemd restarts a service that does not answer.
        log.warn(`the watchdog is not answered: ${messageOf(error)}`);
      }
      await clock.sleep(everyMs, closed.signal);
    }
  };
  return {
    ready: async (service) => {
      await notify("READY=1", `STATUS=${service.describe()}`);
      const everyMs = pingEveryMs(env, pid);
      if (everyMs !== null) {
        void watch(service, everyMs);
      }
    },
    stopping: () => notify("STOPPING=1", "STATUS=stopping: started purchases are finished"),
    close: () => closed.abort(),
  };
}

/** Null: nobody watches this process. */
function pingEveryMs({ NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID }: Env, pid: number): number | null {
  const periodMs = Number(WATCHDOG_USEC) / MICROS_PER_MS;
  const isOurs = WATCHDOG_PID === undefined || Number(WATCHDOG_PID) === pid;
  return NOTIFY_SOCKET !== undefined && isOurs && periodMs > 0 ? periodMs / PINGS_PER_PERIOD : null;
}

/** @returns what went wrong, or null */
function send(lines: readonly string[], { NOTIFY_SOCKET, PATH }: Env): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(
      PROGRAM,
      [...lines],
      { env: { NOTIFY_SOCKET, PATH }, timeout: SEND_TIMEOUT_MS },
      (error: (Error & { readonly code?: unknown }) | null) => {
        resolve(error === null ? null : error.code === "ENOENT" ? `${PROGRAM} is not installed` : error.message);
      },
    );
  });
}
