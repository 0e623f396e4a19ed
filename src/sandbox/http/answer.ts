import type { FaultName } from "../faults/fault-names.ts";

/** The result of an endpoint. Only the server uses the socket. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** Further header names and values, alternating. */
  readonly headers?: readonly string[];
  /** Set on an error: the server completes it with the request's path and id. */
  readonly problem?: Problem;
}

/** The parts of an RFC 9457 error that the endpoint knows. */
export interface Problem {
  /** Short stable name, the end of the `type` URI. */
  readonly code: string;
  readonly detail: string;
}

/** One request, read to its end. */
export interface SandboxRequest {
  readonly method: string;
  /** The raw path, without the query. */
  readonly path: string;
  /** The raw, still encoded segment of a page or a site. Empty when the route has none. */
  readonly segment: string;
  /** The raw query, without `?`. */
  readonly query: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
  /** The fault of this request, if any. Endpoints handle their own faults and ignore the others. */
  readonly fault: FaultName | null;
}

export const JSON_TYPE = "application/json";
const NO_BODY = "";

/** A successful answer. The text must be JSON already. */
export function jsonAnswer(body: string): Answer {
  return { status: 200, contentType: JSON_TYPE, body };
}

/** What an endpoint throws, and what its checks throw, where the answer is an error. */
export class Refusal extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(answer.problem?.detail);
    this.answer = answer;
  }
}

/** @throws Refusal with the parts of `problemAnswer` */
export function refuse(status: number, code: string, detail: string): never {
  throw new Refusal(problemAnswer(status, code, detail));
}

/** An error answer. The detail must never contain a key or a token. */
export function problemAnswer(status: number, code: string, detail: string, headers?: readonly string[]): Answer {
  const problem = { code, detail };
  return headers === undefined
    ? { status, contentType: "", body: NO_BODY, problem }
    : { status, contentType: "", body: NO_BODY, problem, headers };
}

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  413: "Content Too Large",
  414: "URI Too Long",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
};

/** A longer instance is cut, because an error must not repeat a request of any size. */
const MAX_INSTANCE_CHARS = 2_000;

/** The JSON of an error. */
export function renderProblem(status: number, problem: Problem, path: string, requestId: string): string {
  return JSON.stringify({
    type: `urn:problem:${problem.code}`,
    title: TITLES[status] ?? "Error",
    status,
    detail: problem.detail,
    instance: path.slice(0, MAX_INSTANCE_CHARS),
    code: problem.code,
    requestId,
  });
}
