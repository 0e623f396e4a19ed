/** The whole state of the model gateway: its options, the pages that it publishes, and its account. */
import type { Charge, ContentRequestRecord, IssuedToken, ReceivedReport } from "./account.ts";
import type { ModelAnswer, ModelGatewayOptions } from "./model-gateway.ts";
import { type CatalogPlace, type Published, publishSites } from "./published.ts";

export type Format = "markdown" | "html";

/** A token with what else it binds. */
export interface Sale {
  readonly issued: IssuedToken;
  readonly userAgent: string;
  /** null for indexing, which may request either. */
  readonly format: Format | null;
}

/** The place in a catalog that a page token names. */
export interface CatalogMark {
  readonly host: string;
  /** How many entries were given so far. */
  readonly offset: number;
  /** Where the last entry given stood at that time. */
  readonly last: CatalogPlace;
}

/** The gateway's record of one notification. */
export interface DeliveryAttempts {
  readonly contentUrl: string;
  readonly deliveryUrl: string;
  readonly eventType: "CREATE" | "UPDATE";
  lastAttempt: number;
  lastStatus: number | null;
  numAttempts: number;
}

export interface GatewayState extends Published {
  readonly options: ModelGatewayOptions;
  readonly tokens: IssuedToken[];
  readonly charges: Charge[];
  readonly reports: ReceivedReport[];
  readonly contentRequests: ContentRequestRecord[];
  readonly protests: string[];
  readonly deliveries: DeliveryAttempts[];
  /** What was unfriendly only for a while is over. */
  isFixed: boolean;
  /** By token. */
  readonly sales: Map<string, Sale>;
  /** By page token. */
  readonly marks: Map<string, CatalogMark>;
  /** By id. A refused report leaves its id free. */
  readonly accepted: Map<string, { readonly body: string; readonly answer: ModelAnswer; repeats: number }>;
}

export function createGatewayState(options: ModelGatewayOptions): GatewayState {
  return {
    options,
    ...publishSites(options.sites, options.traits, options.startAt),
    tokens: [],
    charges: [],
    reports: [],
    contentRequests: [],
    protests: [],
    deliveries: [],
    isFixed: false,
    sales: new Map(),
    marks: new Map(),
    accepted: new Map(),
  };
}
