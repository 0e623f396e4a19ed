import type { Config } from "../config/config.ts";
import type { ConfigInput } from "../config/config-schema.ts";
import { parseConfig } from "../config/load-config.ts";
import { LicetError } from "../errors.ts";
import type { Agent, RunOptions, RunReport } from "./agent.ts";
import { checkAgent } from "./check-agent.ts";
import { createResources } from "./compose.ts";
import { documentsAgent } from "./documents-agent.ts";
import { EventBus } from "./events.ts";
import { explainAgent } from "./explain-agent.ts";
import { historyAgent } from "./history-agent.ts";
import { planAgent } from "./plan-agent.ts";
import { reportAgent } from "./report-agent.ts";
import { runAgent, toRunReport } from "./run-agent.ts";
import { auditAgent, statusAgent } from "./status-agent.ts";
import { useAgent } from "./use-agent.ts";

export interface CreateAgentOptions {
  /** Where relative paths of an inline configuration start. @default the working directory */
  readonly cwd?: string;
  /** What `${NAME}` in an inline configuration is filled in from. @default the process's environment */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Makes an agent for one configuration. Nothing is opened until a call needs it.
 * @param config what `loadConfig` gave, or an object as `defineConfig` types it
 * @throws LicetError CONFIG_INVALID, ENV_MISSING for an object with problems
 */
export function createAgent(config: Config | ConfigInput, options: CreateAgentOptions = {}): Agent {
  const { cwd = process.cwd(), env = process.env } = options;
  const resources = createResources(isResolved(config) ? config : parseConfig(config, { cwd, env }));
  const bus = new EventBus();
  const underway = new Set<Promise<unknown>>();
  let running = false;

  /** `close()` waits for what is under way: closing the ledger below a settlement would lose what was paid for. */
  const track = <Result>(work: Promise<Result>): Promise<Result> => {
    const settled = work.then(
      () => undefined,
      () => undefined,
    );
    underway.add(settled);
    settled.finally(() => underway.delete(settled));
    return work;
  };

  const run = async (options: RunOptions): Promise<RunReport> => {
    if (running) {
      throw new LicetError("USAGE_INVALID", "this agent is running already", {
        hint: "wait for the run to end, or make another agent",
      });
    }
    running = true;
    try {
      return await runAgent(resources, bus, options);
    } finally {
      running = false;
    }
  };

  return {
    plan: (options = {}) => track(planAgent(resources, bus, options)),
    run: (options = {}) => track(run(options)),
    use: (uses) => track(useAgent(resources, uses)),
    report: (options = {}) =>
      track(reportAgent(resources, bus, options.signal ?? new AbortController().signal, options)),
    status: () => track(statusAgent(resources)),
    runStatus: async (runId) =>
      toRunReport(
        await (await resources.ledger("read")).readRun(runId),
        { warnings: [], newLedger: false },
        resources.clock.now(),
      ),
    explain: (url) => track(explainAgent(resources, url)),
    audit: () => track(auditAgent(resources)),
    resolve: async (purchaseId, charged) =>
      (await resources.ledger("existing")).resolvePurchase({ purchaseId, charged, now: resources.clock.now() }),
    documents: (filter = {}) => documentsAgent(resources, filter),
    history: (query = {}) => historyAgent(resources, query),
    check: () => track(checkAgent(resources)),
    on: (name, listener) => bus.on(name, listener),
    off: (name, listener) => bus.off(name, listener),
    close: async () => {
      await Promise.all(underway);
      await resources.close();
    },
  };
}

/** Only a resolved configuration has its policies in a Map. */
function isResolved(config: Config | ConfigInput): config is Config {
  return config.policies instanceof Map;
}
