/** Begins runs for requests, and says what keeps one from beginning. */
import { readRuns } from "../../agent/reports/runs-agent.ts";
import { assertLicetError, LicetError } from "../../errors.ts";
import { type LiveRun, MAX_RUNS_AT_ONCE, type StartRun } from "../runs/run-manager.ts";
import type { ServiceContext } from "../service-part.ts";

/** @throws LicetError RUN_ALIVE while a run of one of these sites is at work, SERVICE_BUSY when none can begin now */
export async function beginRun(
  { runs, resources }: Pick<ServiceContext, "runs" | "resources">,
  request: Pick<StartRun, "hosts" | "options">,
): Promise<LiveRun> {
  // A client must not wait for hours until a run of others ends.
  if (runs.live().length >= MAX_RUNS_AT_ONCE) {
    throw new LicetError("SERVICE_BUSY", `${MAX_RUNS_AT_ONCE} runs are at work, and no more begin at once`, {
      hint: "Try again when one has ended: GET /api/v1/runs?state=running",
    });
  }
  const started = await runs.start({ trigger: "manual", ...request });
  if (started.kind === "started") {
    return started.run;
  }
  const { runId, detail } = started;
  if (runId === null) {
    throw new LicetError("SERVICE_BUSY", detail, { hint: "Try again in a few seconds." });
  }
  const [run] = (await readRuns(resources, await resources.ledger("read"), { runId, limit: 1 })).runs;
  throw new LicetError("RUN_ALIVE", detail, {
    hint: `Follow it: GET /api/v1/runs/${runId}/events. Or stop it: POST /api/v1/runs/${runId}/stop`,
    details: { runId, process: run?.process ?? null },
  });
}

/** @throws LicetError RUN_NOT_FOUND, RUN_NOT_HERE for a run that has ended or that another process works on */
export async function findLiveRun(context: Pick<ServiceContext, "runs" | "agent">, runId: string): Promise<LiveRun> {
  const run = context.runs.live().find((live) => live.runId === runId);
  if (run !== undefined) {
    return run;
  }
  const { state } = await context.agent.runStatus(runId);
  throw notHere(runId, state);
}

/**
 * Asks for something that a run may be too old for. The ledger refuses an unknown run and one that is over with the same code; over HTTP
 * they are not the same.
 * @throws LicetError RUN_OVER for a run that is there
 */
export async function askOfRun<Result>(
  { agent }: Pick<ServiceContext, "agent">,
  runId: string,
  ask: () => Promise<Result>,
): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    assertLicetError(error, "RUN_NOT_FOUND");
    // @throws RUN_NOT_FOUND
    const { state } = await agent.runStatus(runId);
    throw new LicetError("RUN_OVER", error.message, {
      hint: error.hint ?? `GET /api/v1/runs/${runId} shows it.`,
      details: { runId, state },
    });
  }
}

export function notHere(runId: string, state: string): LicetError<"RUN_NOT_HERE"> {
  const why = state === "running" ? "another process works on it, or it died" : `it is ${state}`;
  return new LicetError("RUN_NOT_HERE", `run ${runId} is not at work in this service: ${why}`, {
    hint: `GET /api/v1/runs/${runId} shows it.`,
    details: { runId, state },
  });
}
