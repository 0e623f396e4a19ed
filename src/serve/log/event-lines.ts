/**
 * The log lines of events. Of runs: their beginning and end, stopped sites and warnings. What happens to single pages, and each request to
 * the gateway, is for debugging.
 */
import { describeRequest } from "../../agent/events/gateway-events.ts";
import { describeError, isLicetError } from "../../errors.ts";
import type { LiveRun, RunEnd } from "../runs/run-manager.ts";
import type { ServiceContext } from "../service-part.ts";
import type { LogFields } from "./service-log.ts";

export function logEvents({
  runs,
  bus,
  log,
  resources,
}: Pick<ServiceContext, "runs" | "bus" | "log" | "resources">): void {
  bus.on("warning", ({ message }) => log.warn(message));
  bus.on("gateway.request", (request) => log.debug(describeRequest(request), { ...request }));
  logRuns({ runs, log });
  logPauses({ log, resources });
  logOutages({ runs, log, resources });
}

/** One line when runs begin to wait for queue, gateway or ledger, and one when they go on. */
function logOutages({ runs, log, resources }: Pick<ServiceContext, "runs" | "log" | "resources">): void {
  runs.onOutage(({ place, code, message, hint, since }, isOver) => {
    if (isOver) {
      const afterMs = resources.clock.now() - since;
      log.info(`the ${place} is back, and the runs go on`, { dependency: place, place, afterMs });
    } else {
      const what = hint === null ? "" : ` (${hint})`;
      log.warn(`runs wait until the ${place} is back; nothing ends: ${code}: ${message}${what}`, {
        dependency: place,
        place,
        code,
        since: new Date(since).toISOString(),
      });
    }
  });
}

/** The gateway asked for a pause (429, `Retry-After`), and its end. Other waits are outages, or what is not ready. */
function logPauses({ log, resources }: Pick<ServiceContext, "log" | "resources">): void {
  resources.waits.onChange(({ place, code, since, until }, isOver) => {
    if (place === "rate_limit") {
      const begun = new Date(since).toISOString();
      const ends = until === null ? "" : ` until ${new Date(until).toISOString()}`;
      const what = isOver
        ? "the pause that the gateway asked for is over"
        : `the gateway asked for a pause${ends} (429)`;
      log.info(what, { place, code, since: begun });
    }
  });
}

/** Every line of a run has its id. */
function logRuns({ runs, log }: Pick<ServiceContext, "runs" | "log">): void {
  runs.onStart((run) => {
    const { runId, trigger, hosts, events } = run;
    const of = (fields: LogFields = {}) => ({ runId, ...fields });
    log.info(`run ${runId} began (${trigger}): ${hosts.join(", ")}`, of({ trigger, sites: hosts.length }));
    events.on("site.stopped", ({ host, stop, detail }) => {
      log.warn(`run ${runId}: ${host} stopped (${stop}): ${detail}`, of({ host, stop }));
    });
    events.on("warning", ({ message }) => log.warn(`run ${runId}: ${message}`, of()));
    events.on("usage.reported", ({ entries, uses }) => {
      log.debug(`run ${runId}: ${uses} uses reported in ${entries} entries`, of({ uses, entries }));
    });
    events.on("page.bought", ({ url }) => log.debug(`run ${runId}: bought ${url}`, of({ url })));
    events.on("page.failed", ({ url, reason }) =>
      log.debug(`run ${runId}: failed (${reason}) ${url}`, of({ url, reason })),
    );
    events.on("page.in_doubt", ({ url, reason }) => {
      log.debug(`run ${runId}: in doubt (${reason}) ${url}`, of({ url, reason }));
    });
    void run.ended.then((end) => logEnd({ log }, run, end));
  });
}

function logEnd({ log }: Pick<ServiceContext, "log">, { runId, trigger }: LiveRun, end: RunEnd): void {
  if (end.kind === "failed") {
    const code = isLicetError(end.error) ? end.error.code : null;
    log.warn(`run ${runId} failed: ${describeError(end.error)}`, { runId, trigger, state: "failed", code });
    return;
  }
  const { state, reason, pages, durationMs } = end.report;
  if (state === "running") {
    const message = `run ${runId} is another process's now, which cancels it or goes on with it; ${pages.bought} were bought so far`;
    log.info(message, { runId, trigger, state });
    return;
  }
  const counts = { bought: pages.bought, failed: pages.failed, inDoubt: pages.inDoubt, denied: pages.denied };
  const why = reason === null ? "" : ` (${reason})`;
  const message = `run ${runId} ended: ${state}${why}; ${pages.bought} bought, ${pages.failed} failed, ${pages.inDoubt} in doubt`;
  log[state === "failed" ? "warn" : "info"](message, { runId, trigger, state, durationMs, ...counts });
}
