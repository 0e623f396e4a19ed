/**
 * Every error of the HTTP interface is a problem document (RFC 9457) with the code, the hint and the details of licet's own errors.
 * An error that licet does not expect is logged with an id, and the answer has the id and nothing else.
 */
import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type ErrorCode, isLicetError, LicetError } from "../../errors.ts";
import { toPrintedJson } from "../../printed-json.ts";
import type { ServiceLog } from "../log/service-log.ts";
import { HTTP_STATUS } from "./http-status.ts";

/** What every problem document has. The answers to webhook deliveries have no more. */
interface BareProblem {
  /** `about:blank`: `title` says what the status says. */
  readonly type: "about:blank";
  readonly title: string;
  readonly status: number;
  /** What happened, to what. */
  readonly detail: string;
}

/** A problem document of an error: `code` tells the errors apart. */
export interface Problem extends BareProblem {
  readonly code: ErrorCode;
  /** What to do. */
  readonly hint?: string;
  /** By the code. */
  readonly details: object;
}

/** What a client is told to wait when the service cannot do something now. */
const RETRY_AFTER_S = 5;
export const PROBLEM_TYPE = "application/problem+json";
/** fastify's own errors that have a code of licet. Any other 4xx of fastify is REQUEST_INVALID. */
const FRAMEWORK_ERRORS: Readonly<Record<string, (error: FastifyError, limitBytes: number) => LicetError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: (_error, limitBytes) =>
    new LicetError("BODY_TOO_LARGE", `the body is longer than ${limitBytes} bytes`, { details: { limitBytes } }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => unsupportedMediaType(),
};

export function toProblem(error: LicetError): Problem {
  const { code, message, hint, details } = error;
  const status = HTTP_STATUS[code];
  return { ...toBareProblem(status, message), code, ...(hint === undefined ? {} : { hint }), details };
}

function toBareProblem(status: number, detail: string): BareProblem {
  return { type: "about:blank", title: STATUS_CODES[status] ?? "Error", status, detail };
}

/** How a person sees an error whose browser asked for a page. */
export interface ProblemPages {
  areFor(request: FastifyRequest): boolean;
  /** @param reply with the status of the error */
  send(request: FastifyRequest, reply: FastifyReply, error: LicetError): void;
}

/** Must be added before any route. */
export function addProblems(app: FastifyInstance, log: ServiceLog, pages: ProblemPages | null = null): void {
  const answer = (request: FastifyRequest, reply: FastifyReply, error: LicetError) => {
    if (pages?.areFor(request) === true) {
      pages.send(request, prepare(reply, error), error);
    } else {
      sendProblem(reply, error);
    }
  };
  app.setErrorHandler((error: FastifyError, request, reply) =>
    answer(request, reply, toLicetError(error, request.routeOptions.bodyLimit ?? 0, log)),
  );
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request);
    answer(
      request,
      reply,
      new LicetError("ROUTE_NOT_FOUND", `${request.method} ${path} is not an address of this service`, {
        hint: "GET /api/v1/openapi.json lists the addresses.",
        details: { method: request.method, path },
      }),
    );
  });
}

export function sendProblem(reply: FastifyReply, error: LicetError): void {
  send(prepare(reply, error), toProblem(error));
}

function prepare(reply: FastifyReply, error: LicetError): FastifyReply {
  const status = HTTP_STATUS[error.code];
  if (status === 503 && !reply.hasHeader("retry-after")) {
    reply.header("retry-after", String(RETRY_AFTER_S));
  }
  return reply.code(status);
}

/** For an answer that must not say more than what happened. */
export function sendBareProblem(reply: FastifyReply, status: number, detail: string): FastifyReply {
  return send(reply, toBareProblem(status, detail));
}

function send(reply: FastifyReply, problem: BareProblem): FastifyReply {
  // A string, so that no response schema of the route changes it.
  return reply.code(problem.status).header("content-type", PROBLEM_TYPE).send(toPrintedJson(problem));
}

export function unsupportedMediaType(): LicetError {
  return new LicetError("MEDIA_TYPE_UNSUPPORTED", "the body is not JSON in UTF-8", {
    hint: "Send the body with the header: Content-Type: application/json",
  });
}

function toLicetError(error: FastifyError, limitBytes: number, log: ServiceLog): LicetError {
  if (isLicetError(error)) {
    return error;
  }
  const known = FRAMEWORK_ERRORS[error.code]?.(error, limitBytes);
  if (known !== undefined) {
    return known;
  }
  // fastify's messages about a body do not repeat the body.
  return error.statusCode !== undefined && error.statusCode < 500
    ? new LicetError("REQUEST_INVALID", `the request cannot be read: ${error.message}`)
    : internalError(error, log);
}

/** Logs an unexpected error. The error that it returns says nothing but where to look. */
export function internalError(error: Error, log: ServiceLog): LicetError {
  const errorId = randomUUID();
  log.warn("an unexpected error in the HTTP interface; please report it", {
    errorId,
    error: error.stack ?? String(error),
  });
  return new LicetError("INTERNAL_ERROR", "the service met an error that it does not expect", {
    hint: `Look for ${errorId} in the log of the service.`,
    details: { errorId },
  });
}

/** Without the query, which may hold what does not belong into an answer or a log. */
export function pathOf({ url }: FastifyRequest): string {
  return url.split("?", 1)[0] ?? "";
}
