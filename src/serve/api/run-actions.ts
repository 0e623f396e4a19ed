/** What is done to runs: start, resume, stop, cancel. */
import type { FastifyReply } from "fastify";
import { z } from "zod";
import { type ActingOptions, toActedBy } from "../../agent/acts/acted-by.ts";
import { INPUTS } from "../../agent/calls/inputs.ts";
import { notCancelled } from "../../agent/runs/cancel-agent.ts";
import type { CancelReport } from "../../agent/runs/run-report.ts";
import { isLicetError } from "../../errors.ts";
import type { LiveRun } from "../runs/run-manager.ts";
import type { ServiceContext } from "../service-part.ts";
import type { BegunRun } from "./answers.ts";
import { type Operation, operation } from "./operation.ts";
import { inBody, runParams } from "./request-parts.ts";
import { askOfRun, beginRun, findLiveRun } from "./run-begin.ts";

const startBody = z.strictObject(inBody(INPUTS.run)).prefault({});
/** A run that goes on has its sites. */
const resumeBody = startBody.unwrap().omit({ hosts: true, fresh: true }).prefault({});

/** Who stops or cancels a run says why. */
const cancelBody = z.strictObject(inBody(INPUTS.cancel)).prefault({});

export const runActions: readonly Operation[] = [
  operation("run", "/runs", {
    id: "startRun",
    summary: "Starts a run, or resumes an interrupted one of the same sites",
    asks: { body: startBody },
    answer: "BegunRun",
    status: 202,
    work: async (context, { body: { hosts = [], ...options }, by }, reply) =>
      toBegun(await beginRun(context, { hosts, options: { ...options, by } }), reply),
  }),
  operation("run", "/runs/:id/resume", {
    id: "resumeRun",
    summary: "Resumes a run that ended with work left",
    asks: { params: runParams, body: resumeBody },
    answer: "BegunRun",
    status: 202,
    work: async (context, { params: { id }, body, by }, reply) => {
      const options = { resume: id, ...body, by };
      return toBegun(await askOfRun(context, id, () => beginRun(context, { hosts: [], options })), reply);
    },
  }),
  operation("run", "/runs/:id/stop", {
    id: "stopRun",
    summary: "Ends a run as interrupted: what has started is finished, the rest can be resumed",
    asks: { params: runParams, body: cancelBody },
    answer: "StoppingRun",
    status: 202,
    work: async (context, { params: { id }, body, by }) => {
      (await findLiveRun(context, id)).stop(toActedBy(context.resources, { ...body, by }));
      return { runId: id, stopping: true };
    },
  }),
  operation("cancel", "/runs/:id/cancel", {
    id: "cancelRun",
    summary: "Ends a run for good: what is reserved is released, what has started is finished or probed",
    asks: { params: runParams, body: cancelBody },
    answer: "CancelReport",
    work: (context, { params: { id }, body, by }) => cancelHere(context, id, { ...body, by }),
  }),
];

/** Cancels a run, also one that is at work in this service. @throws LicetError RUN_NOT_FOUND, RUN_OVER, and what keeps it from being cancelled now */
export async function cancelHere(
  context: Pick<ServiceContext, "runs" | "agent" | "resources" | "stopping">,
  id: string,
  acting: ActingOptions,
): Promise<CancelReport> {
  const live = context.runs.live().find((run) => run.runId === id);
  // What has started finishes by itself, so that nothing is left to probe. The request is to cancel it: that act has its key.
  live?.stop(toActedBy(context.resources, { by: acting.by, reason: acting.reason }));
  await live?.ended;
  try {
    return await askOfRun(context, id, () => context.agent.cancel(id, { ...acting, signal: context.stopping }));
  } catch (error) {
    if (live === undefined || !isLicetError(error) || error.retry !== "later") {
      throw error;
    }
    const hint = `GET /api/v1/runs/${id} shows it. Cancel it again.`;
    throw notCancelled(error, `run ${id} was told to stop`, hint);
  }
}

function toBegun({ runId, hosts, trigger }: LiveRun, reply: FastifyReply): BegunRun {
  reply.header("location", `/api/v1/runs/${runId}`);
  return { runId, hosts, trigger };
}
