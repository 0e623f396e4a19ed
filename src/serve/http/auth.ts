/** Checks each request before anything else looks at it: its token, its origin, its host. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { SERVE_TOKEN } from "../../act/act.ts";
import type { ServeConfig, ServeToken } from "../../config/config.ts";
import { isLoopback } from "../../config/loopback.ts";
import { isLicetError } from "../../errors.ts";
import type { ServiceContext } from "../service-part.ts";
import { type AccessRequest, type AccessRules, refuseAccess } from "./access.ts";

/** Wrong tokens are logged together, once in this time: a program that tries many must not fill the log. */
const WRONG_TOKEN_LOG_MS = 60_000;

/** Headers by which a proxy says for whom it asks. */
const PROXY_HEADERS = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"] as const;

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
    hasToken: serve.token !== null || serve.tokens.length > 0,
    isLoopback: isLoopback(serve.host),
    isBehindProxy: serve.trustProxy !== false,
  };
  // Probes have no token, and a delivery is checked by its signature.
  const open = new Set([
    ...["/healthz", "/readyz"].flatMap((path) => [`GET ${path}`, `HEAD ${path}`]),
    ...webhooks.map(({ path }) => `POST ${path}`),
  ]);
  const readToken = createTokenReader(serve);
  app.decorateRequest("tokenName", null);
  const countWrong = createWrongTokenLog(log, resources.clock.now);
  app.addHook("onRequest", async (request, reply) => {
    // The pattern of the route that was found, and not the address of the request: nothing can be spelled past it.
    if (open.has(`${request.method} ${request.routeOptions.url}`)) {
      return;
    }
    const { name, ...token } = readToken(request.headers.authorization);
    const subject = toAccessRequest(request, token);
    const refusal = refuseAccess(rules, subject);
    if (refusal === null) {
      request.tokenName = name;
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

function toAccessRequest(request: FastifyRequest, token: Pick<AccessRequest, "token" | "readsAs">): AccessRequest {
  const { headers } = request;
  return {
    method: request.method,
    ...token,
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

interface ReadToken extends Pick<AccessRequest, "token" | "readsAs"> {
  /** Null: it is none of the configuration. */
  readonly name: string | null;
}

/**
 * Compares digests, which have one length, so that neither the text nor the length of a token shows in the time it takes. Every token is
 * compared, so that it does not show either which one it was.
 */
function createTokenReader({ token, tokens }: ServeConfig): (header: string | undefined) => ReadToken {
  const unnamed: readonly ServeToken[] = token === null ? [] : [{ name: SERVE_TOKEN, token, can: "act" }];
  const known = [...unnamed, ...tokens].map((one) => ({ ...one, digest: digest(Buffer.from(one.token, "utf8")) }));
  return (header) => {
    if (header === undefined) {
      return { token: "none", name: null, readsAs: null };
    }
    // Node reads headers as Latin-1. This gives back the bytes that were sent.
    const given = digest(Buffer.from(/^bearer +(.+)$/i.exec(header)?.[1] ?? "", "latin1"));
    const [found] = known.filter((one) => timingSafeEqual(one.digest, given));
    return found === undefined
      ? { token: "wrong", name: null, readsAs: null }
      : { token: "right", name: found.name, readsAs: found.can === "read" ? found.name : null };
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
