/**
 * Checks how the parts of a configuration fit together. These checks also run on a file whose shape is partly wrong, so that one
 * error lists everything. Each check reads only values of the right type and leaves the others to the schema.
 */
import { suggestKey } from "../../suggest-key.ts";
import { parseDuration } from "../../time/duration.ts";
import { USE_KINDS } from "../../usage/use.ts";
import { type ConfigPath, type ConfigProblem, formatPath, invalid } from "../config-problem.ts";
import { toHost } from "../schema/text-formats.ts";
import { type Loose, readText, toSection, toSections, toText, toTexts } from "./loose-value.ts";
import { checkPolicies } from "./policy-checks.ts";
import { describeUnknownPolicy, isPolicyName } from "./policy-names.ts";
import { findRepeated } from "./repeated-values.ts";
import { checkService } from "./service-checks.ts";

export function checkReferences(value: unknown): ConfigProblem[] {
  const root = toSection(value);
  return [
    ...checkUserAgent(toSection(root.gateway)),
    ...checkPolicies(toSection(root.policies)),
    ...checkSites(root),
    ...checkBudgets(root),
    ...checkMaxSpend(root),
    ...checkBilled(["reporting"], toSection(root.reporting)),
    ...checkService(root),
  ];
}

function checkUserAgent(gateway: Loose): ConfigProblem[] {
  const agentId = toText(gateway.agentId);
  const userAgent = toText(gateway.userAgent);
  return agentId !== null && userAgent !== null && !userAgent.includes(agentId)
    ? [
        invalid(
          ["gateway", "userAgent"],
          "must contain gateway.agentId, because the gateway identifies the caller by it",
        ),
      ]
    : [];
}

function checkSites(root: Loose): ConfigProblem[] {
  const sites = toSections(root.sites);
  return [
    ...sites.flatMap((site, index) => {
      const policy = toText(site.policy);
      const isUnknown = policy !== null && !isPolicyName(policy, root);
      const unknown = isUnknown ? [invalid(["sites", index, "policy"], describeUnknownPolicy(policy, root))] : [];
      return [
        ...unknown,
        ...checkRefresh(["sites", index, "refresh"], toSection(site.refresh)),
        ...checkBilled(["sites", index, "reporting"], toSection(site.reporting)),
      ];
    }),
    ...findRepeated(
      sites.map((site) => hostOf(site.host)),
      (index) => ["sites", index, "host"],
      "is already the host of another site",
    ),
  ];
}

function checkRefresh(path: ConfigPath, refresh: Loose): ConfigProblem[] {
  const minAgeMs = readText(refresh.minAge, parseDuration);
  const maxAgeMs = readText(refresh.maxAge, parseDuration);
  return minAgeMs !== null && maxAgeMs !== null && minAgeMs > maxAgeMs
    ? [invalid([...path, "minAge"], "must not be more than maxAge: a page would be out of date and not be bought")]
    : [];
}

function checkBudgets(root: Loose): ConfigProblem[] {
  const hosts = toSections(root.sites).flatMap((site) => hostOf(site.host) ?? []);
  const budgets = toSections(root.budgets);
  const keys = budgets.map((budget) => {
    const scope = toText(budget.scope);
    const currency = toText(budget.limit)?.trim().split(" ").at(-1);
    return scope === null || currency === undefined
      ? null
      : `${hostOfScope(scope) ?? scope} ${budget.per ?? "total"} ${currency}`;
  });
  return [
    ...budgets.flatMap((budget, index) => checkBudgetScope(budget, index, hosts)),
    ...findRepeated(keys, (index) => ["budgets", index], "has the same scope, period and currency as another budget"),
  ];
}

/** Without a budget in its currency, nothing is bought for it. */
function checkMaxSpend(root: Loose): ConfigProblem[] {
  const currency = currencyOf(toSection(root.run).maxSpend);
  const known = toSections(root.budgets).map(({ limit }) => currencyOf(limit));
  // An amount that cannot be read is reported at its own place, and it might have the right currency.
  return currency === null || known.includes(null) || known.includes(currency)
    ? []
    : [invalid(["run", "maxSpend"], `is in ${currency}, and no budget is: nothing could be bought for it`)];
}

function currencyOf(amount: unknown): string | null {
  return /^\s*\d+(?:\.\d+)? +([A-Z][A-Z0-9]{2,7})\s*$/.exec(toText(amount) ?? "")?.[1] ?? null;
}

function checkBudgetScope(budget: Loose, index: number, hosts: readonly string[]): ConfigProblem[] {
  const scope = toText(budget.scope);
  if (scope === "run" && budget.per !== undefined) {
    return [invalid(["budgets", index, "per"], "must be left out: a budget of scope run lasts as long as its run")];
  }
  if (scope === null || !scope.startsWith("site:")) {
    return [];
  }
  const path = ["budgets", index, "scope"];
  const host = hostOfScope(scope);
  if (host === null) {
    return [invalid(path, "names no host: write it without scheme and path, like site:news.example")];
  }
  return hosts.includes(host)
    ? []
    : [invalid(path, `covers a host that is not among the sites; ${suggestKey(host, hosts)}`)];
}

function checkBilled(path: ConfigPath, reporting: Loose): ConfigProblem[] {
  if (!Array.isArray(reporting.billed) || !Array.isArray(reporting.kinds)) {
    return [];
  }
  const kinds = toTexts(reporting.kinds);
  return USE_KINDS.filter((kind) => toTexts(reporting.billed).includes(kind) && !kinds.includes(kind)).map((kind) =>
    invalid([...path, "billed"], `has ${kind}, which ${formatPath(path)}.kinds does not report`),
  );
}

function hostOf(value: unknown): string | null {
  const text = toText(value);
  return text === null ? null : toHost(text);
}

function hostOfScope(scope: string): string | null {
  return scope.startsWith("site:") ? toHost(scope.slice("site:".length)) : null;
}
