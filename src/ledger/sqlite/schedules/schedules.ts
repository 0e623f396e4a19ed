/** The schedules of the configuration, and up to when their slots are dealt with. */
import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

/** Reads and writes: schedule. Idempotent: the same schedules again change nothing. */
export function createSetSchedules({ db, write }: LedgerCore): Ledger["setSchedules"] {
  const put = db.prepare<{ name: string; timing: string; now: number }>(
    `INSERT INTO schedule (name, timing, since) VALUES (@name, @timing, @now)
     ON CONFLICT (name) DO UPDATE SET timing = excluded.timing, since = excluded.since
     WHERE timing <> excluded.timing OR since > excluded.since`,
  );
  const selectNames = db.prepare<[], string>("SELECT name FROM schedule").pluck();
  const remove = db.prepare<[string]>("DELETE FROM schedule WHERE name = ?");
  return ({ schedules, now }) =>
    write(() => {
      const names = new Set(schedules.map(({ name }) => name));
      for (const name of selectNames.all().filter((known) => !names.has(known))) {
        remove.run(name);
      }
      for (const { name, timing } of schedules) {
        put.run({ name, timing, now });
      }
    });
}

/** Reads: schedule, slot by its key from the newest row down. */
export function createReadOwedAfter({ db, read }: LedgerCore): Ledger["readOwedAfter"] {
  const selectSince = db.prepare<[string], number>("SELECT since FROM schedule WHERE name = ?").pluck();
  const selectLast = db
    .prepare<{ schedule: string; now: number }, number>(
      "SELECT slot_at FROM slot WHERE schedule = @schedule AND slot_at <= @now ORDER BY slot_at DESC LIMIT 1",
    )
    .pluck();
  return ({ schedule, now }) =>
    read(() => {
      const since = selectSince.get(schedule);
      return since === undefined ? null : Math.max(since, selectLast.get({ schedule, now }) ?? since);
    });
}
