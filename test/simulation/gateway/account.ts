/** The gateway's own account, as the simulation's checkers read it. Only the model gateway writes it. */
import type { GatewayTraits } from "./traits.ts";

export interface IssuedToken {
  readonly token: string;
  readonly kind: "content" | "indexing";
  readonly url: string;
  /** As it was asked for; another spelling of the same page is of no use to it. */
  readonly spelling: string;
  /** null for indexing */
  readonly licenseType: string | null;
  readonly licenseCuid: string | null;
  readonly capMicros: number | null;
  readonly currency: string | null;
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** When the one use of it was; null while unused. */
  usedAt: number | null;
}

export interface Charge {
  readonly token: string;
  readonly url: string;
  readonly licenseType: string;
  readonly licenseCuid: string;
  readonly micros: number;
  readonly currency: string;
  readonly at: number;
  /** The content that was handed out for it: licet must hold exactly this text. */
  readonly body: string;
  /** What the answer said of it, where that is not the truth in the answer's own words. */
  readonly said: "nothing" | "truth" | "what cannot be read" | "what cannot be believed";
  /** The license in the answer is the one that was ordered. */
  readonly isAsOrdered: boolean;
}

export interface ReportedUse {
  readonly url: string;
  /** As it was reported. */
  readonly spelling: string;
  readonly licenseType: string;
  readonly licenseCuid: string | null;
  readonly times: number;
}

/** Every self-report request that arrived, the refused and repeated ones too. */
export interface ReceivedReport {
  readonly idempotencyId: string;
  readonly body: string;
  readonly at: number;
  /** `accepted` the first time; `repeated` when the id was accepted before (nothing is counted again); `rejected` for a 4xx. */
  readonly outcome: "accepted" | "repeated" | "rejected";
  readonly uses: readonly ReportedUse[];
}

/** What a page cost and since when: the price history, oldest first. */
export interface RateChange {
  readonly at: number;
  readonly rates: readonly {
    readonly licenseType: string;
    readonly cuid: string;
    readonly permissions: readonly string[];
    /** The listing leaves them out: what the license permits is not known. */
    readonly hidesPermissions?: boolean;
    readonly micros: number;
    readonly currency: string;
  }[];
}

/** Every content request that arrived, whatever came of it. */
export interface ContentRequestRecord {
  readonly token: string;
  readonly url: string;
  /** As it was asked for. */
  readonly spelling: string;
  readonly at: number;
  readonly status: number;
}

export interface GatewayAccount {
  readonly traits: GatewayTraits;
  readonly tokens: readonly IssuedToken[];
  readonly charges: readonly Charge[];
  readonly reports: readonly ReceivedReport[];
  readonly contentRequests: readonly ContentRequestRecord[];
  /** By URL. */
  readonly rates: ReadonlyMap<string, readonly RateChange[]>;
  /** What no correct client does: a request with no or a wrong key, another user agent, a path or body it cannot understand, a token sent as a key. */
  readonly protests: readonly string[];
}
