/**
 * Who may do what over HTTP. Reading is open on loopback and needs a token anywhere else. An action (any method but GET and HEAD)
 * always needs a token that may act. A session of a browser counts as its token. Requests that a browser sends for a page of another origin are refused, with or without a token. Decision
 * 0038 says why.
 */
import { LicetError } from "../../errors.ts";
import { isLoopback } from "../../loopback.ts";

export interface AccessRules {
  readonly hasToken: boolean;
  /** Whether only this machine reaches the address that the service listens on. */
  readonly isLoopback: boolean;
  /** `serve.trustProxy` is set: what reaches the service may come from other machines, although it listens on loopback. */
  readonly isBehindProxy: boolean;
}

/** What the decision needs of a request. A header that was not sent is undefined. */
export interface AccessRequest {
  readonly method: string;
  /** What is asked for needs no token, such as the login. */
  readonly isOpen: boolean;
  /** The token that the request carries: none, one of the configuration, or another one. */
  readonly token: "none" | "right" | "wrong";
  /** A token of the configuration that may only read: its name. Null: it may act, or it is none of the configuration. */
  readonly readsAs: string | null;
  /** A token of the configuration that is for workers alone: its name. */
  readonly worksAs: string | null;
  /** It goes to the ledger for workers (`/ledger/v1`). */
  readonly isForWorkers: boolean;
  /** The header `Host`. */
  readonly host: string | undefined;
  /** Host and port as the client sees them: behind a trusted proxy, those of the proxy. */
  readonly publicHost: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site` and `Sec-Fetch-Mode`: a browser says where the request comes from. */
  readonly fetchSite: string | undefined;
  readonly fetchMode: string | undefined;
  /** A proxy has added a header such as `X-Forwarded-For`. */
  readonly isForwarded: boolean;
}

const SET_TOKEN = "Set serve.token in the configuration, and send it as: Authorization: Bearer TOKEN";
const SEND_TOKEN = "Send serve.token, or one of serve.tokens, as: Authorization: Bearer TOKEN";
const SEND_WORKING = "Send a token of serve.tokens with can: work (licet worker: --token-file or LICET_WORKER_TOKEN).";
const SEND_ACTING = "Send serve.token, or a token of serve.tokens with can: act.";

/** Why the request is refused. Null: it is allowed. */
export function refuseAccess(rules: AccessRules, request: AccessRequest): LicetError | null {
  if (isForeign(request)) {
    return new LicetError("ORIGIN_REFUSED", "the request was sent by a page of another origin", {
      hint: "Call the service from a program, or from a page of the service itself.",
    });
  }
  if (request.isOpen) {
    return null;
  }
  if (request.token === "wrong") {
    const hint = request.isForWorkers ? SEND_WORKING : SEND_TOKEN;
    return new LicetError("TOKEN_REQUIRED", "the token is wrong", { hint });
  }
  return request.token === "right"
    ? (refuseOtherRight(request) ?? refuseReader(request))
    : refuseWithoutToken(rules, request);
}

/** Least right: a worker can do nothing but work, and who may read or act does not work. */
function refuseOtherRight({ worksAs, isForWorkers }: AccessRequest): LicetError | null {
  if ((worksAs !== null) === isForWorkers) {
    return null;
  }
  return isForWorkers
    ? new LicetError("TOKEN_OTHER_RIGHT", "the token is not one of a worker", {
        hint: SEND_WORKING,
      })
    : new LicetError("TOKEN_OTHER_RIGHT", `the token ${worksAs} is for workers alone`, { hint: SEND_ACTING });
}

function refuseReader({ method, readsAs }: AccessRequest): LicetError | null {
  return readsAs !== null && isAction(method)
    ? new LicetError("TOKEN_READ_ONLY", `the token ${readsAs} may only read, and ${method} acts`, { hint: SEND_ACTING })
    : null;
}

export function isAction(method: string): boolean {
  return method !== "GET" && method !== "HEAD";
}

function refuseWithoutToken(rules: AccessRules, request: AccessRequest): LicetError | null {
  const isFromElsewhere = !rules.isLoopback || rules.isBehindProxy || request.isForwarded;
  const acts = isAction(request.method);
  if (acts || isFromElsewhere) {
    const what = acts ? "an action" : "a request from another machine or through a proxy";
    return rules.hasToken
      ? new LicetError("TOKEN_REQUIRED", `${what} needs the token`, { hint: SEND_TOKEN })
      : new LicetError("TOKEN_NOT_SET", `${what} needs a token, and none is configured`, { hint: SET_TOKEN });
  }
  // A page whose name was made to point at this machine (DNS rebinding) is of the same origin for its browser. Only its Host tells.
  if (!isLoopbackHost(request.host)) {
    return new LicetError("HOST_REFUSED", "the request names a host that is not this machine", {
      hint: "Use localhost or 127.0.0.1 as the host, or send the token.",
    });
  }
  return null;
}

function isForeign({ method, origin, publicHost, fetchSite, fetchMode }: AccessRequest): boolean {
  if (origin !== undefined && !isOriginOf(origin, publicHost)) {
    return true;
  }
  // A person may follow a link to the service. `same-site` is another port of this machine, and perhaps another program.
  const isLink = method === "GET" && fetchMode === "navigate";
  return (fetchSite === "cross-site" || fetchSite === "same-site") && !isLink;
}

function isOriginOf(origin: string, publicHost: string | undefined): boolean {
  const page = URL.parse(origin);
  const service = page === null ? null : URL.parse(`${page.protocol}//${publicHost}`);
  return page !== null && service !== null && page.host !== "" && page.host === service.host;
}

/** The port is not compared: a tunnel (`ssh -L`) has another one, and the name alone shows a rebound page. */
function isLoopbackHost(host: string | undefined): boolean {
  const url = host === undefined || !/^[\w.:[\]-]+$/.test(host) ? null : URL.parse(`http://${host}`);
  return url !== null && isLoopback(url.hostname);
}
