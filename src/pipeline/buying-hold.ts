/**
 * Whether purchases may be started in this process. Not while content that was paid for cannot be written: what is started then would
 * only be in doubt, too (promise 4).
 */
export interface BuyingHold {
  readonly isHeld: boolean;
  /** Holds back until the function that it gives is called. */
  begin(): () => void;
}

export function createBuyingHold(): BuyingHold {
  let holders = 0;
  return {
    get isHeld() {
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
