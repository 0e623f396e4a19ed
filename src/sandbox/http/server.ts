/**
 * The HTTP side. The order for each request: route, body, fault, endpoint, fault in the answer, delay, answer. Endpoints are plain functions
 * and have no socket. They change the state before the delay. The change stays if the client disconnects.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { CONTROL_PREFIX, type ControlDeps, handleControl } from "../control/control.ts";
import { type AlteredAnswer, alterAnswer, applyEarlyFault } from "../faults/altered-answer.ts";
import type { FaultName } from "../faults/fault-names.ts";
import type { SandboxState } from "../sandbox-state.ts";
import { type Answer, problemAnswer, Refusal, renderProblem, type SandboxRequest } from "./answer.ts";
import type { Delay } from "./delay.ts";
import { readBody } from "./request-body.ts";
import { createRouter, type Route } from "./router.ts";

/** Long, so that the idle connections of a benchmark stay open. */
const KEEP_ALIVE_MS = 75_000;
/** A URL-encoded URL of 8 kB may take three times as much. */
const MAX_HEADER_BYTES = 65_536;
const NO_BODY = Buffer.alloc(0);

/** What the server needs beside the endpoints' state. */
export interface ServerDeps extends ControlDeps {
  readonly delay: Delay;
}

/** One request in progress. */
interface Exchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly name: string;
  readonly requestId: string;
  fault: FaultName | null;
}

export function createSandboxServer(state: SandboxState, deps: ServerDeps): Server {
  const findRoute = createRouter(state.names.paths);
  let requests = 0;
  let rateLimits = 0;

  const run = (exchange: Exchange, route: Route, request: Omit<SandboxRequest, "fault">) => {
    const fault = state.faults.next(route.group);
    exchange.fault = fault;
    if (fault !== null) {
      const early = applyEarlyFault(fault, clientNow(state), rateLimits);
      if (early !== null) {
        state.faults.countFired(fault);
        if (fault === "status-429") {
          rateLimits += 1;
        }
        if (early.kind === "answer") {
          return deliver(exchange, { answer: early.answer }, state, deps);
        }
        return abandon(exchange, early.kind, state, deps);
      }
    }
    const answer = answerOf(route, { ...request, fault }, state, deps);
    const altered = fault === null || answer.status !== 200 ? null : alterAnswer(fault, answer);
    if (altered !== null && fault !== null) {
      state.faults.countFired(fault);
    }
    if (altered === "reset") {
      return abandon(exchange, "reset", state, deps);
    }
    return deliver(exchange, altered ?? { answer }, state, deps);
  };

  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS },
    (message, response) => {
      requests += 1;
      const requestId = `sb-${requests.toString(36)}`;
      const url = message.url ?? "/";
      const mark = url.indexOf("?");
      const path = mark < 0 ? url : url.slice(0, mark);
      const method = message.method ?? "GET";
      const routed = findRoute(path);
      const exchange: Exchange = {
        message,
        response,
        path,
        name: routed?.route.name ?? "other",
        requestId,
        fault: null,
      };
      if (routed === null) {
        if (path.startsWith(CONTROL_PREFIX)) {
          handleControl(message, response, state, deps);
          return;
        }
        deliver(exchange, { answer: problemAnswer(404, "route-unknown", "this endpoint does not exist") }, state, deps);
        return;
      }
      const { route, segment } = routed;
      if (method !== route.method) {
        const refusal = problemAnswer(405, "method-not-allowed", `use ${route.method} for this endpoint`, [
          "Allow",
          route.method,
        ]);
        deliver(exchange, { answer: refusal }, state, deps);
        return;
      }
      const query = mark < 0 ? "" : url.slice(mark + 1);
      const request = { method, path, segment, query, headers: message.headers, body: NO_BODY };
      if (method === "GET") {
        run(exchange, route, request);
        return;
      }
      readBody(message, state.limits.maxBodyBytes, (body) => {
        if (body !== null) {
          return run(exchange, route, { ...request, body });
        }
        const detail = `the body is larger than ${state.limits.maxBodyBytes} bytes`;
        // The rest of the body is not read, so the connection cannot serve another request.
        deliver(
          exchange,
          { answer: problemAnswer(413, "body-too-large", detail, ["Connection", "close"]) },
          state,
          deps,
        );
      });
    },
  );
  return server;
}

/** A client measures a wait on its own clock, which nobody moved. */
function clientNow({ clock }: SandboxState): number {
  return clock.now() - clock.offsetMs;
}

function answerOf(route: Route, request: SandboxRequest, state: SandboxState, deps: ServerDeps): Answer {
  try {
    return route.endpoint(request, state);
  } catch (error) {
    if (error instanceof Refusal) {
      return error.answer;
    }
    deps.onError(error);
    return problemAnswer(500, "gateway-bug", "the sandbox failed; its log says why");
  }
}

function deliver(exchange: Exchange, altered: AlteredAnswer, state: SandboxState, deps: ServerDeps): void {
  let waitMs = deps.latencyMs();
  if (exchange.fault === "slow") {
    waitMs += state.limits.slowMs;
    state.faults.countFired("slow");
  }
  if (waitMs > 0) {
    deps.delay.after(waitMs, () => send(exchange, altered, state));
  } else {
    send(exchange, altered, state);
  }
}

function send(exchange: Exchange, { answer, cut }: AlteredAnswer, state: SandboxState): void {
  const { response, requestId } = exchange;
  if (response.destroyed) {
    return;
  }
  const { problem } = answer;
  // A string, not a buffer: the server then writes head and body together.
  const body = problem === undefined ? answer.body : renderProblem(answer.status, problem, exchange.path, requestId);
  response.writeHead(answer.status, [
    "Content-Type",
    problem === undefined ? answer.contentType : state.names.problemType,
    "Content-Length",
    String(Buffer.byteLength(body)),
    "X-Request-ID",
    requestId,
    "Date",
    new Date(state.clock.now()).toUTCString(),
    ...(answer.headers ?? []),
  ]);
  if (cut === undefined) {
    state.counts.count(exchange.name, answer.status);
    response.end(body);
    return;
  }
  state.counts.count(exchange.name, "reset");
  response.write(body.slice(0, cut), () => exchange.message.socket.resetAndDestroy());
}

function abandon(exchange: Exchange, how: "reset" | "hang", state: SandboxState, deps: ServerDeps): void {
  state.counts.count(exchange.name, how === "reset" ? "reset" : "timeout");
  if (how === "hang") {
    return;
  }
  const waitMs = deps.latencyMs();
  if (waitMs > 0) {
    deps.delay.after(waitMs, () => exchange.message.socket.resetAndDestroy());
  } else {
    exchange.message.socket.resetAndDestroy();
  }
}
