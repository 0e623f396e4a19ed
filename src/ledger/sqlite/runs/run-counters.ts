/** The counts of a run (schema/tally.ts), gathered in memory within one transaction and written once per row. */
import type { Statements } from "../engine/statements.ts";
import type { TALLY_KINDS } from "../schema/tally.ts";

export type RunCounterKind = (typeof TALLY_KINDS)[number];

export interface RunCounterKey {
  readonly runRowId: number;
  readonly siteId: number;
  readonly kind: RunCounterKind;
  /** @default "" */
  readonly reason?: string;
}

export interface RunCounters {
  /** @param count may be negative: a purchase in doubt that was settled leaves one count for another */
  add(key: RunCounterKey, count: number): void;
  flush(): void;
  discard(): void;
}

interface Delta {
  readonly key: RunCounterKey;
  count: number;
}

const UPDATE = "UPDATE tally SET count = count + ? WHERE run_id = ? AND site_id = ? AND kind = ? AND reason = ?";
const INSERT = "INSERT INTO tally (count, run_id, site_id, kind, reason) VALUES (?, ?, ?, ?, ?)";

export function createRunCounters(statements: Statements): RunCounters {
  const deltas = new Map<string, Delta>();
  return {
    add(key, count) {
      const name = `${key.runRowId} ${key.siteId} ${key.kind} ${key.reason ?? ""}`;
      const delta = deltas.get(name);
      if (delta === undefined) {
        deltas.set(name, { key, count });
      } else {
        delta.count += count;
      }
    },
    flush() {
      for (const { key, count } of deltas.values()) {
        if (count !== 0) {
          const { runRowId, siteId, kind, reason = "" } = key;
          if (statements.run(UPDATE, count, runRowId, siteId, kind, reason).changes === 0) {
            statements.run(INSERT, count, runRowId, siteId, kind, reason);
          }
        }
      }
      deltas.clear();
    },
    discard() {
      deltas.clear();
    },
  };
}
