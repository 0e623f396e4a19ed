/** A tool of the MCP server, and what all of them share. */
import type { z } from "zod";
import type { Agent } from "../agent/agent.ts";
import { plainLines } from "../plain-text.ts";

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

export interface Tool<Arguments = unknown> {
  readonly name: string;
  /** For the model that chooses a tool. */
  readonly description: string;
  readonly hints: ToolHints;
  readonly arguments: z.ZodType<Arguments>;
  /**
   * @param given checked by `arguments`
   * @returns the texts of the answer
   * @throws LicetError what the client is told, with its hint
   */
  call(given: Arguments, signal: AbortSignal): Promise<readonly string[]>;
}

/** URLs of one call of a tool. */
export const MAX_TOOL_URLS = 20;
export const MAX_URL_CHARS = 2048;

/** A value as JSON. Every text of it loses what a reader cannot see: control characters, and those that reorder or hide letters. */
export function toCleanJson(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) => (typeof one === "string" ? plainLines(one) : one), 1);
}
