import type { Ledger } from "../../ledger.ts";
import type { KnownService, ServiceQuery } from "../../service-ledger.ts";
import type { Connection } from "../engine/connection.ts";
import type { LedgerCore } from "../ledger-core.ts";

/** A lease that ends later than so many times its length from now was taken by a clock that has been set back since. */
const MAX_LEASES_AHEAD = 2;

interface ServiceRow extends Omit<KnownService, "isAlive"> {
  readonly fence: number;
}

function createSelectService(db: Connection): (query: ServiceQuery) => (ServiceRow & KnownService) | null {
  const select = db.prepare<[], ServiceRow>(
    "SELECT fence, process, url, started_at AS startedAt, expires_at AS expiresAt FROM service WHERE id = 1",
  );
  return ({ now, leaseMs, gone }) => {
    const row = select.get();
    if (row === undefined) {
      return null;
    }
    const { expiresAt } = row;
    const lasts = expiresAt !== null && expiresAt > now && expiresAt <= now + MAX_LEASES_AHEAD * leaseMs;
    return { ...row, isAlive: lasts && !gone.includes(row.process) };
  };
}

/** Reads and writes: service. Idempotent by process. */
export function createTakeService({ db, write }: LedgerCore): Ledger["takeService"] {
  const find = createSelectService(db);
  const take = db
    .prepare<{ process: string; now: number; expiresAt: number }, number>(
      `INSERT INTO service (id, fence, process, url, started_at, expires_at) VALUES (1, 1, @process, NULL, @now, @expiresAt)
       ON CONFLICT (id) DO UPDATE SET fence = fence + 1, process = excluded.process, url = NULL, started_at = excluded.started_at,
         expires_at = excluded.expires_at
       RETURNING fence`,
    )
    .pluck();
  return (query) =>
    write(() => {
      const before = find(query);
      if (before !== null && before.expiresAt !== null && before.process === query.process) {
        return { kind: "taken", fence: before.fence, died: null };
      }
      if (before?.isAlive) {
        return { kind: "alive", service: toKnown(before) };
      }
      const { process, now, leaseMs } = query;
      const fence = take.get({ process, now, expiresAt: now + leaseMs }) as number;
      return { kind: "taken", fence, died: before === null || before.expiresAt === null ? null : toKnown(before) };
    });
}

/** Writes: service. */
export function createRenewService({ db, write }: LedgerCore): Ledger["renewService"] {
  const renew = db.prepare<{ fence: number; expiresAt: number; url: string | null }>(
    "UPDATE service SET expires_at = @expiresAt, url = @url WHERE id = 1 AND fence = @fence AND expires_at IS NOT NULL",
  );
  return ({ fence, expiresAt, url }) => write(() => renew.run({ fence, expiresAt, url }).changes === 1);
}

/** Writes: service. */
export function createReleaseService({ db, write }: LedgerCore): Ledger["releaseService"] {
  const release = db.prepare<[number]>("UPDATE service SET expires_at = NULL WHERE id = 1 AND fence = ?");
  return (fence) =>
    write(() => {
      release.run(fence);
    });
}

/** Reads: service. */
export function createReadService({ db, read }: LedgerCore): Ledger["readService"] {
  const find = createSelectService(db);
  return (query) =>
    read(() => {
      const row = find(query);
      return row === null ? null : toKnown(row);
    });
}

function toKnown({ fence: _fence, ...service }: ServiceRow & KnownService): KnownService {
  return service;
}
