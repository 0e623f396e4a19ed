/** What rows say that never change once they are written, so that hot operations need not look it up. */
export interface RowCache<Key, Value> {
  get(key: Key): Value;
  /** When a transaction is rolled back: it may hold the ids of rows that no longer exist. */
  discard(): void;
}

/**
 * @param maxEntries when full it starts anew: cheaper than keeping an order, and the working set is small
 * @param read called for what is not known; null is not kept, because the row may come
 */
export function createRowCache<Key, Value>(maxEntries: number, read: (key: Key) => Value): RowCache<Key, Value> {
  const values = new Map<Key, Value>();
  return {
    get(key) {
      const known = values.get(key);
      if (known !== undefined) {
        return known;
      }
      const value = read(key);
      if (value !== null) {
        if (values.size >= maxEntries) {
          values.clear();
        }
        values.set(key, value);
      }
      return value;
    },
    discard: () => values.clear(),
  };
}
