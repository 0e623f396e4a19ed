/**
 * The pages that fetches of this process are buying: many callers who want the same page at once make one purchase, and the others wait for it
 * without asking the gateway or the ledger. Other processes are held apart by the ledger, which lets a page have one open purchase.
 */
export interface PagesUnderWay {
  /**
   * Takes those of the pages that no other call has, until `release`. A call releases what it has before it waits for others, so that two calls
   * never wait for each other.
   * @param pages a key of each
   */
  take(pages: readonly string[]): TakenPages;
}

export interface TakenPages {
  readonly mine: readonly string[];
  /** Resolves when the calls that have the other pages have released them. */
  readonly others: Promise<void>;
  release(): void;
}

export function createPagesUnderWay(): PagesUnderWay {
  const underWay = new Map<string, Promise<void>>();
  return {
    take(pages) {
      const mine = pages.filter((url) => !underWay.has(url));
      const others = pages.flatMap((url) => underWay.get(url) ?? []);
      let done = () => {};
      const promise = new Promise<void>((resolve) => {
        done = resolve;
      });
      for (const url of mine) {
        underWay.set(url, promise);
      }
      return {
        mine,
        others: Promise.all(new Set(others)).then(() => undefined),
        release: () => {
          for (const url of mine) {
            underWay.delete(url);
          }
          done();
        },
      };
    },
  };
}
