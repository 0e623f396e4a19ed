/** What a real process must do to itself: preload/preload.mjs reads it from LICET_TEST_ORDER. */
export interface CrashOrder {
  /** At the nth call of a step (preload/steps.mjs): end there, or freeze there. */
  readonly stopAt?: {
    readonly step: string;
    readonly moment: Moment;
    readonly nth: number;
    readonly signal: "SIGKILL" | "SIGSTOP";
  };
  /** Overrides of `TUNING.pipeline`. */
  readonly limits?: Readonly<Record<string, number>>;
  /** Overrides of `TUNING`. */
  readonly tuning?: Readonly<Record<string, number>>;
  /** How wrong the wall clock is from the start, and by how much it jumps after so much real time, or with the nth SIGUSR2. */
  readonly clock?: {
    readonly startMs: number;
    readonly jumps: readonly (
      | { readonly afterMs: number; readonly byMs: number }
      | { readonly onSignal: number; readonly byMs: number }
    )[];
  };
  /** SQLite's file may not grow past this. */
  readonly maxLedgerPages?: number;
}

/** Before and after every call; ledger writes also on both sides of their COMMIT, calls to the gateway also on their way. */
export const LEDGER_MOMENTS = ["before", "uncommitted", "committed", "after"] as const;
export const GATEWAY_MOMENTS = ["before", "sent", "after"] as const;
export type Moment = (typeof LEDGER_MOMENTS)[number] | (typeof GATEWAY_MOMENTS)[number];

export function killAt(step: string, moment: Moment, nth = 1): CrashOrder {
  return { stopAt: { step, moment, nth, signal: "SIGKILL" } };
}

export function freezeAt(step: string, moment: Moment, nth = 1): CrashOrder {
  return { stopAt: { step, moment, nth, signal: "SIGSTOP" } };
}
