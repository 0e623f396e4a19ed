import type { HintKind, HintState } from "../../ledger/hint-ledger.ts";
import type { PageRecord } from "../../ledger/ledger-reports.ts";
import type { Micros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import type { ListedVerdict, RuleFinding } from "../../policy/verdict.ts";
import type { ListedRates } from "../../rates/listed-rate.ts";
import type { DocumentRights } from "../../rights/rights.ts";
import type { Conclusion } from "./conclusion.ts";

/** How a page is explained. */
export interface ExplainOptions {
  /** True: LEDGER_MISSING when there is no ledger. Else the page is explained as for the first run of a new one. @default false */
  readonly needsLedger?: boolean | undefined;
}

/** `explain --json`. */
export interface Explanation {
  /** Whether the next run would buy the page, and why. */
  readonly conclusion: Conclusion;
  readonly url: string;
  readonly host: string;
  readonly policy: { readonly name: string; readonly rules: readonly string[] };
  /** The page's current rates. Null when the gateway gave no answer; `liveError` then contains the reason. */
  readonly live: {
    readonly listing: ListedRates;
    readonly findings: readonly RuleFinding[];
    /** Rates that cannot be bought, each with its reason. No rule is applied to them. */
    readonly flawedRates: readonly { readonly rateIndex: number; readonly reason: string }[];
    readonly verdict: ListedVerdict;
    /** Of the rate that is allowed. Null without one. */
    readonly priceMicros: Micros | null;
    readonly currency: Currency | null;
  } | null;
  readonly liveError: string | null;
  /** True when the gateway could not be asked. False also when it refuses the rates of this page. */
  readonly isGatewayDown: boolean;
  /** Whether the current price fits each budget that covers the page. */
  readonly budgets: readonly {
    readonly label: string;
    readonly leftMicros: Micros;
    readonly currency: Currency;
    readonly fits: boolean;
  }[];
  /** Until when the license lets us use the stored version, and what happens then. Null: not stored, or without an end. */
  readonly rights: DocumentRights | null;
  /** What the ledger contains about the page: purchases, denials, the stored version. Null: nothing. */
  readonly record: PageRecord | null;
  /**
   * The address under which the version is held that a fetch gives without buying: the page's own, or that under the other scheme (`http`,
   * `https`). Null: a fetch has to buy it.
   */
  readonly storedAs: string | null;
  /** Notifications of the page that no run has decided, oldest first: the next webhook run looks at the page for them. */
  readonly notifications: readonly {
    readonly kind: HintKind;
    /** As it was received. */
    readonly timestamp: string;
    readonly receivedAt: number;
    readonly state: Extract<HintState, "waiting" | "entered">;
  }[];
}
