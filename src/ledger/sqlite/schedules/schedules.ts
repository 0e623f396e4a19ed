/** The schedules of the configuration, and up to when their slots are dealt with. */

import type { Asked, ReadTx, Tx } from "../operation.ts";

/** Reads and writes: schedule. Idempotent: the same schedules again change nothing. */
export function setSchedules(tx: Tx, { schedules, now }: Asked<"setSchedules">): void {
  const names = new Set(schedules.map(({ name }) => name));
  for (const name of tx.values<string>("SELECT name FROM schedule").filter((known) => !names.has(known))) {
    tx.run`DELETE FROM schedule WHERE name = ${name}`;
  }
  for (const { name, timing } of schedules) {
    tx.run`INSERT INTO schedule (name, timing, since) VALUES (${name}, ${timing}, ${now})
      ON CONFLICT (name) DO UPDATE SET timing = excluded.timing, since = excluded.since
      WHERE timing <> excluded.timing OR since > excluded.since`;
  }
}

/** Reads: schedule, slot by its key from the newest row down. */
export function readOwedAfter(tx: ReadTx, { schedule, now }: Asked<"readOwedAfter">): number | null {
  const since = tx.value<number>`SELECT since FROM schedule WHERE name = ${schedule}`;
  return since === undefined
    ? null
    : Math.max(
        since,
        tx.value<number>`SELECT slot_at FROM slot WHERE schedule = ${schedule} AND slot_at <= ${now} ORDER BY slot_at DESC LIMIT 1` ??
          since,
      );
}
