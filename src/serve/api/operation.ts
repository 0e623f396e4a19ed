/** An operation of `/api/v1`, declared once: its route and its part of docs/openapi.json come from it. */
import type { FastifyInstance, FastifyReply } from "fastify";
import type { z } from "zod";
import { type CallName, mayAsk } from "../../agent/calls/calls.ts";
import type { ReaderLines } from "../http/reader-lines.ts";
import type { ServiceContext } from "../service-part.ts";
import type { Answers } from "./answers.ts";
import { createGate, type Gate } from "./gate.ts";

/** What is asked with a request, by its parts as fastify names them. */
export interface AskedSchemas {
  readonly params?: z.ZodObject;
  readonly querystring?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly headers?: z.ZodObject;
}

export type Asked<Schemas extends AskedSchemas> = {
  readonly [Part in keyof Schemas]: Schemas[Part] extends z.ZodType ? z.output<Schemas[Part]> : never;
};

/** Who asks. */
export interface AskedBy {
  /** The name of the token that came with the request. Undefined: none came, which only a request that reads may do. */
  readonly by: string | undefined;
}

export interface Operation {
  /** `operationId`: the name of the function in a generated client. */
  readonly id: string;
  /** The call of the agent that it makes, or whose right it takes. The documents say of its options what the call says of them. */
  readonly call: CallName;
  /** Reading is GET and acting is POST, by what the call may. Who may ask is decided by that (`http/access.ts`). */
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly asks: AskedSchemas;
  /** The name of the answer, or what is answered that is not JSON, by status. */
  readonly answer: keyof Answers | OtherAnswers;
  readonly status: number;
  /** Costly work, of which the service does so much at once, for all who ask. Without it, a read waits in the line of who asks. */
  readonly gate?: { readonly what: string; readonly atOnce: number };
  /** Made once for a service, so that it may hold what requests share. It sends the answer, or takes the reply over. */
  work(context: ServiceContext, app: FastifyInstance): (request: unknown, reply: FastifyReply) => Promise<unknown>;
}

export interface OtherAnswers {
  readonly [status: number]: { readonly description: string; readonly content?: Readonly<Record<string, object>> };
}

interface Declaration<Schemas extends AskedSchemas, Answer extends keyof Answers>
  extends Pick<Operation, "id" | "summary" | "description" | "gate"> {
  readonly asks?: Schemas;
  readonly answer: Answer;
  /** @default 200 */
  readonly status?: number;
  work(context: ServiceContext, request: Asked<Schemas> & AskedBy, reply: FastifyReply): Promise<Answers[Answer]>;
}

/** @param path of a GET where the call only reads, and of a POST where it acts: that always needs the token */
export function operation<Answer extends keyof Answers, Schemas extends AskedSchemas = Record<never, never>>(
  call: CallName,
  path: string,
  declaration: Declaration<Schemas, Answer>,
): Operation {
  // The route checks the parts of a request by `asks` before the work gets them.
  const work: Operation["work"] = (context) => (request, reply) =>
    declaration.work(context, request as Asked<Schemas> & AskedBy, reply);
  return { asks: {}, status: 200, ...declaration, work, call, method: methodOf(call), path };
}

export interface ApiContext extends ServiceContext {
  readonly lineOf: ReaderLines;
}

export const methodOf = (call: CallName): Operation["method"] => (mayAsk(call) === "read" ? "GET" : "POST");

export function addOperation(app: FastifyInstance, { lineOf, ...context }: ApiContext, operation: Operation): void {
  const { method, path, asks, answer, status } = operation;
  const work = operation.work(context, app);
  const turnsOf = toTurns(operation, lineOf);
  app.route({
    method,
    url: path,
    schema: asks,
    // A stream without a body would stay open and say nothing.
    exposeHeadRoute: typeof answer === "string",
    handler: async ({ params, query, body, headers, tokenName }, reply) => {
      const request = { params, querystring: query, body, headers, by: tokenName ?? undefined };
      const given = await turnsOf(tokenName)(() => work(request, reply));
      return given === reply ? reply : reply.code(status).send(given);
    },
  });
}

/** Actions begin at once. A stream ends when its run does, and has a bound of its own. */
function toTurns({ gate, method, answer }: Operation, lineOf: ReaderLines): (reader: string | null) => Gate {
  if (gate !== undefined) {
    const own = createGate(gate.what, gate.atOnce);
    return () => own;
  }
  return method === "GET" && typeof answer === "string" ? lineOf : () => (work) => work();
}
