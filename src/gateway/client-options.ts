/**
 * The options of a GatewayClient. They are checked and completed once. A wrong name or type is an error of the program
 * (USAGE_INVALID). An invalid value of the right type is an error of the configuration (CONFIG_INVALID).
 */
import { type Checks, checkOptions, isFunction, isNullOr, isNumber, isObject, isString } from "../check-options.ts";
import { LicetError } from "../errors.ts";
import { type Clock, systemClock } from "../time/clock.ts";
import {
  DEFAULT_CONCURRENCY,
  DEFAULT_REQUESTS_PER_SECOND,
  DEFAULT_TIMEOUT_MS,
  MAX_CONCURRENCY,
  userAgentOf,
} from "./client-defaults.ts";
import type { Call, Failure } from "./repeatable.ts";
import {
  createProfile,
  type GatewayProfile,
  HEADER_TEMPLATES,
  PATH_TEMPLATES,
  type ProfileOptions,
} from "./service-names.ts";

/** A retry that is about to be waited for. */
export interface RetryEvent {
  readonly call: Call;
  /** 1 for the first retry. */
  readonly attempt: number;
  readonly because: Failure;
  /** The HTTP status of the last answer. Null when none came. */
  readonly status: number | null;
  /** The most retries of this call after failures of this kind. */
  readonly retries: number;
  /** 0 for a 429, because its pause holds for all requests (request-gate.ts). */
  readonly delayMs: number;
  /** When the retry starts at the earliest, in ms from now: `delayMs`, or the pause of all requests after a 429. */
  readonly waitMs: number;
}

/** A request that has ended. It contains no header, no body and no secret. */
export interface RequestEvent {
  readonly call: Call;
  readonly method: "GET" | "POST";
  /** Secrets and page tokens are replaced by `[redacted]`. */
  readonly url: string;
  /** The HTTP status. Null when no answer came. */
  readonly status: number | null;
  /** Why no answer came. Null when one came. */
  readonly failure: string | null;
  /** From the moment at which the client's limits admitted the request. */
  readonly durationMs: number;
}

/** The options of a client. They are resolved once, when it is created. */
export interface GatewayClientOptions extends ProfileOptions {
  /** `http` or `https`, with an optional base path. No other address is ever contacted. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The registered AgentID. */
  readonly agentId: string;
  /** Must contain the AgentID. @default the AgentID and `/1.0` */
  readonly userAgent?: string | undefined;
  /** The most requests in flight over all methods, and the number of connections. @default 64 */
  readonly concurrency?: number | undefined;
  /** Null: no limit. @default 200 */
  readonly requestsPerSecond?: number | null | undefined;
  /**
   * The time until the first byte of an answer, and between two pieces of it. A whole answer may take four times as long.
   * @default 30000
   */
  readonly timeoutMs?: number | undefined;
  /** @default 10000, or timeoutMs if that is less */
  readonly connectTimeoutMs?: number | undefined;
  /** The largest answer that is accepted, after decompression. @default 67108864 (64 MiB) */
  readonly maxAnswerBytes?: number | undefined;
  /** The most retries of a repeatable call. @default 4 */
  readonly retries?: number | undefined;
  readonly clock?: Clock | undefined;
  /** In [0, 1), for jitter. @default Math.random */
  readonly random?: (() => number) | undefined;
  /** Called before each retry. It must not throw. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
  /** Called after each request, for debugging. It must not throw. A getter may turn it on and off. @default nothing is reported */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
}

export interface ResolvedClientOptions {
  readonly origin: string;
  /** Empty, or a path that begins with a slash and does not end with one. */
  readonly basePath: string;
  readonly apiKey: string;
  readonly userAgent: string;
  readonly profile: GatewayProfile;
  readonly concurrency: number;
  readonly requestsPerSecond: number | null;
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly maxAnswerBytes: number;
  readonly retries: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onRetry: (event: RetryEvent) => void;
  /** Read at each request. */
  readonly onRequest: () => ((event: RequestEvent) => void) | undefined;
}

const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;
/** The largest delay of setTimeout. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Visible ASCII with single spaces inside: the values that a header transports unchanged. */
export const HEADER_VALUE = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

const isNames = (value: unknown) => (isObject(value) && !Array.isArray(value) ? null : "must be an object");

const CHECKS: Checks<GatewayClientOptions> = {
  baseUrl: isString,
  apiKey: isString,
  agentId: isString,
  userAgent: isString,
  service: isString,
  headers: isNames,
  paths: isNames,
  licenseIdField: isString,
  concurrency: isNumber,
  requestsPerSecond: isNullOr(isNumber),
  timeoutMs: isNumber,
  connectTimeoutMs: isNumber,
  maxAnswerBytes: isNumber,
  retries: isNumber,
  clock: (value) =>
    isObject(value) && typeof value.now === "function" && typeof value.sleep === "function"
      ? null
      : "must be a clock: {now, sleep}",
  random: isFunction,
  onRetry: isFunction,
  onRequest: isFunction,
};

/** Other keys of `gateway` in a resolved configuration. They are allowed, so that the object can be passed as it is. */
const OF_CONFIGURATIONS: readonly string[] = ["catalogPageSize", "quoteBatchSize", "fee", "reportPermissions"];

/** @throws LicetError CONFIG_INVALID, USAGE_INVALID for wrong names and types; the message never contains the key */
export function resolveClientOptions(given: GatewayClientOptions): ResolvedClientOptions {
  const options = checkOptions<GatewayClientOptions>("GatewayClient", withoutForeignKeys(given), CHECKS, {
    required: ["baseUrl", "apiKey", "agentId"],
  });
  checkOptions("GatewayClient headers", options.headers ?? {}, checksOf(HEADER_TEMPLATES));
  checkOptions("GatewayClient paths", options.paths ?? {}, checksOf(PATH_TEMPLATES));
  const { userAgent = userAgentOf(options.agentId) } = options;
  const { origin, basePath } = splitBaseUrl(options.baseUrl);
  requireHeaderValue("apiKey", options.apiKey);
  requireHeaderValue("userAgent", userAgent);
  if (options.agentId === "" || !userAgent.includes(options.agentId)) {
    throw invalid(
      "userAgent",
      "must contain gateway.agentId, because the gateway identifies the caller by it",
      "Leave userAgent out: then it is the agentId and a version.",
    );
  }
  const { requestsPerSecond = DEFAULT_REQUESTS_PER_SECOND } = options;
  if (requestsPerSecond !== null && !(requestsPerSecond > 0 && Number.isFinite(requestsPerSecond))) {
    throw invalid("requestsPerSecond", "must be more than 0", "Use null for no limit.");
  }
  const timeoutMs = whole("timeoutMs", options.timeoutMs ?? DEFAULT_TIMEOUT_MS, 1, MAX_TIMEOUT_MS);
  const connectTimeoutMs = options.connectTimeoutMs ?? Math.min(DEFAULT_CONNECT_TIMEOUT_MS, timeoutMs);
  return {
    origin,
    basePath,
    apiKey: options.apiKey,
    userAgent,
    profile: createProfile(options),
    concurrency: whole("concurrency", options.concurrency ?? DEFAULT_CONCURRENCY, 1, MAX_CONCURRENCY),
    requestsPerSecond,
    timeoutMs,
    connectTimeoutMs: whole("connectTimeoutMs", connectTimeoutMs, 1, MAX_TIMEOUT_MS),
    maxAnswerBytes: whole("maxAnswerBytes", options.maxAnswerBytes ?? 64 * 1024 * 1024, 1, 2 ** 30),
    retries: whole("retries", options.retries ?? 4, 0, 100),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    onRetry: options.onRetry ?? (() => {}),
    onRequest: () => given.onRequest,
  };
}

function splitBaseUrl(baseUrl: string): { origin: string; basePath: string } {
  const url = URL.parse(baseUrl);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw invalid("baseUrl", "must be an http or https address", 'Write it like "https://gateway.example".');
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw invalid(
      "baseUrl",
      "must have no credentials, query or fragment",
      "The key has an option of its own: apiKey.",
    );
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, "") };
}

function requireHeaderValue(key: "apiKey" | "userAgent", value: string): void {
  if (!HEADER_VALUE.test(value)) {
    throw invalid(
      key,
      value === "" ? "is empty" : "must be visible ASCII: it is sent as a header",
      "Check where the value comes from: it may have a line break or a space at its end.",
    );
  }
}

function whole(key: string, value: number, min: number, max: number): number {
  if (!Number.isSafeInteger(value) || value < min || value > max) {
    throw invalid(key, `must be a whole number from ${min} to ${max}`, "Leave it out to use its default.");
  }
  return value;
}

function invalid(key: string, what: string, hint: string): LicetError {
  return new LicetError("CONFIG_INVALID", `gateway.${key} ${what}`, { hint, details: { key: `gateway.${key}` } });
}

function checksOf<Templates extends object>(templates: Templates): Checks<Templates> {
  return Object.fromEntries(Object.keys(templates).map((name) => [name, isString])) as unknown as Checks<Templates>;
}

function withoutForeignKeys(given: unknown): unknown {
  return isObject(given) && !Array.isArray(given)
    ? Object.fromEntries(Object.entries(given).filter(([name]) => !OF_CONFIGURATIONS.includes(name)))
    : given;
}
