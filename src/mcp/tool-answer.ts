/** The answers of tools: their texts, or an error that a model and a person can act on. */
import { isLicetError } from "../errors.ts";
import { plainLines } from "../plain-text.ts";

/** Also the longest message that repeats what a client sent. */
const MAX_ERROR_CHARS = 1_000;

export interface ToolAnswer {
  readonly [key: string]: unknown;
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly isError?: boolean;
}

export function answerTexts(texts: readonly string[]): ToolAnswer {
  return { content: texts.map((text) => ({ type: "text", text })) };
}

/**
 * An error of licet with its hint, without a stack and without secrets: none is in a LicetError. A bug says only that there was one.
 * @param onBug gets what the client is not told
 */
export function answerError(error: unknown, onBug: (error: unknown) => void): ToolAnswer {
  if (!isLicetError(error)) {
    onBug(error);
    return refuse("BUG: the call failed inside licet; the log of the server says where");
  }
  const { code, message, hint } = error;
  return refuse(`${code}: ${message}${hint === undefined ? "" : `\nhint: ${hint}`}`);
}

export function refuse(text: string): ToolAnswer {
  return { content: [{ type: "text", text: plainLines(text.slice(0, MAX_ERROR_CHARS)) }], isError: true };
}
