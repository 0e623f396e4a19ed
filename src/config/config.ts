/**
 * The resolved configuration: complete, parsed, readonly. Nothing in it is optional, every default is filled in, money is
 * micros, durations are ms, references are resolved. `loadConfig` and `resolveConfig` are the only ways to get one.
 */
import type { Budget } from "../budget/budget.ts";
import type { RefreshTerms } from "../catalog/freshness.ts";
import type { Money } from "../money/money.ts";
import type { Fee, Policy } from "../policy/rule.ts";
import type { ReportingTerms } from "../usage/use.ts";

/**
 * Header names that differ from the profile's; what is absent stays as the profile says (gateway-notes § Names).
 * `{Name}` stands for the service's name; a token header `Authorization: Bearer` puts the scheme before the token.
 */
export type HeaderOverrides = Readonly<Partial<Record<"token" | "key" | "acceptContent" | "reportAgent", string>>>;

/** Path templates that differ from the profile's, with `{url}` or `{host}` where the parameter stands. */
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
  /** Requests under way at once. */
  readonly concurrency: number;
  /** null: no limit. */
  readonly requestsPerSecond: number | null;
  readonly timeoutMs: number;
  readonly catalogPageSize: number;
  /** URLs per bulk rate request. */
  readonly quoteBatchSize: number;
  /** What a report calls the licence's id. */
  readonly licenseIdField: "licenseCuid" | "licenseId";
  /** Whether a report names the permissions of each licence. */
  readonly reportPermissions: boolean;
  readonly headers: HeaderOverrides;
  readonly paths: PathOverrides;
  /** null when the gateway adds none. */
  readonly fee: Fee | null;
}

/** When a held page is looked at again, and when a walk is whole. */
export interface RefreshConfig extends RefreshTerms {
  /** null: every walk is full. */
  readonly fullWalkEveryMs: number | null;
  /** How far below the high-water mark an incremental walk still reads. */
  readonly overlapMs: number;
}

/** One of `sites`. */
export interface SiteConfig {
  /** Lower case, without scheme, path or (unless it is part of the host) port. */
  readonly host: string;
  readonly policy: Policy;
  /** A cron expression, in UTC; null: only by hand. */
  readonly schedule: string | null;
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
  /** A batch unanswered for this long is not sent again by itself. */
  readonly windowMs: number;
}

/** Limits of each run; null: no limit beyond the budgets. The command line can tighten them. */
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
  /** UTF-8 bytes of a paid page's main content; fewer are none. */
  readonly minBytes: number;
}

/** One of `webhooks`. */
export interface WebhookConfig {
  readonly id: string;
  /** The local path that receives deliveries. */
  readonly path: string;
  /** The URL as the gateway knows it: the signature covers exactly this text. */
  readonly url: string;
  /** A secret: never printed. */
  readonly secret: string;
  /** null: not checked. */
  readonly sourceIp: string | null;
  /** null: not checked. */
  readonly userAgent: string | null;
}

/** A configuration as licet works with it: checked, complete, in micros and milliseconds. `loadConfig` gives one. */
export interface Config {
  /** The file it came from, absolute; null when it was given as an object. */
  readonly file: string | null;
  /** What works but should not stay, as sentences; for `licet check`. */
  readonly warnings: readonly string[];
  readonly gateway: GatewayConfig;
  /** `path` is absolute. With `mustExist`, nothing makes the file. */
  readonly ledger: { readonly path: string; readonly mustExist: boolean };
  /** `embedded`, or a `redis://`, `rediss://` or `postgres://` URL, which may carry a password: never printed. */
  readonly queue: { readonly url: string };
  readonly budgets: readonly Budget[];
  /** By name, in the order of the file. */
  readonly policies: ReadonlyMap<string, Policy>;
  readonly sites: readonly SiteConfig[];
  readonly reporting: ReportingConfig;
  readonly run: RunLimits;
  readonly content: ContentConfig;
  readonly webhooks: readonly WebhookConfig[];
}
