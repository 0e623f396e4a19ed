/**
 * What a refusal said. An error's body is the least trustworthy text there is: it may be RFC 9457 JSON, the HTML page
 * of a proxy, empty, endless or an echo of the request with the key in it. What comes out is one short line that can be
 * printed and stored.
 */
import { findHeader } from "./exchange.ts";
import { isObject, type JsonObject, parseJson, readText } from "./json-answer.ts";
import { redactBody, redactText } from "./redact.ts";

export const MAX_DETAIL_CHARS = 300;
/** A page's title stands near its beginning, and searching megabytes of `<` for tags would take its time. */
const MAX_SAID_BYTES = 8192;
const MAX_ID_CHARS = 100;

/** What nearly every id is: it needs no cleaning, which would be felt once for each page. */
const PLAIN_ID = /^[\w.:/+=-]{1,100}$/;

export interface Problem {
  /** What was wrong, in the gateway's words; never empty. */
  readonly detail: string;
  /** The gateway's own code for it. */
  readonly code: string | null;
  readonly requestId: string | null;
}

/**
 * @param secrets what must not come out although the gateway may echo it: the API key, the token
 */
export function readProblem(
  answer: { readonly status: number; readonly headers: readonly Buffer[]; readonly body: Buffer },
  secrets: readonly string[],
): Problem {
  const body = redactBody(answer.body, secrets);
  const json = parseJson(body);
  const fields: JsonObject = isObject(json) ? json : {};
  const said = isObject(json) ? describeFields(json) : describeText(body);
  return {
    detail: clean(said, secrets, MAX_DETAIL_CHARS) || `status ${answer.status} without an explanation`,
    code: readId(fields.code, secrets),
    requestId: readRequestId(answer.headers, secrets) ?? readId(fields.requestId, secrets),
  };
}

/** The answer's `X-Request-ID`, fit to be stored. */
export function readRequestId(headers: readonly Buffer[], secrets: readonly string[]): string | null {
  return readId(findHeader(headers, "x-request-id"), secrets);
}

/** Makes a text from the network one line without controls, invisible characters and secrets. */
export function clean(text: string, secrets: readonly string[], maxChars: number): string {
  // Controls go first: one of them inside a secret would hide it from the search.
  const plain = text
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replace(/\s+/g, " ")
    .replace(/[\p{Cc}\p{Cf}]/gu, "")
    .trim();
  const line = redactText(plain, secrets);
  // The cut may split a pair of surrogates.
  return line.length > maxChars ? `${line.slice(0, maxChars - 1).replace(/\p{Surrogate}$/u, "")}…` : line;
}

function describeFields(problem: JsonObject): string {
  const title = readText(problem.title);
  // `message` and `error` are not in RFC 9457, and yet what half of all gateways send.
  const detail = readText(problem.detail) ?? readText(problem.message) ?? readText(problem.error);
  return title !== null && detail !== null && title !== detail ? `${title}: ${detail}` : (detail ?? title ?? "");
}

/** Of a page, its title; of plain text, the text. */
function describeText(body: Buffer): string {
  const text = body.toString("utf8", 0, MAX_SAID_BYTES);
  const title = /<title[^>]{0,200}>([^<]{0,1000})/i.exec(text)?.[1];
  if (title !== undefined) {
    return title;
  }
  return /^\s*</.test(text) ? text.replace(/<[^>]{0,500}>/g, " ") : text;
}

function readId(value: unknown, secrets: readonly string[]): string | null {
  const text = typeof value === "number" ? String(value) : readText(value);
  if (text === null) {
    return null;
  }
  const isPlain = PLAIN_ID.test(text) && !secrets.some((secret) => text.includes(secret));
  return isPlain ? text : clean(text, secrets, MAX_ID_CHARS) || null;
}
