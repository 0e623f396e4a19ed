/** `/ledger/v1`: the ledger for workers on other machines. Only tokens with `can: work` get here (`access.ts`). */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { LicetError } from "../../../errors.ts";
import { type Body, MAX_BODY_BYTES, MESSAGE_TYPE, ZSTD } from "../../../ledger/http/body.ts";
import { packageVersion } from "../../../package-directory.ts";
import { LEDGER_HEADERS, LEDGER_PATHS } from "../../../worker/http-names.ts";
import { type Beat, type Hello, MAX_PLACES, WORKER_NAME } from "../../../worker/worker-port.ts";
import { createGate } from "../../api/gate.ts";
import type { ServiceContext } from "../../service-part.ts";
import { unsupportedMediaType } from "../problem.ts";

/** Messages that are worked on at once. More of them are refused, and their senders send them again. */
const MESSAGES_AT_ONCE = 256;
const MAX_ID_CHARS = 200;
/** More than the runs of a service. */
const MAX_ATTACHED = 1_000;

const count = z.int().min(0);
const helloSchema = z.strictObject({
  name: z.string().regex(WORKER_NAME),
  places: z.int().min(1).max(MAX_PLACES),
}) satisfies z.ZodType<Hello>;
const byeSchema = z.strictObject({ session: z.string().max(MAX_ID_CHARS) });
const beatSchema = byeSchema.extend({
  number: count,
  confirmed: count,
  restMs: z.number().min(0),
  attached: z.array(z.string().max(MAX_ID_CHARS)).max(MAX_ATTACHED),
  jobs: count,
  isDraining: z.boolean(),
  pages: count,
  mayWait: z.boolean(),
}) satisfies z.ZodType<Beat>;

export function addLedgerRoutes(root: FastifyInstance, { workers, lease }: ServiceContext): void {
  const version = packageVersion();
  const gate = createGate("messages of workers", MESSAGES_AT_ONCE);
  root.register(async (app) => {
    app.addContentTypeParser(MESSAGE_TYPE, { parseAs: "buffer", bodyLimit: MAX_BODY_BYTES }, (_request, body, done) =>
      done(null, body),
    );
    app.addHook("onRequest", async (request) => {
      lease.assertHeld();
      assertVersion(headerOf(request, LEDGER_HEADERS.version) ?? "none", version);
    });
    app.addHook("onRoute", (route) => {
      route.config = { ...route.config, isForWorkers: true };
    });
    app.post(LEDGER_PATHS.hello, (request) => workers.hello(read(helloSchema, request), request.tokenName ?? ""));
    app.post(LEDGER_PATHS.beat, (request) => workers.beat(read(beatSchema, request)));
    app.post(LEDGER_PATHS.bye, async (request, reply) => {
      workers.bye(read(byeSchema, request).session);
      return reply.code(204).send();
    });
    app.post(LEDGER_PATHS.messages, { bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
      const { session, ...numbered } = readNumbers(request);
      const answer = await gate(() => workers.answer(session, numbered, readBody(request)));
      return reply
        .headers({ "content-type": MESSAGE_TYPE, ...(answer.isCompressed ? { "content-encoding": ZSTD } : {}) })
        .send(answer.bytes);
    });
  });
}

function assertVersion(worker: string, service: string): void {
  if (worker !== service) {
    throw new LicetError("WORKER_VERSION", `the worker is licet ${worker}, and the service is licet ${service}`, {
      hint: "Give both the same version: what they say to each other is not kept the same between versions.",
      details: { worker, service },
    });
  }
}

function read<Value>(schema: z.ZodType<Value>, { body }: FastifyRequest): Value {
  const parsed = schema.safeParse(body);
  if (!parsed.success) {
    throw new LicetError("REQUEST_INVALID", "the request is not one of a worker");
  }
  return parsed.data;
}

function readNumbers(request: FastifyRequest): { session: string; number: number; done: number } {
  const session = headerOf(request, LEDGER_HEADERS.session) ?? "";
  const number = Number(headerOf(request, LEDGER_HEADERS.number));
  const done = Number(headerOf(request, LEDGER_HEADERS.done));
  if (!Number.isSafeInteger(number) || !Number.isSafeInteger(done) || number < 1 || done >= number) {
    throw new LicetError("REQUEST_INVALID", "the request has no number");
  }
  return { session, number, done };
}

function readBody(request: FastifyRequest): Body {
  const coding = headerOf(request, "content-encoding");
  if (!(request.body instanceof Uint8Array) || (coding !== null && coding !== ZSTD)) {
    throw unsupportedMediaType();
  }
  return { bytes: request.body, isCompressed: coding === ZSTD };
}

function headerOf({ headers }: FastifyRequest, name: string): string | null {
  const value = headers[name];
  return typeof value === "string" ? value : null;
}
