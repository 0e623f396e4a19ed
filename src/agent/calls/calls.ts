/** Every call of the agent. */
import type { Agent } from "../agent.ts";
import { BUYING_CALLS } from "./buying-calls.ts";
import type { Call } from "./call.ts";
import { DOCUMENT_CALLS, ITERATING_CALLS } from "./document-calls.ts";
import { KEEPING_CALLS } from "./keeping-calls.ts";
import { READING_CALLS } from "./reading-calls.ts";
import { RESOLVING_CALLS } from "./resolving-calls.ts";

export type Iterating = keyof typeof ITERATING_CALLS;
export type Answering = Exclude<keyof Agent, Iterating | "on" | "off" | "close">;

/** The compiler asks for each call of `Agent`, with its result. */
export const CALLS: { readonly [Name in Answering]: Call<ReturnType<Agent[Name]>> } = {
  ...BUYING_CALLS,
  ...READING_CALLS,
  ...DOCUMENT_CALLS,
  ...RESOLVING_CALLS,
  ...KEEPING_CALLS,
};

export type CallName = Answering | Iterating;

export function mayAsk(name: CallName): Call<unknown>["may"] {
  return { ...CALLS, ...ITERATING_CALLS }[name].may;
}
