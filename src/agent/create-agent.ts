import type { Config } from "../config/config.ts";
import type { ConfigInput } from "../config/config-input.ts";
import { parseConfig } from "../config/load-config.ts";
import { LicetError } from "../errors.ts";
import type { StoredDocument } from "../ledger/ledger-reports.ts";
import type { Agent } from "./agent.ts";
import { createAlerting } from "./alerts/alerting.ts";
import { type AgentCalls, createAgentCalls } from "./calls/agent-calls.ts";
import {
  checkAcceptOptions,
  checkAgentOptions,
  checkCancelOptions,
  checkCheckOptions,
  checkConfigObject,
  checkCopyOptions,
  checkCount,
  checkDoubtWord,
  checkEvent,
  checkExplainOptions,
  checkFlag,
  checkHistoryQuery,
  checkInvoiceLines,
  checkPruneOptions,
  checkPurgeOptions,
  checkReportOptions,
  checkResolveOptions,
  checkRunDetailsFilter,
  checkRunFilter,
  checkRunOptions,
  checkScheduleFilter,
  checkStatementFilter,
  checkStatusOptions,
  checkText,
  checkUseOptions,
  checkUses,
  type RunCall,
} from "./calls/call-checks.ts";

import { checkAgent } from "./checks/check-agent.ts";
import { createResources, type Resources } from "./compose.ts";
import { cursorAgent } from "./documents/cursor-agent.ts";
import { checkCursorFilter, checkDocumentFilter, checkRangeFilter, namesCursor } from "./documents/document-calls.ts";
import type { CursorFilter, DeliveredDocument, DocumentFilter } from "./documents/document-filter.ts";
import { documentsAgent } from "./documents/documents-agent.ts";
import { rangeAgent } from "./documents/range-agent.ts";
import { EventBus } from "./events/events.ts";
import { checkFetchedUrls, checkFetchOptions } from "./fetch/fetch-checks.ts";
import { createPagesUnderWay } from "./fetch/pages-under-way.ts";
import { resolveInvoiceAgent } from "./invoice-agent.ts";
import { checkPlanOptions } from "./plans/check-plan-options.ts";
import { planAgent } from "./plans/plan-agent.ts";
import { pruneAgent } from "./prune-agent.ts";
import { explainAgent } from "./reports/explain-agent.ts";
import { historyAgent } from "./reports/history-agent.ts";
import { runDetailsAgent, runsAgent } from "./reports/runs-agent.ts";
import { scheduleAgent } from "./reports/schedule-agent.ts";
import { statementAgent } from "./reports/statement-agent.ts";
import { auditAgent, statusAgent } from "./reports/status-agent.ts";
import { resolveRunAgent } from "./resolve-agent.ts";
import { cancelAgent } from "./runs/cancel-agent.ts";
import { runAgent } from "./runs/run-agent.ts";
import { type RunReport, toRunReport } from "./runs/run-report.ts";
import { reportAgent } from "./usage/report-agent.ts";
import { useAgent } from "./usage/use-agent.ts";

/** What an agent takes from outside beside its configuration. */
export interface CreateAgentOptions {
  /** Where relative paths of an inline configuration start. @default the working directory */
  readonly cwd?: string;
  /** The source of `${NAME}` in an inline configuration. @default the process's environment */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Creates an agent for one configuration. Nothing is opened until a call needs it.
 * @param config the result of `loadConfig`, or an object as `defineConfig` types it
 * @throws LicetError CONFIG_INVALID, ENV_MISSING for an object with problems; USAGE_INVALID when `config` is not an object
 */
export function createAgent(config: Config | ConfigInput, options: CreateAgentOptions = {}): Agent {
  const { cwd = process.cwd(), env = process.env } = checkAgentOptions(options);
  checkConfigObject(config);
  const bus = new EventBus();
  return createAgentOn(createResources(isResolved(config) ? config : parseConfig(config, { cwd, env }), bus), bus);
}

/** An agent over resources that others may share. Its `close` closes them. */
export function createAgentOn(resources: Resources, bus: EventBus): Agent {
  const { call, each, close } = createAgentCalls();
  const alerting = createAlerting(resources, bus);
  const warn = (message: string) => bus.emit("warning", { message });
  let running = false;

  const run = async (options: RunCall): Promise<RunReport> => {
    if (running) {
      throw new LicetError("USAGE_INVALID", "this agent is running already", {
        hint: "wait for the run to end, or create another agent",
      });
    }
    running = true;
    try {
      return await alerting.aroundRun(() => runAgent(resources, bus, options));
    } finally {
      running = false;
    }
  };

  return {
    plan: (options = {}) => call("plan", async () => planAgent(resources, bus, checkPlanOptions(options))),
    run: (options = {}) => call("run", async () => run(checkRunOptions(options))),
    ...fetching(resources, bus, call),
    cancel: (runId, options = {}) =>
      call("cancel", async () => {
        const { signal = new AbortController().signal } = checkCancelOptions(options);
        return cancelAgent(resources, bus, checkText("cancel", "runId", runId), signal);
      }),
    use: (uses, options = {}) =>
      call("use", async () => useAgent(resources, checkUses(uses), checkUseOptions(options))),
    report: (options = {}) =>
      call("report", async () => {
        const checked = checkReportOptions(options);
        const signal = checked.signal ?? new AbortController().signal;
        return alerting.around(() => reportAgent(resources, bus, signal, checked));
      }),
    ...reading(resources, call, warn),
    audit: () => call("audit", () => auditAgent(resources)),
    prune: (options = {}) => call("prune", async () => pruneAgent(resources, checkPruneOptions(options))),
    purge: (options = {}) =>
      call("purge", async () => {
        const { purgeAgent } = await import("./rights/purge-agent.ts");
        return purgeAgent(resources, checkPurgeOptions(options));
      }),
    ...copying(resources, call),
    resolve: (purchaseId, charged, options = {}) =>
      call("resolve", async () => {
        const { keepOff = false } = checkResolveOptions(options);
        checkCount("resolve", "purchaseId", purchaseId);
        checkFlag("resolve", "charged", charged);
        const ledger = await resources.ledger("existing");
        return ledger.resolvePurchase({ purchaseId, charged, keepOff, now: resources.clock.now() });
      }),
    resolveRun: (runId, word) =>
      call("resolveRun", async () => {
        checkText("resolveRun", "runId", runId);
        return resolveRunAgent(resources, runId, checkDoubtWord("resolveRun", word));
      }),
    resolveInvoice: (lines, word) =>
      call("resolveInvoice", async () => {
        const checked = checkInvoiceLines(lines);
        return resolveInvoiceAgent(resources, checked, checkDoubtWord("resolveInvoice", word));
      }),
    resolveReport: (batchId, taken) =>
      call("resolveReport", async () => {
        checkCount("resolveReport", "batchId", batchId);
        checkFlag("resolveReport", "taken", taken);
        return (await resources.ledger("existing")).resolveReport({
          reportId: batchId,
          taken,
          now: resources.clock.now(),
        });
      }),
    closeItem: (itemId) =>
      call("closeItem", async () => {
        checkCount("closeItem", "itemId", itemId);
        return (await resources.ledger("existing")).closeItem({ itemId, now: resources.clock.now() });
      }),
    ...handingOver(resources, { call, each }),
    history: (query = {}) => each("history", () => historyAgent(resources, checkHistoryQuery(query), warn)),
    check: (options = {}) => call("check", async () => checkAgent(resources, checkCheckOptions(options))),
    ...listening(bus),
    close: async () => {
      await close();
      await resources.close();
    },
  };
}

/** All calls of one agent share what is under way. */
function fetching(resources: Resources, bus: EventBus, call: AgentCalls["call"]): Pick<Agent, "fetch"> {
  const underWay = createPagesUnderWay();
  return {
    fetch: (urls, options = {}) =>
      call("fetch", async () => {
        const checked = checkFetchOptions(options);
        const { fetchAgent } = await import("./fetch/fetch-agent.ts");
        return fetchAgent({ resources, bus, underWay }, checkFetchedUrls(urls), checked);
      }),
  };
}

/** The calls that copy the ledger's file. */
function copying(resources: Resources, call: AgentCalls["call"]): Pick<Agent, "backup" | "restore" | "acceptRestored"> {
  return {
    backup: (file, options = {}) =>
      call("backup", async () => {
        const { backupAgent } = await import("./copies/backup-agent.ts");
        return backupAgent(resources, checkText("backup", "file", file), checkCopyOptions("backup", options));
      }),
    restore: (file, options = {}) =>
      call("restore", async () => {
        const { restoreAgent } = await import("./copies/backup-agent.ts");
        return restoreAgent(resources, checkText("restore", "file", file), checkCopyOptions("restore", options));
      }),
    acceptRestored: (options = {}) =>
      call("acceptRestored", async () => {
        const { dryRun = false } = checkAcceptOptions(options);
        const { acceptRestoredAgent } = await import("./copies/backup-agent.ts");
        return acceptRestoredAgent(resources, { dryRun });
      }),
  };
}

/** The calls that read the ledger for a person. */
function reading(
  resources: Resources,
  call: AgentCalls["call"],
  warn: (message: string) => void,
): Pick<Agent, "status" | "runStatus" | "runs" | "runDetails" | "schedule" | "statement" | "explain"> {
  return {
    status: (options = {}) => call("status", async () => statusAgent(resources, checkStatusOptions(options))),
    runStatus: (runId) =>
      call("runStatus", async () => {
        checkText("runStatus", "runId", runId);
        const summary = await (await resources.ledger("read")).readRun(runId);
        return toRunReport(summary, { warnings: [], newLedger: false }, resources.clock.now());
      }),
    runs: (filter = {}) => call("runs", async () => runsAgent(resources, checkRunFilter(filter))),
    runDetails: (runId, filter = {}) =>
      call("runDetails", async () =>
        runDetailsAgent(resources, checkText("runDetails", "runId", runId), checkRunDetailsFilter(filter)),
      ),
    schedule: (filter = {}) => call("schedule", async () => scheduleAgent(resources, checkScheduleFilter(filter))),
    statement: (filter = {}) =>
      call("statement", async () => statementAgent(resources, checkStatementFilter(filter), warn)),
    explain: (url, options = {}) =>
      call("explain", async () =>
        explainAgent(resources, checkText("explain", "url", url), checkExplainOptions(options)),
      ),
  };
}

/** The calls that give documents to other programs. */
function handingOver(
  resources: Resources,
  { call, each }: Pick<AgentCalls, "call" | "each">,
): Pick<Agent, "documents" | "documentRange"> {
  function documents(filter: CursorFilter): AsyncIterableIterator<DeliveredDocument>;
  function documents(filter?: DocumentFilter): AsyncIterableIterator<StoredDocument>;
  function documents(filter: DocumentFilter | CursorFilter = {}): AsyncIterableIterator<StoredDocument> {
    return each<StoredDocument>("documents", () =>
      namesCursor(filter)
        ? cursorAgent(resources, checkCursorFilter(filter))
        : documentsAgent(resources, checkDocumentFilter(filter)),
    );
  }
  return {
    documents,
    documentRange: (filter) => call("documentRange", async () => rangeAgent(resources, checkRangeFilter(filter))),
  };
}

function listening(bus: EventBus): Pick<Agent, "on" | "off"> {
  return {
    on: (name, listener) => {
      checkEvent("on", name, listener);
      bus.on(name, listener);
    },
    off: (name, listener) => {
      checkEvent("off", name, listener);
      bus.off(name, listener);
    },
  };
}

/** Only a resolved configuration has its policies in a Map. */
function isResolved(config: Config | ConfigInput): config is Config {
  return config.policies instanceof Map;
}
