/**
 * Turns a written configuration into a resolved one: fills in the environment, checks everything and reports all problems at
 * once, then parses every text and resolves every reference.
 */
import { resolve } from "node:path";
import type { Budget, BudgetScope } from "../../budget/budget.ts";
import { assertBug } from "../../errors.ts";
import { userAgentOf } from "../../gateway/client-defaults.ts";
import { PARTS_PER_MILLION } from "../../money/multiply-ppm.ts";
import { parseMoney } from "../../money/parse-money.ts";
import type { Fee, Policy } from "../../policy/rule.ts";
import { parseDuration, toMs } from "../../time/duration.ts";
import { type ReportingTerms, USE_KINDS, type UseKind } from "../../usage/use.ts";
import { checkReferences } from "../checks/cross-checks.ts";
import { warnOfNothingToBuy } from "../checks/nothing-to-buy.ts";
import { warnOfPlainHttp } from "../checks/plain-http.ts";
import { toSchemaProblems } from "../checks/schema-problems.ts";
import { warnOfShortToken } from "../checks/service-checks.ts";
import type { Config, GatewayConfig, ReportingConfig, SiteConfig } from "../config.ts";
import { type ConfigProblem, type ConfigSource, formatPath, toConfigError } from "../config-problem.ts";
import { interpolateEnv, pathKey } from "../files/interpolate-env.ts";
import { type ConfigDocument, configSchema } from "../schema/config-schema.ts";
import { toHost } from "../schema/text-formats.ts";
import { resolvePolicy } from "./resolve-policy.ts";
import { resolvePolicyTests } from "./resolve-policy-tests.ts";
import { findServiceSecrets, resolveSchedule, resolveService } from "./resolve-service.ts";

/** @throws LicetError CONFIG_INVALID, or ENV_MISSING when only variables are missing */
export function resolveConfig(raw: unknown, source: ConfigSource): Config {
  const filled = interpolateEnv(withoutEmptySections(raw), source.env);
  const checked = configSchema.safeParse(filled.value);
  const problems = dropEchoes(filled.problems, [
    ...(checked.success ? [] : toSchemaProblems(checked.error.issues, filled.value, filled.fromEnv)),
    ...checkReferences(filled.value),
  ]);
  if (problems.length > 0 || !checked.success) {
    throw toConfigError(problems, source);
  }
  return toConfig(checked.data, source, findWarnings(checked.data, source, filled.fromEnv));
}

/** What an empty section is where it may not be left out. */
const EMPTY_SECTIONS: Readonly<Record<string, [string, unknown][]>> = {
  sites: [["sites", []]],
  policies: [["policies", {}]],
};

/** A section whose lines are all commented out is `null` in YAML. It counts as empty. */
function withoutEmptySections(raw: unknown): unknown {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    return raw;
  }
  const entries = Object.entries(raw).flatMap(([name, section]): [string, unknown][] => {
    const isEmpty = section === null && Object.hasOwn(configSchema.shape, name);
    return isEmpty ? (EMPTY_SECTIONS[name] ?? []) : [[name, section]];
  });
  return Object.fromEntries(entries);
}

/** A text with a missing variable has other problems too. Only the missing variable is reported. */
function dropEchoes(first: readonly ConfigProblem[], others: readonly ConfigProblem[]): ConfigProblem[] {
  const reported = new Set(first.map(({ path }) => pathKey(path)));
  return [...first, ...others.filter(({ path }) => !reported.has(pathKey(path)))];
}

function findWarnings(document: ConfigDocument, source: ConfigSource, fromEnv: ReadonlySet<string>): string[] {
  const secrets = [["gateway", "apiKey"], ...findServiceSecrets(document)];
  const inFile = secrets
    .filter((path) => source.isStatic && !fromEnv.has(pathKey(path)))
    .map(
      (path) =>
        `${formatPath(path)} is written in the file itself; take it from the environment, so that the file can be shared`,
    );
  const plainHttp = warnOfPlainHttp(document.gateway.baseUrl);
  const nothing = warnOfNothingToBuy(document);
  const shortToken = warnOfShortToken(document.serve.token);
  return [...inFile, ...[plainHttp, nothing, shortToken].filter((warning) => warning !== null)];
}

function toConfig(document: ConfigDocument, source: ConfigSource, warnings: readonly string[]): Config {
  const policies = new Map(
    Object.entries(document.policies).map(([name, policy]) => [name, resolvePolicy(name, policy)] as const),
  );
  const { run } = document;
  return {
    file: source.file,
    envFiles: [],
    warnings,
    gateway: resolveGateway(document.gateway),
    ledger: { ...document.ledger, path: resolve(source.baseDir, document.ledger.path) },
    queue: document.queue,
    budgets: document.budgets.map(resolveBudget),
    policies,
    policyTests: resolvePolicyTests(document.policies),
    sites: document.sites.map((site) => resolveSite(site, policies, document.reporting)),
    reporting: resolveReporting(document.reporting),
    run: {
      order: run.order,
      maxPages: run.maxPages ?? null,
      maxSpend: run.maxSpend === undefined ? null : parseMoney(run.maxSpend),
      maxDurationMs: run.maxDuration === undefined ? null : parseDuration(run.maxDuration),
    },
    content: { ...document.content, timeoutMs: toMs(document.content.timeoutMs) },
    ...resolveService(document),
  };
}

function resolveGateway(gateway: ConfigDocument["gateway"]): GatewayConfig {
  const { fee } = gateway;
  return {
    ...gateway,
    timeoutMs: toMs(gateway.timeoutMs),
    baseUrl: gateway.baseUrl.replace(/\/+$/, ""),
    userAgent: gateway.userAgent ?? userAgentOf(gateway.agentId),
    headers: dropUndefined(gateway.headers),
    paths: dropUndefined(gateway.paths),
    fee: fee === undefined ? null : resolveFee(fee),
  };
}

function resolveFee(fee: NonNullable<ConfigDocument["gateway"]["fee"]>): Fee {
  const [units = "0", decimals = ""] = String(fee.percent).split(".");
  // A percent is 10,000 parts per million: the digits are moved as text, never through a float.
  const percentDecimals = String(PARTS_PER_MILLION / 100).length - 1;
  return {
    ratePpm: Number(units + decimals.padEnd(percentDecimals, "0")),
    fixed: fee.fixed === undefined ? null : parseMoney(fee.fixed),
  };
}

function resolveBudget({ scope, per, limit }: ConfigDocument["budgets"][number]): Budget {
  const { micros, currency } = parseMoney(limit);
  return { scope: resolveScope(scope), period: per ?? "total", limitMicros: micros, currency };
}

function resolveScope(scope: string): BudgetScope {
  if (scope === "all" || scope === "run") {
    return { kind: scope };
  }
  return { kind: "site", host: toCheckedHost(scope.slice("site:".length)) };
}

function resolveSite(
  site: ConfigDocument["sites"][number],
  policies: ReadonlyMap<string, Policy>,
  reporting: ConfigDocument["reporting"],
): SiteConfig {
  const policy = policies.get(site.policy);
  assertBug(policy !== undefined, "a site's policy was checked to exist");
  const { refresh } = site;
  // A shortened walk never reaches the pages that "always" requires.
  const everyWalkIsFull = refresh.when === "always" || parseDuration(refresh.fullWalkEvery) === 0;
  return {
    host: toCheckedHost(site.host),
    policy,
    schedule: site.schedule === undefined ? null : resolveSchedule(site.schedule),
    include: site.include,
    exclude: site.exclude,
    maxPages: site.maxPages ?? null,
    refresh: {
      when: refresh.when,
      maxAgeMs: refresh.maxAge === undefined ? null : parseDuration(refresh.maxAge),
      minAgeMs: refresh.minAge === undefined ? null : parseDuration(refresh.minAge),
      fullWalkEveryMs: everyWalkIsFull ? null : parseDuration(refresh.fullWalkEvery),
      overlapMs: parseDuration(refresh.overlap),
    },
    reporting: resolveTerms(site.reporting?.kinds ?? reporting.kinds, site.reporting?.billed ?? reporting.billed),
  };
}

function resolveReporting(reporting: ConfigDocument["reporting"]): ReportingConfig {
  return {
    ...resolveTerms(reporting.kinds, reporting.billed),
    batchSize: reporting.batchSize,
    everyMs: parseDuration(reporting.every),
    windowMs: parseDuration(reporting.window),
  };
}

/** Only what is reported can be billed on the report: a site that reports less is billed less. */
function resolveTerms(kinds: readonly UseKind[], billed: readonly UseKind[]): ReportingTerms {
  return {
    kinds: USE_KINDS.filter((kind) => kinds.includes(kind)),
    billed: USE_KINDS.filter((kind) => kinds.includes(kind) && billed.includes(kind)),
  };
}

function toCheckedHost(text: string): string {
  const host = toHost(text);
  assertBug(host !== null, "a host was checked to be one");
  return host;
}

/** Absent and undefined differ for whoever spreads these over defaults. */
function dropUndefined<Key extends string>(
  section: Readonly<Partial<Record<Key, string | undefined>>>,
): Readonly<Partial<Record<Key, string>>> {
  const entries = Object.entries(section).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<Record<Key, string>>;
}
