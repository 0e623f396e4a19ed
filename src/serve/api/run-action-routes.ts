/** What is done to runs: start, resume, stop, cancel. */
import type { FastifyReply } from "fastify";
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import { isLicetError, LicetError } from "../../errors.ts";
import { money } from "../../money/money-input.ts";
import type { LiveRun, StartRun } from "../runs/run-manager.ts";
import type { ServiceContext } from "../service-part.ts";
import { hostSchema, PROBLEM_RESPONSES, runParams } from "./api-schemas.ts";
import { askOfRun, beginRun, findLiveRun } from "./run-begin.ts";
import { amountSchema } from "./schemas/money-schema.ts";
import { cancelReportSchema, runTriggerSchema } from "./schemas/run-schema.ts";

const MAX_HOSTS = 1_000;

const LIMITS = {
  maxSpend: amountSchema
    .optional()
    .describe('Ends the run before it reserves or spends more since it began: "5 USD", or {micros, currency}.'),
  maxPages: z.int().min(1).optional().describe("Ends the run after so many approved pages since it began."),
};

const startBody = z
  .strictObject({
    hosts: z
      .array(hostSchema)
      .min(1)
      .max(MAX_HOSTS)
      .optional()
      .describe("Only these sites. Default: every configured site."),
    ...LIMITS,
    fresh: z.boolean().optional().describe("Begin a new run also where an interrupted one could be resumed."),
  })
  .default({});
const resumeBody = z.strictObject(LIMITS).default({});

type Limits = Pick<z.infer<typeof resumeBody>, "maxSpend" | "maxPages">;

const begunSchema = z
  .object({ runId: z.string(), hosts: z.array(z.string()), trigger: runTriggerSchema })
  .meta({ id: "BegunRun", description: "A run that is at work." });
const stoppingSchema = z.object({ runId: z.string(), stopping: z.literal(true) }).meta({ id: "StoppingRun" });

type Api = Parameters<FastifyPluginAsyncZod>[0];

export function runActionRoutes(context: ServiceContext): FastifyPluginAsyncZod {
  return async (app) => {
    addBeginnings(app, context);
    addEnds(app, context);
  };
}

function addBeginnings(app: Api, context: ServiceContext): void {
  app.post(
    "/runs",
    {
      schema: {
        operationId: "startRun",
        summary: "Starts a run, or resumes an interrupted one of the same sites",
        body: startBody,
        response: { 202: begunSchema, ...PROBLEM_RESPONSES },
      },
    },
    async ({ body: { hosts = [], fresh, ...limits } }, reply) => {
      const options = { ...toLimits(limits), ...(fresh === undefined ? {} : { fresh }) };
      return sendBegun(reply, await beginRun(context, { hosts, options }));
    },
  );

  app.post(
    "/runs/:id/resume",
    {
      schema: {
        operationId: "resumeRun",
        summary: "Resumes a run that ended with work left",
        params: runParams,
        body: resumeBody,
        response: { 202: begunSchema, ...PROBLEM_RESPONSES },
      },
    },
    async ({ params: { id }, body }, reply) => {
      const options = { resume: id, ...toLimits(body) };
      return sendBegun(reply, await askOfRun(context, id, () => beginRun(context, { hosts: [], options })));
    },
  );
}

function addEnds(app: Api, context: ServiceContext): void {
  app.post(
    "/runs/:id/stop",
    {
      schema: {
        operationId: "stopRun",
        summary: "Ends a run as interrupted: what has started is finished, the rest can be resumed",
        params: runParams,
        response: { 202: stoppingSchema, ...PROBLEM_RESPONSES },
      },
    },
    async ({ params: { id } }, reply) => {
      (await findLiveRun(context, id)).stop();
      return reply.code(202).send({ runId: id, stopping: true });
    },
  );

  app.post(
    "/runs/:id/cancel",
    {
      schema: {
        operationId: "cancelRun",
        summary: "Ends a run for good: what is reserved is released, what has started is finished or probed",
        params: runParams,
        response: { 200: cancelReportSchema, ...PROBLEM_RESPONSES },
      },
    },
    async ({ params: { id } }) => {
      const live = context.runs.live().find((run) => run.runId === id);
      // What has started finishes by itself, so that nothing is left to probe.
      live?.stop();
      await live?.ended;
      try {
        return await askOfRun(context, id, () => context.agent.cancel(id, { signal: context.stopping }));
      } catch (error) {
        throw live !== undefined && isLicetError(error) && error.retry === "later" ? toldToStop(id, error) : error;
      }
    },
  );
}

/** The answer must not say that nothing happened. */
function toldToStop(runId: string, error: LicetError): LicetError {
  return new LicetError(error.code, `run ${runId} was told to stop, and is not cancelled yet: ${error.message}`, {
    hint: `GET /api/v1/runs/${runId} shows it. Cancel it again.`,
    details: error.details,
    cause: error,
  });
}

function sendBegun(reply: FastifyReply, { runId, hosts, trigger }: LiveRun): FastifyReply {
  const begun: z.infer<typeof begunSchema> = { runId, hosts: [...hosts], trigger };
  return reply.code(202).header("location", `/api/v1/runs/${runId}`).send(begun);
}

/** @throws LicetError MONEY_INVALID */
function toLimits({ maxSpend, maxPages }: Limits): NonNullable<StartRun["options"]> {
  return {
    ...(maxSpend === undefined ? {} : { maxSpend: money(maxSpend) }),
    ...(maxPages === undefined ? {} : { maxPages }),
  };
}
