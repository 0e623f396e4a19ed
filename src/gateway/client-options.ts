/** The options of a GatewayClient. They are checked and completed once. */
import { LicetError } from "../errors.ts";
import { type Clock, systemClock } from "../time/clock.ts";
import {
  DEFAULT_CONCURRENCY,
  DEFAULT_REQUESTS_PER_SECOND,
  DEFAULT_TIMEOUT_MS,
  MAX_CONCURRENCY,
} from "./client-defaults.ts";
import { checkOptionTypes } from "./client-option-types.ts";
import type { Call, Failure } from "./repeatable.ts";
import { createProfile, type GatewayProfile, type ProfileOptions } from "./service-names.ts";

/** A retry that is about to be waited for. */
export interface RetryEvent {
  readonly call: Call;
  /** 1 for the first retry. */
  readonly attempt: number;
  readonly because: Failure;
  /** 0 for a 429, because its pause holds for all requests (request-gate.ts). */
  readonly delayMs: number;
}

/** The options of a client. They are resolved once, when it is created. */
export interface GatewayClientOptions extends ProfileOptions {
  /** `http` or `https`, with an optional base path. No other address is ever contacted. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The registered AgentID. */
  readonly agentId: string;
  /** Must contain the AgentID (gateway-spec § Authentication). */
  readonly userAgent: string;
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
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
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
}

const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;
/** The largest delay of setTimeout. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Visible ASCII with single spaces inside: the values that a header transports unchanged. */
const HEADER_VALUE = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

/** @throws LicetError CONFIG_INVALID, USAGE_INVALID for wrong names and types; the message never contains the key */
export function resolveClientOptions(options: GatewayClientOptions): ResolvedClientOptions {
  checkOptionTypes(options);
  const { origin, basePath } = splitBaseUrl(options.baseUrl);
  requireHeaderValue("apiKey", options.apiKey);
  requireHeaderValue("userAgent", options.userAgent);
  if (options.agentId === "" || !options.userAgent.includes(options.agentId)) {
    throw invalid("userAgent", "must contain gateway.agentId, because the gateway identifies the caller by it");
  }
  const { requestsPerSecond = DEFAULT_REQUESTS_PER_SECOND } = options;
  if (requestsPerSecond !== null && !(requestsPerSecond > 0 && Number.isFinite(requestsPerSecond))) {
    throw invalid("requestsPerSecond", "must be more than 0; use null for no limit");
  }
  const timeoutMs = whole("timeoutMs", options.timeoutMs ?? DEFAULT_TIMEOUT_MS, 1, MAX_TIMEOUT_MS);
  const connectTimeoutMs = options.connectTimeoutMs ?? Math.min(DEFAULT_CONNECT_TIMEOUT_MS, timeoutMs);
  return {
    origin,
    basePath,
    apiKey: options.apiKey,
    userAgent: options.userAgent,
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
  };
}

function splitBaseUrl(baseUrl: string): { origin: string; basePath: string } {
  const url = URL.parse(baseUrl);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw invalid("baseUrl", "must be an http or https address");
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw invalid("baseUrl", "must have no credentials, query or fragment");
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, "") };
}

function requireHeaderValue(key: "apiKey" | "userAgent", value: string): void {
  if (!HEADER_VALUE.test(value)) {
    throw invalid(key, "must be visible ASCII: it is sent as a header");
  }
}

function whole(key: string, value: number, min: number, max: number): number {
  if (!Number.isSafeInteger(value) || value < min || value > max) {
    throw invalid(key, `must be a whole number from ${min} to ${max}`);
  }
  return value;
}

function invalid(key: string, what: string): LicetError {
  return new LicetError("CONFIG_INVALID", `gateway.${key} ${what}`, { details: { key: `gateway.${key}` } });
}
