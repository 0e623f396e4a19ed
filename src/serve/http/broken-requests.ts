/**
 * What no route should see: an address that cannot be decoded or is not a path, bytes that are not HTTP, two hosts, a request that does not
 * end. Whoever sends slowly, goes on to send what nobody reads, or does not read the answer, keeps a connection only for a short time.
 */
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FastifyHttpOptions, FastifyInstance, RawServerDefault } from "fastify";
import { LicetError } from "../../errors.ts";
import type { Clock } from "../../time/clock.ts";
import { PROBLEM_TYPE, sendProblem, toProblem } from "./problem.ts";
import { SAFETY_HEADERS } from "./safety-headers.ts";

export interface ArrivalLimits {
  /** The headers must have arrived within this time from the beginning of the connection or of the request. */
  readonly headersMs: number;
  /** The whole request must have arrived within this time. Answers may take longer. */
  readonly requestMs: number;
  /** How often these times are looked at. Node's own interval, 30 seconds, would make both limits longer by as much. */
  readonly checkMs: number;
  /** A sender that was answered before its body was read may go on for so long, so that it can read the answer. */
  readonly answeredMs: number;
  /** An answer of which nothing more was taken for so long is given up: until then, it is held in memory. */
  readonly untakenMs: number;
}

/** Requests of one connection before the answer to the first. No browser sends one before it was answered; few programs do. */
const MAX_PIPELINED = 4;

export const ARRIVAL_LIMITS: ArrivalLimits = {
  headersMs: 10_000,
  requestMs: 20_000,
  checkMs: 1_000,
  answeredMs: 1_000,
  untakenMs: 30_000,
};

export function brokenRequestOptions(
  limits: ArrivalLimits,
): Pick<FastifyHttpOptions<RawServerDefault>, "requestTimeout" | "http" | "frameworkErrors" | "clientErrorHandler"> {
  return {
    requestTimeout: limits.requestMs,
    http: { headersTimeout: limits.headersMs, connectionsCheckingInterval: limits.checkMs },
    frameworkErrors: (_error, _request, reply) => {
      // No hook has run for such a request.
      reply.headers(SAFETY_HEADERS);
      sendProblem(reply, new LicetError("REQUEST_INVALID", "the address of the request cannot be decoded"));
    },
    clientErrorHandler: (error, socket) => {
      // Browsers open connections before they have a request, and would take what comes for the answer to the one they send just then.
      const isUnused = error.code === "ERR_HTTP_REQUEST_TIMEOUT" && socket.bytesRead === 0;
      if (isUnused || error.code === "ECONNRESET" || !socket.writable) {
        socket.destroy();
        return;
      }
      socket.write(
        toBareAnswer(new LicetError("REQUEST_INVALID", "what was sent is not an HTTP request, or did not end in time")),
      );
      // The other side need not close it too.
      socket.destroySoon();
    },
  };
}

function toBareAnswer(error: LicetError): string {
  const problem = toProblem(error);
  const body = JSON.stringify(problem);
  return [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}

/** Must be added before any route. */
export function addArrivalChecks(app: FastifyInstance, clock: Pick<Clock, "sleep">, limits: ArrivalLimits): void {
  app.addHook("onRequest", async ({ raw }) => {
    const hosts = raw.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === "host").length;
    // Node takes the first one. A proxy before the service may have looked at another one.
    if (hosts > 1) {
      throw new LicetError("REQUEST_INVALID", "the request has the header Host more than once");
    }
    if (raw.url?.startsWith("/") !== true) {
      throw new LicetError(
        "REQUEST_INVALID",
        "what the request asks for is not a path: its host belongs into the header Host",
      );
    }
  });
  // Answers leave a connection in the order of its requests, so those behind an answer that nobody reads wait in memory.
  const underway = new WeakMap<Socket, number>();
  app.addHook("onRequest", async ({ raw: { socket } }, reply) => {
    const ahead = underway.get(socket) ?? 0;
    underway.set(socket, ahead + 1);
    if (ahead >= MAX_PIPELINED) {
      socket.destroy();
      return reply.hijack();
    }
  });
  app.addHook("onResponse", async ({ raw: { socket } }) => {
    underway.set(socket, (underway.get(socket) ?? 1) - 1);
  });
  // With the end of the answer, node sets another time for the connection.
  app.addHook("onSend", async (_request, { raw }) => {
    raw.socket?.setTimeout(limits.untakenMs);
  });
  app.addHook("onResponse", async ({ raw }) => {
    if (!raw.complete) {
      void closeUnread(raw, clock, limits.answeredMs);
    }
  });
}

/** The answer is sent, and the rest of the body is thrown away as it comes. */
async function closeUnread(raw: IncomingMessage, clock: Pick<Clock, "sleep">, answeredMs: number): Promise<void> {
  const over = new AbortController();
  raw.once("close", () => over.abort());
  await clock.sleep(answeredMs, over.signal);
  if (!raw.complete) {
    raw.destroy();
  }
}
