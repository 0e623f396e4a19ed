/** licet's public API. */
export type {
  Agent,
  BudgetStatus,
  CheckReport,
  Explanation,
  FlushReport,
  PlannedBudget,
  PlanReport,
  RunOptions,
  RunReport,
  StatusReport,
  UseInput,
  UseReport,
} from "./agent/agent.ts";
export { createAgent } from "./agent/create-agent.ts";
export type { AgentEvents } from "./agent/events.ts";
