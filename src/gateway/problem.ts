/**
 * Reads the body of an error answer. Such a body is the least trustworthy text: it may be RFC 9457 JSON, the HTML page of a
 * proxy, empty, endless, or a copy of the request with the key in it. The result is one short line that can be printed and
 * stored.
 */
import { findHeader } from "./exchange.ts";
import { isObject, type JsonObject, parseJson, readText } from "./json-answer.ts";
import { redactBody, redactText } from "./redact.ts";

export const MAX_DETAIL_CHARS = 300;
/** The title of a page is near its beginning. A search for tags in megabytes of `<` would take long. */
const MAX_TEXT_BYTES = 8192;
const MAX_ID_CHARS = 100;

/** The form of nearly every id. Such an id needs no cleaning, which would cost time for each page. */
const PLAIN_ID = /^[\w.:/+=-]{1,100}$/;

export interface Problem {
  /** The gateway's message; never empty. */
  readonly detail: string;
  /** The gateway's own error code. */
  readonly code: string | null;
  readonly requestId: string | null;
}

/** @param secrets texts that must be removed although the gateway may send them back: the API key, the token */
export function readProblem(
  answer: { readonly status: number; readonly headers: readonly Buffer[]; readonly body: Buffer },
  secrets: readonly string[],
): Problem {
  const body = redactBody(answer.body, secrets);
  const json = parseJson(body);
  const fields: JsonObject = isObject(json) ? json : {};
  const text = isObject(json) ? describeFields(json) : describeText(body);
  return {
    detail: clean(text, secrets, MAX_DETAIL_CHARS) || `status ${answer.status} without an explanation`,
    code: readId(fields.code, secrets),
    requestId: readRequestId(answer.headers, secrets) ?? readId(fields.requestId, secrets),
  };
}

/** The answer's `X-Request-ID`, safe to store. */
export function readRequestId(headers: readonly Buffer[], secrets: readonly string[]): string | null {
  return readId(findHeader(headers, "x-request-id"), secrets);
}

/** Turns a text from the network into one line without control characters, invisible characters and secrets. */
export function clean(text: string, secrets: readonly string[], maxChars: number): string {
  // Control characters are removed first, because one inside a secret would hide the secret from the search.
  const plain = text
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replace(/\s+/g, " ")
    .replace(/[\p{Cc}\p{Cf}]/gu, "")
    .trim();
  const line = redactText(plain, secrets);
  // The cut may split a surrogate pair.
  return line.length > maxChars ? `${line.slice(0, maxChars - 1).replace(/\p{Surrogate}$/u, "")}…` : line;
}

const MAX_CONTENT_TYPE_CHARS = 60;
/** Of what came instead of JSON: its title, or how it begins. */
const MAX_SHOWN_BODY_CHARS = 100;

/**
 * Describes a success whose body is not JSON. Most often it is the page of a proxy or of a login in front of the gateway: its type and title
 * say which one.
 */
export function describeNotJson(
  { headers, body }: { readonly headers: readonly Buffer[]; readonly body: Buffer },
  secrets: readonly string[],
): { readonly text: string; readonly contentType: string | null; readonly title: string | null } {
  const redacted = redactBody(body, secrets);
  const contentType = clean(findHeader(headers, "content-type") ?? "", secrets, MAX_CONTENT_TYPE_CHARS);
  const title = clean(findTitle(redacted.toString("utf8", 0, MAX_TEXT_BYTES)) ?? "", secrets, MAX_SHOWN_BODY_CHARS);
  const shown = title === "" ? describeStart(describeText(redacted), secrets) : `titled ${JSON.stringify(title)}`;
  return {
    text: `${contentType === "" ? "no content type" : contentType}, ${shown}`,
    contentType: contentType === "" ? null : contentType,
    title: title === "" ? null : title,
  };
}

/** The beginning of JSON may be paid content, which is not for a message. */
function describeStart(text: string, secrets: readonly string[]): string {
  const start = clean(text, secrets, MAX_SHOWN_BODY_CHARS);
  if (start === "") {
    return "without text";
  }
  return /^[{["]/.test(start) ? "of which the JSON is broken" : `beginning with ${JSON.stringify(start)}`;
}

function describeFields(problem: JsonObject): string {
  const title = readText(problem.title);
  // RFC 9457 has no `message` and `error`, but about half of all gateways send them.
  const detail = readText(problem.detail) ?? readText(problem.message) ?? readText(problem.error);
  return title !== null && detail !== null && title !== detail ? `${title}: ${detail}` : (detail ?? title ?? "");
}

/** The title of an HTML page, or the plain text. */
function describeText(body: Buffer): string {
  const text = body.toString("utf8", 0, MAX_TEXT_BYTES);
  const title = findTitle(text);
  if (title !== undefined) {
    return title;
  }
  return /^\s*</.test(text) ? text.replace(/<[^>]{0,500}>/g, " ") : text;
}

function findTitle(text: string): string | undefined {
  return /<title[^>]{0,200}>([^<]{0,1000})/i.exec(text)?.[1];
}

function readId(value: unknown, secrets: readonly string[]): string | null {
  const text = typeof value === "number" ? String(value) : readText(value);
  if (text === null) {
    return null;
  }
  const isPlain = PLAIN_ID.test(text) && !secrets.some((secret) => text.includes(secret));
  return isPlain ? text : clean(text, secrets, MAX_ID_CHARS) || null;
}
