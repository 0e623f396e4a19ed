/** The resolved configuration for people: each value with its defaults filled in, in the words of the file, without secrets. */
import type { Budget } from "../budget/budget.ts";
import { formatMoney } from "../money/format-money.ts";
import { formatPercent } from "../money/format-percent.ts";
import type { Money } from "../money/money.ts";
import { describeRule } from "../policy/describe-rule.ts";
import type { Fee, Policy } from "../policy/rule.ts";
import { parseQueueUrl } from "../queue/queue-url.ts";
import { formatDuration } from "../time/duration.ts";
import type { AlertConfig, Config, SiteConfig } from "./config.ts";

/** One value of the configuration. */
export interface Setting {
  /** Where it stands: `gateway`, `sites.news.example`. */
  readonly section: string;
  /** Within its section, such as `timeout` or `refresh.maxAge`. */
  readonly name: string;
  /** As the file would have it. Null: it is not set. Of a secret only whether it is set. */
  readonly value: string | null;
}

const SECRET = "set, not shown";

/** What is not named here is shown, so each secret of `Config` is taken out by its name. */
export function toSettings(config: Config): readonly Setting[] {
  const { file, envFiles, gateway, queue, serve, ledger, reporting, run, content, history } = config;
  const { token, tokens, ...listening } = serve;
  return [
    ...toRows("configuration", { file, envFiles }),
    ...toRows("gateway", { ...gateway, apiKey: SECRET, fee: gateway.fee === null ? null : toFee(gateway.fee) }),
    ...toRows("ledger", ledger),
    ...toRows("queue", { url: toQueue(queue.url) }),
    ...config.budgets.flatMap((budget, index) => toRows(`budgets.${index + 1}`, toBudget(budget))),
    ...[...config.policies.values()].flatMap((policy) => toRows(`policies.${policy.name}`, toPolicy(policy))),
    ...config.sites.flatMap((site) => toRows(`sites.${site.host}`, toSite(site))),
    ...toRows("reporting", reporting),
    ...toRows("run", run),
    ...toRows("content", content),
    ...toRows("serve", { ...listening, token: token === null ? null : SECRET }),
    ...toRows("serve.tokens", Object.fromEntries(tokens.map(({ name, can }) => [name, `may ${can}, ${SECRET}`]))),
    ...config.webhooks.flatMap(({ id, secret: _secret, ...webhook }) =>
      toRows(`webhooks.${id}`, { ...webhook, secret: SECRET }),
    ),
    ...toRows("history", history),
    ...config.alerts.flatMap((alert, index) => toRows(`alerts.${index + 1}`, toAlert(alert))),
  ];
}

const toFee = ({ ratePpm, fixed }: Fee) => ({ percent: formatPercent(ratePpm), fixed });

/** An address may have a password, and a file of a socket says where it is. */
function toQueue(url: string): string {
  const { kind, place } = parseQueueUrl(url);
  return kind === "embedded" ? url : `${place.replace(/^(redis\+unix:\/\/).*/s, "$1")}, ${SECRET}`;
}

function toBudget({ scope, period, limitMicros, currency }: Budget) {
  return {
    scope: scope.kind === "site" ? `site ${scope.host}` : scope.kind,
    per: period,
    limit: { micros: limitMicros, currency } satisfies Money,
  };
}

/** The first rule that matches decides, so each has its number. */
function toPolicy({ name: _name, rules, ...policy }: Policy) {
  const numbered = Object.fromEntries(rules.map((rule, index) => [`rule ${index + 1}`, describeRule(rule)]));
  return { ...policy, ...numbered };
}

const toSite = ({ host: _host, policy, ...site }: SiteConfig) => ({ policy: policy.name, ...site });

function toAlert({ to, ...alert }: AlertConfig) {
  return { ...alert, to: to.kind === "webhook" ? `${to.kind} (${to.form}), ${SECRET}` : `${to.kind}, ${SECRET}` };
}

function toRows(section: string, values: object): readonly Setting[] {
  return Object.entries(values).flatMap(([name, value]: [string, unknown]) => {
    if (isGroup(value)) {
      return toRows(section, Object.fromEntries(Object.entries(value).map(([key, one]) => [`${name}.${key}`, one])));
    }
    return [{ section, name: name.replace(/Ms$/, ""), value: toText(name, value) }];
  });
}

const isMoney = (value: unknown): value is Money =>
  typeof value === "object" && value !== null && "micros" in value && "currency" in value;

const isGroup = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isMoney(value);

function toText(name: string, value: unknown): string | null {
  if (value === null || value === undefined) {
    return null;
  }
  if (isMoney(value)) {
    return formatMoney(value);
  }
  if (Array.isArray(value)) {
    return value.length === 0 ? null : value.map(String).join(", ");
  }
  return typeof value === "number" && name.endsWith("Ms") ? formatDuration(value) : String(value);
}
