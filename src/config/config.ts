/**
 * The resolved configuration: complete, parsed, readonly. Nothing in it is optional. Every default is filled in, money is in
 * micros, durations are in ms, and references are resolved. Only `loadConfig` and `resolveConfig` create one.
 */
import type { AlertEvent } from "../alert/alert.ts";
import type { Budget } from "../budget/budget.ts";
import type { RefreshTerms } from "../catalog/freshness.ts";
import type { Money } from "../money/money.ts";
import type { PolicyTest } from "../policy/policy-test.ts";
import type { Fee, Policy, RunOrder } from "../policy/rule.ts";
import type { ReportingTerms } from "../usage/use.ts";

/**
 * Header names that differ from the profile's. An absent name is as in the profile. `{Name}` is the
 * service's name. A token header `Authorization: Bearer` writes the scheme before the token.
 */
export type HeaderOverrides = Readonly<Partial<Record<"token" | "key" | "acceptContent" | "reportAgent", string>>>;

/** Path templates that differ from the profile's, with `{url}` or `{host}` for the parameter. */
export type PathOverrides = Readonly<
  Partial<
    Record<
      "content" | "catalog" | "rate" | "rateBatch" | "contentToken" | "indexingToken" | "selfReport" | "history",
      string
    >
  >
>;

/** The section `gateway`. */
export interface GatewayConfig {
  /** http or https, without a trailing slash, query or user info. */
  readonly baseUrl: string;
  /** The gateway's own name, in headers and one path. */
  readonly service: string;
  /** A secret: never printed. */
  readonly apiKey: string;
  readonly agentId: string;
  /** Contains `agentId`. */
  readonly userAgent: string;
  /** The most requests in flight. */
  readonly concurrency: number;
  /** null: no limit. */
  readonly requestsPerSecond: number | null;
  readonly timeoutMs: number;
  readonly catalogPageSize: number;
  /** URLs per bulk rate request. */
  readonly quoteBatchSize: number;
  /** The field name of the license id in a report. */
  readonly licenseIdField: "licenseCuid" | "licenseId";
  /** Whether a report names the permissions of each license. */
  readonly reportPermissions: boolean;
  readonly headers: HeaderOverrides;
  readonly paths: PathOverrides;
  /** null when the gateway adds none. */
  readonly fee: Fee | null;
}

/** When a stored page is quoted again, and when a walk is complete. */
export interface RefreshConfig extends RefreshTerms {
  /** null: every walk is full. */
  readonly fullWalkEveryMs: number | null;
  /** How far below the high-water mark an incremental walk reads. */
  readonly overlapMs: number;
}

/** When the service starts a run of a site. */
export interface ScheduleConfig {
  readonly cron: string;
  readonly timeZone: string;
  /** The slots that came while no service was running: one run for all of them, or none. */
  readonly misfire: "once" | "skip";
}

/** One of `sites`. */
export interface SiteConfig {
  /** Lower case, without scheme, path or (unless it is part of the host) port. */
  readonly host: string;
  readonly policy: Policy;
  /** Null: only by hand. */
  readonly schedule: ScheduleConfig | null;
  /** Globs on the URL's path; empty: everything. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Approvals per run on this site; null: no limit. */
  readonly maxPages: number | null;
  readonly refresh: RefreshConfig;
  readonly reporting: ReportingTerms;
}

/** The section `reporting`. */
export interface ReportingConfig extends ReportingTerms {
  /** Entries per report. */
  readonly batchSize: number;
  readonly everyMs: number;
  /** A report without an answer for this long is not sent again automatically. */
  readonly windowMs: number;
}

/** Limits of each run. Null: no limit except the budgets. The command line can override them. */
export interface RunLimits {
  readonly maxPages: number | null;
  readonly maxSpend: Money | null;
  readonly maxDurationMs: number | null;
}

/** Limits of the local conversion from HTML to Markdown. */
export interface ContentConfig {
  readonly threads: number;
  /** UTF-8 bytes of HTML. */
  readonly maxInputBytes: number;
  /** UTF-8 bytes of Markdown. */
  readonly maxOutputBytes: number;
  readonly timeoutMs: number;
  /** UTF-8 bytes of a paid page's main content. Shorter content counts as empty. */
  readonly minBytes: number;
}

/** One of `webhooks`. */
export interface WebhookConfig {
  readonly id: string;
  /** The local path that receives deliveries. */
  readonly path: string;
  /** The URL as the gateway knows it. The signature covers exactly this text. */
  readonly url: string;
  /** A secret: never printed. */
  readonly secret: string;
  /** null: not checked. */
  readonly sourceIp: string | null;
  /** null: not checked. */
  readonly userAgent: string | null;
}

/** One of `serve.tokens`. */
export interface ServeToken {
  readonly name: string;
  /** A secret: never printed. */
  readonly token: string;
  readonly can: "read" | "act" | "work";
}

/** The section `serve`. */
export interface ServeConfig {
  readonly host: string;
  readonly port: number;
  /** A secret: never printed. Null: nothing can be started or changed over HTTP. */
  readonly token: string | null;
  /** More tokens, each with the name of whoever has it. `read` may change nothing. */
  readonly tokens: readonly ServeToken[];
  /** The directory of saved plans, absolute. Null: there is none. */
  readonly plans: string | null;
  /** Whether, or from which addresses, `X-Forwarded-For` is believed. */
  readonly trustProxy: boolean | readonly string[];
  readonly shutdownMs: number;
  /** Multiplies the batches of a run that are worked on at once. */
  readonly workers: number;
}

/** The section `history`: how the gateway's delivery records are read. */
export interface HistoryConfig {
  readonly everyMs: number;
  readonly overlapMs: number;
}

/** One of `alerts`: a receiver, and what it is told. */
export interface AlertConfig {
  readonly on: readonly AlertEvent[];
  /** A use has waited for its report for so long. Null: not alerted. */
  readonly unreportedForMs: number | null;
  /** The URL may contain a secret, so it is never printed. */
  readonly to:
    | {
        readonly kind: "webhook";
        readonly url: string;
        readonly form: "json" | "slack";
        readonly secret: string | null;
      }
    | { readonly kind: "exec"; readonly command: readonly string[] };
}

/** A configuration that is checked and complete, in micros and milliseconds. `loadConfig` returns one. */
export interface Config {
  /** The file it came from, absolute; null when it was given as an object. */
  readonly file: string | null;
  /** The environment files that were read, absolute, the first takes precedence. */
  readonly envFiles: readonly string[];
  /** Settings that work but should be changed, as sentences; for `licet check`. */
  readonly warnings: readonly string[];
  readonly gateway: GatewayConfig;
  /**
   * `path` is absolute. With `mustExist`, no call creates the file. Below `lowDiskBytes` of free room, people are warned. `compress`: how texts of
   * content are written. `thread`: whether runs and a service work with it in a thread of its own.
   */
  readonly ledger: {
    readonly path: string;
    readonly mustExist: boolean;
    readonly lowDiskBytes: number;
    readonly compress: "none" | "zstd";
    readonly thread: boolean;
  };
  /** `embedded`, or the URL of a Redis (src/queue/queue-url.ts), which may contain a password and is never printed. */
  readonly queue: { readonly url: string };
  readonly budgets: readonly Budget[];
  /** By name, in the order of the file. */
  readonly policies: ReadonlyMap<string, Policy>;
  /** The tests of all policies, in the order of the file. */
  readonly policyTests: readonly PolicyTest[];
  readonly sites: readonly SiteConfig[];
  readonly reporting: ReportingConfig;
  readonly run: RunLimits & { readonly order: RunOrder };
  readonly content: ContentConfig;
  readonly serve: ServeConfig;
  readonly webhooks: readonly WebhookConfig[];
  readonly history: HistoryConfig;
  readonly alerts: readonly AlertConfig[];
}
