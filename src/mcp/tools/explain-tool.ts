import { z } from "zod";
import { type Tool, toCleanJson, type WithAgent } from "../tool.ts";
import { urlArgument } from "./page-arguments.ts";

const explainArguments = z.strictObject({ url: urlArgument });

/** What each rule decides about a page, and what the ledger has of it: the document of `licet explain --json`. */
export function createExplainTool(withAgent: WithAgent<"explain">): Tool<z.infer<typeof explainArguments>> {
  return {
    name: "explain",
    description:
      "Explains whether a page would be bought and why: its rates, what each rule of the policy decides, the budgets, and its purchases and denials so far. Free of charge; buys nothing.",
    hints: {
      title: "Explain a page",
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    },
    arguments: explainArguments,
    call: async ({ url }) => [toCleanJson(await withAgent((agent) => agent.explain(url, { needsLedger: false })))],
  };
}
