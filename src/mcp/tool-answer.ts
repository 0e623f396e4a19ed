/** The answers of tools: their facts and texts, or an error that a model and a person can act on. */
import { isLicetError } from "../errors.ts";
import { plainLines } from "../plain-text.ts";
import { cutText, markText } from "./network-text.ts";
import { type ToolResult, toCleanJson } from "./tool.ts";
import { toToolHint } from "./tool-hint.ts";

const GATEWAY_CODES = "GATEWAY_";
/** Also the longest message that repeats what a client sent. */
const MAX_ERROR_CHARS = 1_000;

export interface ToolAnswer {
  readonly [key: string]: unknown;
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
}

/** The facts as structured content, and again as the first text, for clients that know none. Then the marked texts. */
export function answerResult({ facts, texts }: ToolResult): ToolAnswer {
  const json = toCleanJson(facts);
  return {
    content: [json, ...texts.map(markText)].map((text) => ({ type: "text", text })),
    structuredContent: JSON.parse(json) as Record<string, unknown>,
  };
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
  const advice = hint === undefined ? "" : `\nhint: ${toToolHint(hint)}`;
  if (!code.startsWith(GATEWAY_CODES)) {
    return refuse(`${code}: ${message}${advice}`);
  }
  // What a gateway answered may stand in the message.
  const said = refuse(`${code}${advice}`);
  return {
    ...said,
    content: [...said.content, { type: "text", text: markText({ label: "message", text: cutText(message) }) }],
  };
}

export function refuse(text: string): ToolAnswer {
  return { content: [{ type: "text", text: plainLines(text.slice(0, MAX_ERROR_CHARS)) }], isError: true };
}
