/** Answers what no route ever sees: an address that cannot be decoded, bytes that are not HTTP, a request that does not end. */
import { STATUS_CODES } from "node:http";
import type { FastifyServerOptions } from "fastify";
import { LicetError } from "../../errors.ts";
import { PROBLEM_TYPE, sendProblem, toProblem } from "./problem.ts";
import { SAFETY_HEADERS } from "./safety-headers.ts";

/** The longest time in which a request must have arrived, headers and body. Answers may take longer. */
const REQUEST_MS = 30_000;

export const BROKEN_REQUEST_OPTIONS: Pick<
  FastifyServerOptions,
  "requestTimeout" | "frameworkErrors" | "clientErrorHandler"
> = {
  requestTimeout: REQUEST_MS,
  frameworkErrors: (_error, _request, reply) => {
    // No hook has run for such a request.
    reply.headers(SAFETY_HEADERS);
    sendProblem(reply, new LicetError("REQUEST_INVALID", "the address of the request cannot be decoded"));
  },
  clientErrorHandler: (error, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const problem = toProblem(
      new LicetError("REQUEST_INVALID", "what was sent is not an HTTP request, or did not end in time"),
    );
    const body = JSON.stringify(problem);
    socket.end(
      [
        `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
        `Content-Type: ${PROBLEM_TYPE}`,
        `Content-Length: ${Buffer.byteLength(body)}`,
        "Connection: close",
        "",
        body,
      ].join("\r\n"),
    );
  },
};
