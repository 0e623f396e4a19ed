/**
 * The body of a content answer as the bytes that are hashed and stored, without a text of it in between.
 *
 * All that JSON means is ASCII, and every other letter can only stand in a text. So an answer of which each byte is read as one letter of
 * Latin-1 parses to the same value, with texts of which each letter is one byte of UTF-8. A text of Latin-1 takes one byte a letter, and is
 * parsed three times as fast as the text with two that the pages of most languages become.
 */
import { isUtf8 } from "node:buffer";
import { isObject, type JsonObject } from "./json-answer.ts";

/** Letters that only a text has: an escape stands for a unit of UTF-16. */
const UNICODE_ESCAPE = "\\u";
const BEYOND_ASCII = /[\x80-\xff]/;
/** An answer with so many lists and objects, or so long a list, is parsed as a text, which looks at each of them once. */
const MAX_FIELDS = 1_000;

export interface CutAnswer {
  /** The answer as parsed, in which the body is an empty text. */
  readonly json: unknown;
  /** The body in UTF-8. */
  readonly body: Buffer;
}

/** @returns null for an answer that this is not the way to read: it is parsed as text, and that alone says whether it is valid */
export function cutBody(answer: Buffer): CutAnswer | null {
  const text = answer.toString("latin1");
  if (text.includes(UNICODE_ESCAPE) || !isUtf8(answer)) {
    return null;
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(json) || !isObject(json.content) || typeof json.content.body !== "string") {
    return null;
  }
  const content = json.content as { body: string };
  const body = Buffer.from(content.body, "latin1");
  content.body = "";
  return decodeTexts(json) ? { json, body } : null;
}

/** Makes the texts in an answer what they say, in place. @returns false for what it leaves: names, and an answer with more than a page has */
function decodeTexts(json: JsonObject): boolean {
  const open: object[] = [json];
  for (const value of open) {
    if (open.length > MAX_FIELDS || (Array.isArray(value) && value.length > MAX_FIELDS)) {
      return false;
    }
    const fields = value as Record<string, unknown>;
    for (const name of Object.keys(fields)) {
      const field = fields[name];
      if (BEYOND_ASCII.test(name)) {
        return false;
      }
      if (typeof field === "object" && field !== null) {
        open.push(field);
      } else if (typeof field === "string" && BEYOND_ASCII.test(field)) {
        fields[name] = Buffer.from(field, "latin1").toString("utf8");
      }
    }
  }
  return true;
}
