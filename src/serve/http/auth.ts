/** Checks each request before anything else looks at it: its token or its session, its origin, its host. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ServeToken } from "../../config/config.ts";
import { isLicetError } from "../../errors.ts";
import { isLoopback } from "../../loopback.ts";
import type { ServiceContext } from "../service-part.ts";
import type { Session } from "../web/session/session.ts";
import { readCookie } from "../web/session/session-cookie.ts";
import { type AccessRequest, type AccessRules, isAction, refuseAccess } from "./access.ts";
import type { Keys } from "./keys.ts";

/** Headers by which a proxy says for whom it asks. */
const PROXY_HEADERS = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"] as const;

declare module "fastify" {
  interface FastifyRequest {
    /** The name of the token that came with the request: whoever acts is known by it. Null: none came. */
    tokenName: string | null;
    /** The session of a browser. Null: there is none, or the request has a token itself. */
    session: Session | null;
  }
  interface FastifyContextConfig {
    /** The route needs no token, such as that of the login. A page of another origin may still not ask for it. */
    readonly isOpen?: boolean;
    /** The route is a page's: it takes the session of a browser also for an action, and checks its form itself. */
    readonly takesForms?: boolean;
    /** The route is of the ledger for workers: it takes their tokens, and no other one. */
    readonly isForWorkers?: boolean;
  }
}

/** Must be added before any route. Its errors become problem documents (`http-problem.ts`). */
export function addAuth(app: FastifyInstance, { config }: Pick<ServiceContext, "config">, keys: Keys): void {
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
  app.decorateRequest("tokenName", null);
  app.decorateRequest("session", null);
  app.addHook("onRequest", async (request, reply) => {
    // The pattern of the route that was found, and not the address of the request: nothing can be spelled past it.
    if (open.has(`${request.method} ${request.routeOptions.url}`)) {
      return;
    }
    const given = readKey(request, keys);
    const subject = toAccessRequest(request, given);
    const refusal = refuseAccess(rules, subject);
    if (refusal === null) {
      request.tokenName = given.key?.name ?? null;
      request.session = given.session;
      return;
    }
    if (subject.token === "wrong") {
      keys.wrongTokens.count(request.ip);
    }
    if (isLicetError(refusal, "TOKEN_REQUIRED")) {
      reply.header("www-authenticate", 'Bearer realm="licet"');
    }
    throw refusal;
  });
}

interface GivenKey {
  readonly isGiven: boolean;
  /** Null: none, or none of the configuration. */
  readonly key: Pick<ServeToken, "name" | "can"> | null;
  readonly session: Session | null;
}

/** A session that is over is none: the browser goes to the login. A wrong token is an error of the program that sent it. */
function readKey(request: FastifyRequest, { tokens, sessions }: Keys): GivenKey {
  const header = request.headers.authorization;
  if (header !== undefined) {
    // Node reads headers as Latin-1. This gives back the bytes that were sent.
    const token = Buffer.from(/^bearer +(.+)$/i.exec(header)?.[1] ?? "", "latin1");
    return { isGiven: true, key: tokens.find(token), session: null };
  }
  const cookie = mayUseSession(request) ? readCookie(request) : null;
  const session = cookie === null ? null : sessions.read(cookie);
  return { isGiven: session !== null, key: session, session };
}

/** A browser sends its cookie with every request, whoever made it ask. So only a form, which is checked, acts by it. */
function mayUseSession({ method, routeOptions }: FastifyRequest): boolean {
  const { isOpen = false, takesForms = false } = routeOptions.config;
  return !isAction(method) || isOpen || takesForms;
}

function toAccessRequest(request: FastifyRequest, { isGiven, key }: GivenKey): AccessRequest {
  const { headers } = request;
  return {
    method: request.method,
    isOpen: request.routeOptions.config.isOpen ?? false,
    token: key !== null ? "right" : isGiven ? "wrong" : "none",
    readsAs: key?.can === "read" ? key.name : null,
    worksAs: key?.can === "work" ? key.name : null,
    isForWorkers: request.routeOptions.config.isForWorkers ?? false,
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
