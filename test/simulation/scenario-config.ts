/** The configuration file that an operator would write for a scenario. */
import type { Config } from "../../src/config/config.ts";
import type { ConfigInput } from "../../src/config/config-input.ts";
import { parseConfig } from "../../src/config/load-config.ts";
import type { Scenario, ScenarioFee, ScenarioRule, ScenarioSite, Settings } from "./scenario.ts";
import { WRONG_KEY, wrongReportPath } from "./wrong-settings.ts";

export const API_KEY = "key-of-the-simulation";
export const AGENT_ID = "simulated-agent";
export const SERVICE = "Service";
export const TIMEOUT_MS = 30_000;
/** Shorter than the time between some rounds: reports need to be reconciled. */
export const REPORT_WINDOW_MS = 86_400_000;

/** Of the service: actions over HTTP need it. */
export const SERVE_TOKEN = "token-of-the-simulation-of-the-service";

/** Where workers on other machines find it, and what they say. */
export const SERVICE_URL = "http://service.example";
export const WORKER_TOKEN = "token-of-the-simulation-of-a-worker";

/** The subscription of every world; in most of them nobody notifies. */
export const WEBHOOK = { id: "main", path: "/webhooks/main", url: "https://agent.example/webhooks/main" };

export interface ConfigSettings {
  readonly ledgerPath: string;
  readonly settings: Settings;
  readonly maxDurationMs: number | null;
}

export function toConfig(scenario: Scenario, { ledgerPath, settings, maxDurationMs }: ConfigSettings): Config {
  const { sites, budgets, fee, mistake } = settings;
  const hosts = new Set(sites.map(({ host }) => host));
  const input: ConfigInput = {
    gateway: {
      baseUrl: "http://gateway.example",
      service: SERVICE,
      apiKey: mistake?.kind === "key" ? WRONG_KEY : API_KEY,
      ...(mistake?.kind === "report path" ? { paths: { selfReport: wrongReportPath(mistake.status) } } : {}),
      agentId: AGENT_ID,
      concurrency: scenario.limits?.concurrency ?? 6,
      requestsPerSecond: scenario.gateway.requestsPerSecond ?? scenario.limits?.requestsPerSecond ?? null,
      timeoutMs: TIMEOUT_MS,
      catalogPageSize: scenario.catalogPageSize,
      quoteBatchSize: scenario.quoteBatchSize,
      ...(fee === null ? {} : { fee: toFee(fee) }),
    },
    ledger: { path: ledgerPath },
    serve: {
      token: SERVE_TOKEN,
      ...(scenario.limits === undefined ? {} : { tokens: [{ name: "fleet", token: WORKER_TOKEN, can: "work" }] }),
    },
    ...(scenario.limits === undefined ? {} : { queue: { url: "redis://queue.example" } }),
    webhooks: [{ ...WEBHOOK, secret: "secret-of-the-simulation" }],
    // A budget of a site that is not configured is an error of the configuration: it goes with its site.
    budgets: budgets
      .filter(({ scope }) => !scope.startsWith("site:") || hosts.has(scope.slice(5)))
      .map(({ scope, per, limitMicros, currency }) => ({
        scope,
        limit: toMoney({ micros: limitMicros, currency }),
        ...(per === null ? {} : { per }),
      })),
    policies: Object.fromEntries(
      [
        ...sites.map(({ host, policy }) => [host, policy] as const),
        ...Object.entries(settings.otherPolicies ?? {}),
      ].map(([name, policy]) => [name, { ...policy, rules: policy.rules.map(toRule) }]),
    ),
    sites: sites.map(toSite),
    reporting: {
      kinds: [...settings.reportedKinds],
      billed: [...settings.billedKinds],
      batchSize: scenario.reportBatchSize,
      window: `${REPORT_WINDOW_MS / 1000}s`,
    },
    run: { order: settings.order, ...(maxDurationMs === null ? {} : { maxDuration: toSeconds(maxDurationMs) }) },
  };
  return parseConfig(input, { cwd: "/", env: {} });
}

function toSite({ host, refresh, maxPages, walk, exclude, schedule }: ScenarioSite): ConfigInput["sites"][number] {
  const { fullEveryMs, overlapMs } = walk ?? { fullEveryMs: 0, overlapMs: 0 };
  return {
    host,
    policy: host,
    ...(maxPages === undefined ? {} : { maxPages }),
    ...(exclude === undefined ? {} : { exclude: [...exclude] }),
    ...(schedule === undefined ? {} : { schedule }),
    refresh: { when: refresh, fullWalkEvery: toSeconds(fullEveryMs), overlap: toSeconds(overlapMs) },
  };
}

function toFee({ ppm, fixed }: ScenarioFee): ConfigInput["gateway"]["fee"] {
  return { percent: ppm / 10_000, ...(fixed === null ? {} : { fixed: toMoney(fixed) }) };
}

function toSeconds(ms: number): string {
  return `${Math.ceil(ms / 1000)}s`;
}

type RuleInput = ConfigInput["policies"][string]["rules"][number];

/** @param position each rule has a value of its own; only the order `value` asks for it */
function toRule({ verdict, license, maxPrice, permission, urls }: ScenarioRule, position: number): RuleInput {
  return {
    [verdict]: {
      ...(verdict === "allow" ? { value: position + 1 } : {}),
      ...(license === null ? {} : { license }),
      ...(maxPrice === null ? {} : { maxPrice: toMoney(maxPrice) }),
      ...(permission === null ? {} : { permissions: [permission] }),
      ...(urls === undefined ? {} : { urls: [...urls] }),
    },
  };
}

function toMoney({ micros, currency }: { readonly micros: number; readonly currency: string }): string {
  const digits = String(micros).padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)} ${currency}`;
}
