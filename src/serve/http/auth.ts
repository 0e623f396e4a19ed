/** Checks each request before anything else looks at it: its token, its origin, its host. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { isLoopback } from "../../config/loopback.ts";
import { isLicetError } from "../../errors.ts";
import type { ServiceContext } from "../service-part.ts";
import { type AccessRequest, type AccessRules, refuseAccess } from "./access.ts";

/** Wrong tokens are logged together, once in this time: a program that tries many must not fill the log. */
const WRONG_TOKEN_LOG_MS = 60_000;

/** Headers by which a proxy says for whom it asks. */
const PROXY_HEADERS = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"] as const;

/** The name of `serve.token`, in what it does. */
const SERVE_TOKEN = "serve.token";

declare module "fastify" {
  interface FastifyRequest {
    /** The name of the token that came with the request: whoever acts is known by it. Null: none came. */
    tokenName: string | null;
  }
}

interface AuthContext extends Pick<ServiceContext, "config" | "log"> {
  readonly resources: Pick<ServiceContext["resources"], "clock">;
}

/** Must be added before any route. Its errors become problem documents (`http-problem.ts`). */
export function addAuth(app: FastifyInstance, { config, log, resources }: AuthContext): void {
  const { serve, webhooks } = config;
  const rules: AccessRules = {
    hasToken: serve.token !== null,
    isLoopback: isLoopback(serve.host),
    isBehindProxy: serve.trustProxy !== false,
  };
  // Probes have no token, and a delivery is checked by its signature.
  const open = new Set([
    ...["/healthz", "/readyz"].flatMap((path) => [`GET ${path}`, `HEAD ${path}`]),
    ...webhooks.map(({ path }) => `POST ${path}`),
  ]);
  const readToken = createTokenReader(serve.token);
  app.decorateRequest("tokenName", null);
  const countWrong = createWrongTokenLog(log, resources.clock.now);
  app.addHook("onRequest", async (request, reply) => {
    // The pattern of the route that was found, and not the address of the request: nothing can be spelled past it.
    if (open.has(`${request.method} ${request.routeOptions.url}`)) {
      return;
    }
    const subject = toAccessRequest(request, readToken(request.headers.authorization));
    const refusal = refuseAccess(rules, subject);
    if (refusal === null) {
      request.tokenName = subject.token === "right" ? SERVE_TOKEN : null;
      return;
    }
    if (subject.token === "wrong") {
      countWrong(request.ip);
    }
    if (isLicetError(refusal, "TOKEN_REQUIRED")) {
      reply.header("www-authenticate", 'Bearer realm="licet"');
    }
    throw refusal;
  });
}

function toAccessRequest(request: FastifyRequest, token: AccessRequest["token"]): AccessRequest {
  const { headers } = request;
  return {
    method: request.method,
    token,
    host: headers.host,
    publicHost: request.host,
    origin: headers.origin,
    fetchSite: toText(headers["sec-fetch-site"]),
    fetchMode: toText(headers["sec-fetch-mode"]),
    isForwarded: PROXY_HEADERS.some((name) => headers[name] !== undefined),
  };
}

/** Node joins a repeated header, so that it equals none of the known words. */
const toText = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(", ") : value;

/** Compares digests, which have one length, so that neither the text nor the length of the token shows in the time it takes. */
function createTokenReader(token: string | null): (header: string | undefined) => AccessRequest["token"] {
  const expected = token === null ? null : digest(Buffer.from(token, "utf8"));
  return (header) => {
    if (header === undefined) {
      return "none";
    }
    const given = /^bearer +(.+)$/i.exec(header)?.[1];
    // Node reads headers as Latin-1. This gives back the bytes that were sent.
    const isRight =
      expected !== null && given !== undefined && timingSafeEqual(expected, digest(Buffer.from(given, "latin1")));
    return isRight ? "right" : "wrong";
  };
}

function digest(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/** Nobody is locked out: a long token cannot be guessed, and a lock would let anybody lock out everybody else. */
function createWrongTokenLog(log: ServiceContext["log"], now: () => number): (address: string) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let unlogged = 0;
  return (address) => {
    unlogged++;
    const at = now();
    if (Math.abs(at - loggedAt) >= WRONG_TOKEN_LOG_MS) {
      log.warn("a request with a wrong token was refused", { address, refused: unlogged });
      loggedAt = at;
      unlogged = 0;
    }
  };
}
