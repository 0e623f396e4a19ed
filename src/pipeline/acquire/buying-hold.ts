/**
 * Says whether this process may start purchases. It may not while the ledger cannot write content that was paid for: a purchase
 * that is started then would also end in doubt (promise 4).
 */
export interface BuyingHold {
  readonly isActive: boolean;
  /** Holds purchases back until the returned function is called. */
  begin(): () => void;
}

export function createBuyingHold(): BuyingHold {
  let holders = 0;
  return {
    get isActive() {
      return holders > 0;
    },
    begin: () => {
      holders++;
      return () => {
        holders--;
      };
    },
  };
}
