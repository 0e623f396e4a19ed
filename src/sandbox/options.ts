import type { Clock } from "../time/clock.ts";
import type { FaultSettings } from "./faults/faults.ts";
import type { CatalogOrder } from "./pages/listed-site.ts";
import type { PageInput } from "./pages/page.ts";
import type { RatesFile } from "./pricing/rates-file.ts";
import type { ProfileVariants } from "./profile/gateway-names.ts";
import type { GivenSubscription } from "./webhooks/subscriptions.ts";

/** Where a site's pages come from. */
export type SiteSource = SiteSettings &
  (
    | {
        /** About seventy generated articles, always the same. */
        readonly kind: "demo";
      }
    | {
        /** A page is an `.html`, `.htm` or `.md` file, or a directory with a `source.html`. */
        readonly kind: "directory";
        readonly dir: string;
      }
    | {
        /** Pages that are computed, for benchmarks. */
        readonly kind: "synthetic";
        readonly pages: number;
        /** Size of a page's main content. @default 6000 */
        readonly bodyBytes?: number;
      }
    | { readonly kind: "pages"; readonly pages: readonly PageInput[] }
  );

interface SiteSettings {
  /** Domain, with its port if it has one. */
  readonly host: string;
  /** Whether indexing tokens are accepted. @default true */
  readonly indexing?: boolean;
  /** Order of the catalog. The specification's is `lastMod`; `listed` differs from it, for tests. @default "lastMod" */
  readonly order?: CatalogOrder;
}

/** A subscriber that is notified of new and changed pages. */
export interface WebhookSubscription {
  readonly id: string;
  /** Where deliveries go. The signature is computed over exactly this text. */
  readonly url: string;
  /** The signing secret. */
  readonly secret: string;
  /** Only pages of these hosts. @default all */
  readonly hosts?: readonly string[];
  /** Encoding of the signature. @default "hex" */
  readonly encoding?: "hex" | "base64";
  /** Text before the signature, such as `sha256=`. @default "" */
  readonly prefix?: string;
}

/** The options of `startSandbox`. */
export interface SandboxOptions {
  readonly sites: readonly SiteSource[];
  /** 0: any free port. @default 0 */
  readonly port?: number;
  /** @default "127.0.0.1" */
  readonly host?: string;
  /** The gateway's own name, as in its headers. @default "Service" */
  readonly service?: string;
  /** Deviations from the specification. @default none */
  readonly profileVariants?: ProfileVariants;
  /** @default ["sandbox-key"] */
  readonly apiKeys?: readonly string[];
  /** Registered AgentIDs. @default ["licet-demo"] */
  readonly agentIds?: readonly string[];
  /** A rates file (its format: pricing/rates-file.ts). Not together with `rates`. */
  readonly ratesFile?: string;
  /** The content of a rates file. */
  readonly rates?: RatesFile;
  /** Time between a request's effect and its answer. @default 0 */
  readonly latencyMs?: number;
  /** Faults by name. @default none */
  readonly faults?: FaultSettings;
  /** How long a `slow` fault delays the answer, in ms. @default 500 */
  readonly slowMs?: number;
  /** @default 300000 */
  readonly tokenLifeMs?: number;
  /** URLs in one bulk rate request. @default 500 */
  readonly maxUrlsPerBatch?: number;
  /** Largest `pageSize` of the catalog. @default 1000 */
  readonly maxPageSize?: number;
  /** `pageSize` when none is asked for. @default 100 */
  readonly defaultPageSize?: number;
  /** Entries in one self-report. @default 1000 */
  readonly maxUsageEntries?: number;
  /** Largest request body. @default 1048576 */
  readonly maxBodyBytes?: number;
  /** Seed of the faults. @default 1 */
  readonly seed?: number;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** Without an id, a subscription gets one. @default none */
  readonly webhooks?: readonly GivenSubscription[];
  /** User-Agent of webhook deliveries. @default "sandbox-delivery/1.0" */
  readonly deliveryAgent?: string;
  /** Waits between the attempts of one delivery; their number limits the attempts. @default [1000, 5000, 30000] */
  readonly deliveryRetryMs?: readonly number[];
  /** How long a `webhook-late` delivery waits, in ms. @default 30000 */
  readonly deliveryLateMs?: number;
  /** How often a page is published or updated by itself, in ms. @default never */
  readonly publishEveryMs?: number;
  /** Largest size of the cache of converted pages, in bytes. @default 67108864 */
  readonly cacheBytes?: number;
}

/** The numbers and lists that the endpoints use, complete. */
export interface SandboxLimits {
  readonly apiKeys: ReadonlySet<string>;
  readonly agentIds: readonly string[];
  readonly latencyMs: number;
  readonly slowMs: number;
  readonly tokenLifeMs: number;
  readonly maxUrlsPerBatch: number;
  readonly maxPageSize: number;
  readonly defaultPageSize: number;
  readonly maxUsageEntries: number;
  readonly maxBodyBytes: number;
  readonly cacheBytes: number;
}

/** @throws Error naming the option that is out of range. */
export function resolveLimits(options: SandboxOptions): SandboxLimits {
  const limits: SandboxLimits = {
    apiKeys: new Set(options.apiKeys ?? ["sandbox-key"]),
    agentIds: options.agentIds ?? ["licet-demo"],
    latencyMs: options.latencyMs ?? 0,
    slowMs: options.slowMs ?? 500,
    tokenLifeMs: options.tokenLifeMs ?? 300_000,
    maxUrlsPerBatch: options.maxUrlsPerBatch ?? 500,
    maxPageSize: options.maxPageSize ?? 1_000,
    defaultPageSize: options.defaultPageSize ?? 100,
    maxUsageEntries: options.maxUsageEntries ?? 1_000,
    maxBodyBytes: options.maxBodyBytes ?? 1_048_576,
    cacheBytes: options.cacheBytes ?? 67_108_864,
  };
  for (const [name, value] of Object.entries(limits)) {
    if (typeof value === "number" && !(Number.isFinite(value) && value >= 0)) {
      throw new Error(`${name}: ${value} is not a number of 0 or more`);
    }
  }
  if (limits.apiKeys.size === 0 || limits.apiKeys.has("")) {
    throw new Error("apiKeys: give at least one key; a key is not empty");
  }
  if (limits.agentIds.length === 0 || limits.agentIds.includes("")) {
    throw new Error("agentIds: give at least one id; an id is not empty");
  }
  for (const name of ["maxUrlsPerBatch", "maxPageSize", "defaultPageSize", "maxUsageEntries"] as const) {
    if (!Number.isInteger(limits[name]) || limits[name] < 1) {
      throw new Error(`${name}: must be a whole number from 1`);
    }
  }
  return limits;
}
