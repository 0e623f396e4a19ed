import { isLicetError } from "../../errors.ts";
import type { Service } from "../../serve/service.ts";
import type { CliCommand } from "../cli-command.ts";
import { EXIT, type ExitCode, exitCodeOfError } from "../exit-code.ts";
import { type Interrupts, watchInterrupts } from "../interrupts.ts";
import { createEventLog, type EventLog } from "../log/event-log.ts";
import type { Session } from "../session.ts";
import { letOldGenerationGrow } from "../start/heap.ts";

export function declareServe(command: CliCommand): void {
  command.examples([["licet serve", "until SIGTERM or Ctrl-C"]]).does(serve);
}

/** @throws LicetError what keeps the service from starting, or SERVICE_LOST */
async function serve(session: Session): Promise<ExitCode> {
  letOldGenerationGrow();
  const [{ startService }, { connectSystemd }] = await Promise.all([
    import("../../serve/service.ts"),
    import("../../serve/process/systemd.ts"),
  ]);
  const config = await session.loadConfig();
  const { io, json, logging } = session;
  // A program reads what is not a terminal.
  const isStructured = json || !io.stderr.isTerminal;
  const log = createEventLog(io, { ...logging, json: isStructured });
  const interrupts = watchInterrupts(io, {
    say: log.warn,
    finishing: "nothing new begins, started purchases are finished, uses are reported",
    farewell: () => "nothing is lost; the next service continues",
  });
  const systemd = connectSystemd({ env: io.env, pid: process.pid, clock: io.clock, log });
  try {
    const service = await startService(config, log);
    log.info(`the service listens on ${service.url}`, { url: service.url });
    await systemd.ready(service);
    await untilEnded(service, interrupts);
    void systemd.stopping();
    await stop(service, log);
    service.failed.throwIfAborted();
    return EXIT.done;
  } catch (error) {
    if (!isStructured || !isLicetError(error)) {
      throw error;
    }
    const { code, message, hint = null } = error;
    log.error(message, { code, hint });
    if (json) {
      throw error;
    }
    return exitCodeOfError(error);
  } finally {
    systemd.close();
    interrupts.stop();
  }
}

/** Resolves at the first signal, also one that came while the service started, or when the service cannot go on. */
async function untilEnded({ failed }: Service, { signal }: Interrupts): Promise<void> {
  const ended = AbortSignal.any([failed, signal]);
  if (!ended.aborted) {
    await new Promise((resolve) => ended.addEventListener("abort", resolve, { once: true }));
  }
}

async function stop(service: Service, log: EventLog): Promise<void> {
  const late = await service.stop();
  log.info(`the service has stopped${late.length === 0 ? "" : `; not in time: ${late.join(", ")}`}`);
}
