/**
 * Turns a written configuration into a resolved one: fills in the environment, checks everything and reports all problems at
 * once, then resolves every reference. What a text becomes is said with its key, in the schema.
 */
import { resolve } from "node:path";
import { assertBug } from "../errors.ts";
import { parseExpectation } from "../policy/expectation.ts";
import type { PolicyTest } from "../policy/policy-test.ts";
import type { Policy } from "../policy/rule.ts";
import { type ReportingTerms, USE_KINDS } from "../usage/use.ts";
import { checkReferences } from "./checks/cross-checks.ts";
import { warnOfNothingToBuy } from "./checks/nothing-to-buy.ts";
import { warnOfPlainHttp } from "./checks/plain-http.ts";
import { toSchemaProblems } from "./checks/schema-problems.ts";
import { warnOfShortTokens } from "./checks/service-checks.ts";
import type { Config } from "./config.ts";
import { type ConfigPath, type ConfigProblem, type ConfigSource, formatPath, toConfigError } from "./config-problem.ts";
import { interpolateEnv, pathKey } from "./files/interpolate-env.ts";
import { type ConfigDocument, configSchema } from "./schema/config-schema.ts";
import { isDeferrable, refuseUnset, standIn } from "./unset-values.ts";

const BYTES_PER_MB = 1_000_000;

/** @throws LicetError CONFIG_INVALID, or ENV_MISSING when only variables are missing */
export function resolveConfig(raw: unknown, source: ConfigSource): Config {
  const filled = interpolateEnv(withoutEmptySections(raw), source.env);
  const unset = source.defersUnset ? filled.problems.filter(isDeferrable) : [];
  const missing = filled.problems.filter((problem) => !unset.includes(problem));
  standIn(filled.value, unset);
  const checked = configSchema.safeParse(filled.value);
  const problems = dropEchoes(missing, [
    ...(checked.success ? [] : toSchemaProblems(checked.error.issues, filled.value, filled.fromEnv)),
    ...checkReferences(filled.value),
  ]);
  if (problems.length > 0 || !checked.success) {
    throw toConfigError([...unset, ...problems], source);
  }
  const config = toConfig(checked.data, source, findWarnings(checked.data, source, filled.fromEnv));
  if (unset.length > 0) {
    refuseUnset(config, unset, toConfigError(unset, source));
  }
  return config;
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
  const inFile = listSecrets(document)
    .filter((path) => source.isStatic && !fromEnv.has(pathKey(path)))
    .map(
      (path) =>
        `${formatPath(path)} is written in the file itself; take it from the environment, so that the file can be shared`,
    );
  const plainHttp = warnOfPlainHttp(document.gateway.baseUrl);
  const nothing = warnOfNothingToBuy(document);
  return [
    ...inFile,
    ...[plainHttp, nothing].filter((warning) => warning !== null),
    ...warnOfShortTokens(document.serve),
  ];
}

function toConfig(document: ConfigDocument, source: ConfigSource, warnings: readonly string[]): Config {
  // A run does not decide by the tests.
  const policies = new Map(
    Object.entries(document.policies).map(([name, { retention, tests: _, rules, ...policy }]): [string, Policy] => [
      name,
      { ...policy, name, retentionMs: retention, rules },
    ]),
  );
  const { $schema: _, ...sections } = document;
  const { sites, reporting, ledger, serve } = sections;
  return {
    ...sections,
    file: source.file,
    envFiles: [],
    warnings,
    ledger: {
      path: resolve(source.baseDir, ledger.path),
      mustExist: ledger.mustExist,
      lowDiskBytes: ledger.lowDiskMb * BYTES_PER_MB,
      compress: ledger.compress,
      thread: ledger.thread,
    },
    serve: { ...serve, plans: serve.plans === null ? null : resolve(source.baseDir, serve.plans) },
    policies,
    policyTests: listPolicyTests(document.policies),
    sites: sites.map((site) => {
      const policy = policies.get(site.policy);
      assertBug(policy !== undefined, "a site's policy was checked to exist");
      return {
        ...site,
        policy,
        reporting: toTerms({
          kinds: site.reporting?.kinds ?? reporting.kinds,
          billed: site.reporting?.billed ?? reporting.billed,
        }),
      };
    }),
    reporting: { ...reporting, ...toTerms(reporting) },
  };
}

/** The tests of all policies, in the order of the file. */
function listPolicyTests(policies: ConfigDocument["policies"]): PolicyTest[] {
  return Object.entries(policies).flatMap(([policy, { tests }]) =>
    tests.map(({ expect, ...test }, index) => {
      const expected = parseExpectation(expect);
      assertBug(expected.kind !== "fault", "what a test expects was checked");
      return { policy, index, ...test, expected };
    }),
  );
}

/** Only what is reported can be billed on the report: a site that reports less is billed less. */
function toTerms({ kinds, billed }: ReportingTerms): ReportingTerms {
  return {
    kinds: USE_KINDS.filter((kind) => kinds.includes(kind)),
    billed: USE_KINDS.filter((kind) => kinds.includes(kind) && billed.includes(kind)),
  };
}

/** The paths of the texts that should come from the environment. */
function listSecrets({ serve, webhooks, alerts }: ConfigDocument): ConfigPath[] {
  return [
    ["gateway", "apiKey"],
    ...(serve.token === null ? [] : [["serve", "token"]]),
    ...serve.tokens.map((_, index) => ["serve", "tokens", index, "token"]),
    ...webhooks.map((_, index) => ["webhooks", index, "secret"]),
    ...alerts.flatMap(({ to }, index) =>
      to.kind === "webhook" && to.secret !== null ? [["alerts", index, "secret"]] : [],
    ),
  ];
}
