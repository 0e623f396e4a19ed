/** Tells who starts webhook runs that hints wait in the ledger. It carries nothing: the ledger says which. */
export interface HintSignal {
  /** New hints are on disk. Returns at once. */
  wake(): void;
  /** Called after each `wake`. Returns a function that ends the calls. */
  onWake(listener: () => void): () => void;
}

export function createHintSignal(): HintSignal {
  const listeners = new Set<() => void>();
  return {
    wake: () => {
      for (const listener of listeners) {
        listener();
      }
    },
    onWake: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
