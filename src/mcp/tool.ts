/** A tool of the MCP server, and what all of them share. */
import type { z } from "zod";
import type { Agent } from "../agent/agent.ts";
import { plainLines } from "../plain-text.ts";
import { printInstant } from "../printed-json.ts";
import type { NetworkText } from "./network-text.ts";

/** Does a piece of work with an agent under the configuration as it is now. */
export type WithAgent<Calls extends keyof Agent> = <Result>(
  work: (agent: Pick<Agent, Calls>) => Promise<Result>,
) => Promise<Result>;

/** What a client shows to the person who allows a call. They are hints: what a tool may do is decided by the terms of the session. */
export interface ToolHints {
  readonly title: string;
  /** It buys nothing and changes nothing. */
  readonly readOnlyHint: boolean;
  /** It spends money. */
  readonly destructiveHint: boolean;
  /** The same call again changes nothing more. */
  readonly idempotentHint: boolean;
  /** It asks the gateway. */
  readonly openWorldHint: boolean;
}

/** Of a tool that only reads. */
export const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true } as const;

export interface ToolResult<Facts = object> {
  /** licet's own words, amounts and ids, and what the client gave. No text of the network, which anybody could have written. */
  readonly facts: Facts;
  /** All texts of the network, each marked. */
  readonly texts: readonly NetworkText[];
}

export interface Tool<Arguments = unknown, Facts = object> {
  readonly name: string;
  /** For the model that chooses a tool. */
  readonly description: string;
  readonly hints: ToolHints;
  readonly arguments: z.ZodType<Arguments>;
  /** Of the structured content of an answer. */
  readonly facts: z.ZodType<Facts>;
  /**
   * @param given checked by `arguments`
   * @throws LicetError what the client is told, with its hint
   */
  call(given: Arguments, signal: AbortSignal): Promise<ToolResult<Facts>>;
}

/** URLs of one call of a tool. */
export const MAX_TOOL_URLS = 20;
export const MAX_URL_CHARS = 2048;

/** Of a label: whoever reads it has the whole URL in the facts. */
const MAX_SHOWN_URL_CHARS = 200;

export function cutUrl(url: string): string {
  return url.slice(0, MAX_SHOWN_URL_CHARS);
}

/** A value as JSON. Every text of it loses what a reader cannot see: control characters, and those that reorder or hide letters. */
export function toCleanJson(value: unknown): string {
  return JSON.stringify(
    value,
    (name, one: unknown) => (typeof one === "string" ? plainLines(one) : printInstant(name, one)),
    1,
  );
}
