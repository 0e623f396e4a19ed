/** Checks that several endpoints share. Each returns the refusal, or the value that it checked. */

import type { Page } from "../pages/page.ts";
import type { SandboxState } from "../sandbox-state.ts";
import { type Answer, problemAnswer, type SandboxRequest } from "./answer.ts";
import { parseContentPath } from "./content-path.ts";

/** Every request but the one for content needs the key. */
export function refuseKey(request: SandboxRequest, state: SandboxState): Answer | null {
  const { key: header, name } = state.names.headers.key;
  const key = request.headers[header];
  if (key === undefined || key === "") {
    return problemAnswer(401, "key-missing", `the ${name} header is missing`);
  }
  return typeof key === "string" && state.limits.apiKeys.has(key)
    ? null
    : problemAnswer(401, "key-invalid", `the ${name} header does not contain a valid key`);
}

/** The registered AgentID that a user agent contains. */
export function findAgent(userAgent: string | string[] | undefined, state: SandboxState): string | null {
  if (typeof userAgent !== "string") {
    return null;
  }
  return state.limits.agentIds.find((agentId) => userAgent.includes(agentId)) ?? null;
}

/** The page that a path segment names. */
export function findPage(segment: string, state: SandboxState): Page | Answer {
  const parsed = parseContentPath(segment);
  if ("reason" in parsed) {
    return problemAnswer(400, "content-path-invalid", parsed.reason);
  }
  return findPageByUrl(parsed.url, state);
}

export function findPageByUrl(url: string, state: SandboxState): Page | Answer {
  const page = state.siteIndex.find(url);
  if (page === null) {
    return problemAnswer(404, "page-unknown", "no site of this gateway has this page");
  }
  if (state.faults.isForbidden(page.host)) {
    state.faults.countFired("forbidden-site");
    return problemAnswer(403, "site-forbidden", `this account is not enabled for ${page.host}`);
  }
  return page;
}

/** Distinguishes a refusal from a checked value. */
export function isAnswer(value: object): value is Answer {
  return "contentType" in value;
}

/** The fields of a POST body's JSON object. */
export function parseJsonObject(request: SandboxRequest): { readonly fields: Record<string, unknown> } | Answer {
  const type = request.headers["content-type"];
  if (typeof type !== "string" || !/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)) {
    return problemAnswer(415, "content-type-invalid", "the Content-Type header must say application/json");
  }
  let value: unknown;
  try {
    value = JSON.parse(request.body.toString("utf8"));
  } catch {
    return problemAnswer(400, "json-invalid", "the body is not valid JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return problemAnswer(400, "body-invalid", "the body must be a JSON object");
  }
  return { fields: value as Record<string, unknown> };
}

/** Reads a whole number of a query within bounds. */
export function readInteger(
  text: string | null,
  bounds: { name: string; min: number; max: number; fallback: number },
): number | Answer {
  if (text === null) {
    return bounds.fallback;
  }
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= bounds.min && value <= bounds.max) {
    return value;
  }
  return problemAnswer(
    400,
    "parameter-invalid",
    `${bounds.name} must be a whole number from ${bounds.min} to ${bounds.max}`,
  );
}
