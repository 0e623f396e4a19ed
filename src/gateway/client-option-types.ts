/**
 * Checks the names and types of a client's options, for programs that TypeScript does not check. A wrong name or type is a
 * programming error (USAGE_INVALID). An invalid value of the right type is a configuration error (CONFIG_INVALID,
 * client-options.ts).
 */
import { closest } from "fastest-levenshtein";
import { LicetError } from "../errors.ts";
import type { GatewayClientOptions } from "./client-options.ts";

type Kind = "text" | "number" | "number or null" | "function" | "object" | "clock";

interface OptionType {
  readonly kind: Kind;
  readonly required?: true;
}

const TYPES: Readonly<Record<keyof GatewayClientOptions, OptionType>> = {
  baseUrl: { kind: "text", required: true },
  apiKey: { kind: "text", required: true },
  agentId: { kind: "text", required: true },
  userAgent: { kind: "text", required: true },
  service: { kind: "text" },
  headers: { kind: "object" },
  paths: { kind: "object" },
  licenseIdField: { kind: "text" },
  concurrency: { kind: "number" },
  requestsPerSecond: { kind: "number or null" },
  timeoutMs: { kind: "number" },
  connectTimeoutMs: { kind: "number" },
  maxAnswerBytes: { kind: "number" },
  retries: { kind: "number" },
  clock: { kind: "clock" },
  random: { kind: "function" },
  onRetry: { kind: "function" },
};

/** Other keys of `gateway` in a resolved configuration. They are allowed, so that the object can be passed as it is. */
const OF_CONFIGURATIONS: readonly string[] = ["catalogPageSize", "quoteBatchSize", "fee", "reportPermissions"];

/** @throws LicetError USAGE_INVALID */
export function checkOptionTypes(options: unknown): void {
  if (!isObject(options)) {
    throw misused("its argument must be an object", "new GatewayClient({ baseUrl, apiKey, agentId, userAgent })");
  }
  const known = Object.keys(TYPES);
  const stranger = Object.keys(options).find((name) => !known.includes(name) && !OF_CONFIGURATIONS.includes(name));
  if (stranger !== undefined) {
    throw misused(`there is no option ${JSON.stringify(stranger)}`, `did you mean "${closest(stranger, known)}"?`);
  }
  for (const [name, { kind, required }] of Object.entries(TYPES)) {
    const value = options[name];
    const isMissing = value === undefined;
    if (isMissing ? required === true : !isOf(kind, value)) {
      const article = kind === "object" ? "an" : "a";
      throw misused(`${name} must be ${article} ${kind}`, "see GatewayClientOptions");
    }
  }
}

function isOf(kind: Kind, value: unknown): boolean {
  switch (kind) {
    case "text":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "number or null":
      return value === null || typeof value === "number";
    case "function":
      return typeof value === "function";
    case "object":
      return isObject(value);
    case "clock":
      return isObject(value) && typeof value.now === "function" && typeof value.sleep === "function";
    default:
      return kind satisfies never;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function misused(what: string, hint: string): LicetError {
  return new LicetError("USAGE_INVALID", `GatewayClient: ${what}`, { hint, details: { call: "GatewayClient" } });
}
