/** The options of a GatewayClient: read once, checked, complete from there on. */
import { LicetError } from "../errors.ts";
import { type Clock, systemClock } from "../time/clock.ts";
import { checkOptionTypes } from "./client-option-types.ts";
import type { Call, Failure } from "./repeatable.ts";
import { createProfile, type GatewayProfile, type ProfileOptions } from "./service-names.ts";

/** A repetition that is about to be waited for. */
export interface RetryEvent {
  readonly call: Call;
  /** 1 for the first repetition. */
  readonly attempt: number;
  readonly because: Failure;
  /** 0 for a 429: the pause is everybody's, at the gate. */
  readonly delayMs: number;
}

/** What a client needs, and what it may be told. Resolved once, when it is made. */
export interface GatewayClientOptions extends ProfileOptions {
  /** `http` or `https`, with a base path if need be. Nothing else is ever contacted. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The registered AgentID. */
  readonly agentId: string;
  /** Must contain the AgentID (gateway-spec § Authentication). */
  readonly userAgent: string;
  /** Requests in flight at most, over all methods; also the number of connections. @default 64 */
  readonly concurrency?: number | undefined;
  /** null: no limit. @default 200 */
  readonly requestsPerSecond?: number | null | undefined;
  /** Until the first byte of an answer, and between two pieces of it. In all an answer may take four times as long. @default 30000 */
  readonly timeoutMs?: number | undefined;
  /** @default 10000, or timeoutMs if that is less */
  readonly connectTimeoutMs?: number | undefined;
  /** The largest answer that is read, after decompression. @default 67108864 (64 MiB) */
  readonly maxAnswerBytes?: number | undefined;
  /** How often a repeatable call is sent again. @default 4 */
  readonly retries?: number | undefined;
  readonly clock?: Clock | undefined;
  /** In [0, 1), for jitter. @default Math.random */
  readonly random?: (() => number) | undefined;
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
}

export interface ResolvedClientOptions {
  readonly origin: string;
  /** Empty, or a path that begins with a slash and ends without one. */
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
const MAX_CONCURRENCY = 4096;
/** What setTimeout can count. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Visible ASCII with single spaces inside: what a header value may hold without being changed on the way. */
const HEADER_VALUE = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

/** @throws LicetError CONFIG_INVALID, USAGE_INVALID for wrong names and types; never with the key in it */
export function resolveClientOptions(options: GatewayClientOptions): ResolvedClientOptions {
  checkOptionTypes(options);
  const { origin, basePath } = splitBaseUrl(options.baseUrl);
  requireHeaderValue("apiKey", options.apiKey);
  requireHeaderValue("userAgent", options.userAgent);
  if (options.agentId === "" || !options.userAgent.includes(options.agentId)) {
    throw invalid("userAgent", "must contain gateway.agentId, by which the gateway knows its caller");
  }
  const { requestsPerSecond = 200 } = options;
  if (requestsPerSecond !== null && !(requestsPerSecond > 0 && Number.isFinite(requestsPerSecond))) {
    throw invalid("requestsPerSecond", "must be more than 0; leave the limit away with null");
  }
  const timeoutMs = whole("timeoutMs", options.timeoutMs ?? 30_000, 1, MAX_TIMEOUT_MS);
  const connectTimeoutMs = options.connectTimeoutMs ?? Math.min(DEFAULT_CONNECT_TIMEOUT_MS, timeoutMs);
  return {
    origin,
    basePath,
    apiKey: options.apiKey,
    userAgent: options.userAgent,
    profile: createProfile(options),
    concurrency: whole("concurrency", options.concurrency ?? 64, 1, MAX_CONCURRENCY),
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
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
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
