/** licet's public API. */
import "./refuse-old-node.ts";

export type {
  Agent,
  BudgetStatus,
  CheckReport,
  DocumentFilter,
  Explanation,
  FlushReport,
  PlannedBudget,
  PlanReport,
  PruneOptions,
  PruneReport,
  RunOptions,
  StatusReport,
  UseInput,
  UseReport,
} from "./agent/agent.ts";
export { type CreateAgentOptions, createAgent } from "./agent/create-agent.ts";
export type { AgentEvents } from "./agent/events.ts";
export type { RunReport } from "./agent/run-report.ts";
export type { Config } from "./config/config.ts";
export type { ConfigInput } from "./config/config-schema.ts";
export { defineConfig } from "./config/define-config.ts";
export { type LoadConfigOptions, loadConfig } from "./config/load-config.ts";
export { type ErrorCode, isLicetError, LicetError } from "./errors.ts";
export type { GatewayClientOptions } from "./gateway/client-options.ts";
export type {
  CatalogRequest,
  ContentAnswer,
  ContentPayload,
  ContentRequest,
  ContentTokenRequest,
  DeliveryRecord,
  Gateway,
  HistoryPage,
  HistoryRequest,
  OneTimeToken,
  ReportAnswer,
  WireFormat,
} from "./gateway/gateway.ts";
export { GatewayClient } from "./gateway/gateway-client.ts";
export type { AuditReport, HeldDocument, RunSummary } from "./ledger/ledger-reports.ts";
export { formatMoney } from "./money/format-money.ts";
export type { Money } from "./money/money.ts";
export { parseMoney } from "./money/parse-money.ts";
