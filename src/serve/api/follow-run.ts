/** Follows a run by server-sent events. */
import type { FastifyInstance, FastifyReply } from "fastify";
import { z } from "zod";
import { isLicetError, LicetError } from "../../errors.ts";
import { internalError, toProblem } from "../http/problem.ts";
import type { RunEnd } from "../runs/run-manager.ts";
import type { ServiceContext } from "../service-part.ts";
import { type EventStream, openEventStream } from "./event-stream.ts";
import { type Asked, methodOf, type Operation } from "./operation.ts";
import { runParams } from "./request-parts.ts";
import { notHere } from "./run-begin.ts";
import { createRunEventLogs, type RunEventLog } from "./run-event-log.ts";

/** Followers at once, of all runs. With what may wait for each, this bounds the memory. */
const MAX_STREAMS = 32;
/** The id of the last event. A client that comes back with it has seen everything. */
const END_ID = "end";

const followHeaders = z.object({
  "last-event-id": z
    .string()
    .regex(/^(?:[0-9a-z]{1,16}\.\d{1,15}|end)$/, "the id of an event of this run")
    .optional()
    .describe("The last event that was seen: only later ones are sent."),
});

const DESCRIPTION = `The last 1000 events so far, then each new one. \`event\` is its name (docs/reference.md, AgentEvents), \`data\` its fields as JSON, \`id\` its number.
The last event is \`end\`: \`{"report": …}\` (a RunReport), or \`{"error": …}\` (a Problem). Of a run that has ended, only \`end\` is sent. A client that comes back
after \`end\` gets 204. A client that does not read is disconnected.`;

export const followRun: Operation = {
  id: "followRun",
  call: "runStatus",
  method: methodOf("runStatus"),
  path: "/runs/:id/events",
  summary: "The events of a run, as server-sent events",
  description: DESCRIPTION,
  asks: { params: runParams, headers: followHeaders },
  answer: {
    200: { description: "A stream of events.", content: { "text/event-stream": { schema: { type: "string" } } } },
    204: { description: "Everything was seen." },
  },
  status: 200,
  work: (context, app) => createFollow(context, app) as ReturnType<Operation["work"]>,
};

type Request = Asked<{ readonly params: typeof runParams; readonly headers: typeof followHeaders }>;

function createFollow(
  { agent, resources, runs, log }: ServiceContext,
  app: FastifyInstance,
): (request: Request, reply: FastifyReply) => Promise<FastifyReply> {
  const findLog = createRunEventLogs(runs, resources.clock);
  const streams = new Set<EventStream>();

  function open(reply: FastifyReply): EventStream {
    const stream = openEventStream(reply, resources.clock);
    streams.add(stream);
    stream.ended.addEventListener("abort", () => streams.delete(stream), { once: true });
    return stream;
  }

  function finish(stream: EventStream, end: RunEnd): void {
    const data =
      end.kind === "ended"
        ? { report: end.report }
        : { error: toProblem(isLicetError(end.error) ? end.error : internalError(end.error, log)) };
    stream.send({ id: END_ID, name: "end", data });
    stream.end();
  }

  function follow(stream: EventStream, events: RunEventLog, lastId: string | null): void {
    for (const event of events.after(lastId)) {
      stream.send(event);
    }
    if (stream.ended.aborted) {
      return;
    }
    stream.ended.addEventListener("abort", events.listen(stream.send), { once: true });
    void events.run.ended.then((end) => finish(stream, end));
  }

  // Runs end before the server does, so a reader gets the end of its run first.
  app.addHook("preClose", async () => {
    for (const stream of streams) {
      stream.end();
    }
  });

  return async ({ params: { id }, headers }, reply) => {
    const lastId = headers["last-event-id"];
    if (lastId === END_ID) {
      return reply.code(204).send(null);
    }
    if (streams.size >= MAX_STREAMS) {
      throw new LicetError("SERVICE_BUSY", `${MAX_STREAMS} clients follow runs already`, {
        hint: "Close a stream, or ask for GET /api/v1/runs/ID now and then.",
      });
    }
    const events = findLog(id);
    if (events !== null) {
      follow(open(reply), events, lastId ?? null);
      return reply;
    }
    const report = await agent.runStatus(id);
    if (report.state === "running") {
      throw notHere(id, report.state);
    }
    finish(open(reply), { kind: "ended", report });
    return reply;
  };
}
