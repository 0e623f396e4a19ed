/** Checks that several endpoints share. Each returns what it checked. @throws Refusal */

import type { Page } from "../pages/page.ts";
import type { SandboxState } from "../sandbox-state.ts";
import { refuse, type SandboxRequest } from "./answer.ts";
import { parseContentPath } from "./content-path.ts";

/** Every request but the one for content needs the key. */
export function requireKey(request: SandboxRequest, state: SandboxState): void {
  const { key: header, name } = state.names.headers.key;
  const key = request.headers[header];
  if (key === undefined || key === "") {
    refuse(401, "key-missing", `the ${name} header is missing`);
  }
  if (typeof key !== "string" || !state.limits.apiKeys.has(key)) {
    refuse(401, "key-invalid", `the ${name} header does not contain a valid key`);
  }
}

/** Refuses a site that this account is not enabled for. */
export function requireSite(host: string, state: SandboxState): void {
  if (state.faults.isForbidden(host)) {
    state.faults.countFired("forbidden-site");
    refuse(403, "site-forbidden", `this account is not enabled for ${host}`);
  }
}

/** The registered AgentID that a user agent contains. */
export function findAgent(userAgent: string | string[] | undefined, state: SandboxState): string | null {
  if (typeof userAgent !== "string") {
    return null;
  }
  return state.limits.agentIds.find((agentId) => userAgent.includes(agentId)) ?? null;
}

/** The page that a path segment names. */
export function findPage(segment: string, state: SandboxState): Page {
  const parsed = parseContentPath(segment);
  if ("reason" in parsed) {
    refuse(400, "content-path-invalid", parsed.reason);
  }
  return findPageByUrl(parsed.url, state);
}

export function findPageByUrl(url: string, state: SandboxState): Page {
  const page = state.siteIndex.find(url);
  if (page === null) {
    refuse(404, "page-unknown", "no site of this gateway has this page");
  }
  requireSite(page.host, state);
  return page;
}

/** The fields of a POST body's JSON object. */
export function readFields(request: SandboxRequest): Record<string, unknown> {
  const type = request.headers["content-type"];
  if (typeof type !== "string" || !/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)) {
    refuse(415, "content-type-invalid", "the Content-Type header must say application/json");
  }
  let value: unknown;
  try {
    value = JSON.parse(request.body.toString("utf8"));
  } catch {
    refuse(400, "json-invalid", "the body is not valid JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    refuse(400, "body-invalid", "the body must be a JSON object");
  }
  return value as Record<string, unknown>;
}

/** Reads a whole number of a query within bounds. */
export function readInteger(
  text: string | null,
  bounds: { name: string; min: number; max: number; fallback: number },
): number {
  if (text === null) {
    return bounds.fallback;
  }
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= bounds.min && value <= bounds.max) {
    return value;
  }
  refuse(400, "parameter-invalid", `${bounds.name} must be a whole number from ${bounds.min} to ${bounds.max}`);
}
