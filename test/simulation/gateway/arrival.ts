/**
 * Reads each request as strictly as the specification allows. A request that no correct client sends is a protest: a line in the
 * account and a refusal on the wire.
 */
import type { ArrivedRequest } from "./model-gateway.ts";

/** The answer is a refusal with this status. */
export class Protest extends Error {
  readonly status: number;

  constructor(status: number, what: string) {
    super(what);
    this.status = status;
  }
}

export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly query: ReadonlyMap<string, string>;
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string | null;
  readonly now: number;
}

export type Fields = Readonly<Record<string, unknown>>;

/** What a percent-encoded text may hold: nothing that is reserved in a path or a query. */
const ENCODED = /^(?:[\w.~!'()*-]|%[0-9A-Fa-f]{2})+$/;

const utf8 = new TextDecoder("utf-8", { fatal: true });

export function readArrival({ method, path, headers, body }: ArrivedRequest, now: number): Arrival {
  const [before = "", after = "", ...rest] = path.split("?");
  if (rest.length > 0) {
    throw new Protest(400, "the path has two queries");
  }
  return { method, path: before, query: readQuery(after), headers: readHeaders(headers), text: readText(body), now };
}

function readQuery(text: string): Map<string, string> {
  const query = new Map<string, string>();
  for (const pair of text === "" ? [] : text.split("&")) {
    const [name = "", value = "", ...rest] = pair.split("=");
    if (rest.length > 0 || query.has(name)) {
      throw new Protest(400, `the query ${text} cannot be understood`);
    }
    query.set(name, decode(value));
  }
  return query;
}

function readHeaders(flat: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (let index = 0; index < flat.length; index += 2) {
    const name = (flat[index] ?? "").toLowerCase();
    if (headers.has(name)) {
      throw new Protest(400, `the header ${name} comes twice`);
    }
    headers.set(name, flat[index + 1] ?? "");
  }
  return headers;
}

function readText(body: Uint8Array | null): string | null {
  try {
    return body === null ? null : utf8.decode(body);
  } catch {
    throw new Protest(400, "the body is not UTF-8");
  }
}

/** A path parameter or the value of a query, decoded once. */
export function decode(encoded: string): string {
  if (ENCODED.test(encoded)) {
    try {
      return decodeURIComponent(encoded);
    } catch {
      // Escapes that are not UTF-8: refused below.
    }
  }
  throw new Protest(400, `"${encoded}" is not percent-encoded`);
}

export function decodeUrl(encoded: string): string {
  const url = decode(encoded);
  if (!/^https?:\/\/[^/]/.test(url)) {
    throw new Protest(400, `"${url}" is not the address of a page`);
  }
  return url;
}

export function requireNoQueryBut({ path, query }: Arrival, names: readonly string[]): void {
  const unknown = [...query.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new Protest(400, `${path} has no query ${unknown}`);
  }
}

/** A JSON object sent as such. */
export function readFields({ path, headers, text }: Arrival): Fields {
  if (headers.get("content-type") !== "application/json") {
    throw new Protest(400, `the body sent to ${path} does not say that it is JSON`);
  }
  return requireObject(parseJson(text ?? ""), `the body sent to ${path}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function requireObject(value: unknown, what: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Protest(400, `${what} is not a JSON object`);
  }
  return value as Fields;
}

export function requireText(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== "string" || value === "") {
    throw new Protest(400, `${name} is missing`);
  }
  return value;
}

export function requireWhole(value: unknown, name: string, min: number): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < min) {
    throw new Protest(400, `${name} is not a whole number from ${min} on`);
  }
  return value;
}

export function requireList(fields: Fields, name: string): readonly unknown[] {
  const value = fields[name];
  if (!Array.isArray(value) || value.length === 0) {
    throw new Protest(400, `${name} is not a list, or an empty one`);
  }
  return value;
}
