/**
 * Ids of rows that never change once written (sites, licenses, listings, run names), so that hot operations need not look
 * them up. Emptied when a transaction is rolled back: it may hold the ids of rows that no longer exist.
 */
export interface BoundedCache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  clear(): void;
}

/** @param maxEntries when full it starts anew: cheaper than keeping an order, and the working set is small */
export function createBoundedCache<Value>(maxEntries: number): BoundedCache<Value> {
  const values = new Map<string, Value>();
  return {
    get: (key) => values.get(key),
    set(key, value) {
      if (values.size >= maxEntries) {
        values.clear();
      }
      values.set(key, value);
    },
    clear: () => values.clear(),
  };
}
