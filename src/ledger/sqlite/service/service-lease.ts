import type { KnownService, KnownWorker, ServiceQuery } from "../../service-ledger.ts";
import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";
import { clearWaits } from "./waits.ts";

/** A lease that ends later than so many times its length from now was taken by a clock that has been set back since. */
const MAX_LEASES_AHEAD = 2;

interface ServiceRow extends Omit<KnownService, "isAlive"> {
  readonly fence: number;
}

function findService(tx: ReadTx, { now, leaseMs, gone }: ServiceQuery): (ServiceRow & KnownService) | null {
  const row = tx.get<ServiceRow>(
    "SELECT fence, process, url, started_at AS startedAt, expires_at AS expiresAt FROM service WHERE id = 1",
  );
  if (row === undefined) {
    return null;
  }
  const { expiresAt } = row;
  const lasts = expiresAt !== null && expiresAt > now && expiresAt <= now + MAX_LEASES_AHEAD * leaseMs;
  return { ...row, isAlive: lasts && !gone.includes(row.process) };
}

/** Reads and writes: service, wait. Idempotent by process. */
export function takeService(tx: Tx, query: Asked<"takeService">): Answered<"takeService"> {
  const before = findService(tx, query);
  if (before !== null && before.expiresAt !== null && before.process === query.process) {
    return { kind: "taken", fence: before.fence, died: null };
  }
  if (before?.isAlive) {
    return { kind: "alive", service: toKnown(before) };
  }
  const { process, now, leaseMs, known } = query;
  if (before?.process !== known?.process || before?.expiresAt !== known?.expiresAt) {
    return { kind: "changed" };
  }
  const fence = tx.value<number>`INSERT INTO service (id, fence, process, url, started_at, expires_at)
    VALUES (1, 1, ${process}, NULL, ${now}, ${now + leaseMs})
    ON CONFLICT (id) DO UPDATE SET fence = fence + 1, process = excluded.process, url = NULL, started_at = excluded.started_at,
    expires_at = excluded.expires_at
    RETURNING fence` as number;
  clearWaits(tx, null);
  return { kind: "taken", fence, died: before === null || before.expiresAt === null ? null : toKnown(before) };
}

/** Writes: service. A second call writes the same; false when the fence is stale. */
export function renewService(tx: Tx, { fence, expiresAt, url, workers }: Asked<"renewService">): boolean {
  return tx.changed`UPDATE service SET expires_at = ${expiresAt}, url = ${url}, workers = ${JSON.stringify(workers)}
    WHERE id = 1 AND fence = ${fence} AND expires_at IS NOT NULL`;
}

/** Writes: service. A second call changes nothing, nor does a stale fence. */
export function releaseService(tx: Tx, fence: Asked<"releaseService">): void {
  tx.run`UPDATE service SET expires_at = NULL WHERE id = 1 AND fence = ${fence}`;
}

/** Reads: service. */
export function readService(tx: ReadTx, query: Asked<"readService">): Answered<"readService"> {
  const row = findService(tx, query);
  return row === null ? null : toKnown(row);
}

/** Reads: service. */
export function readWorkers(tx: ReadTx): Answered<"readWorkers"> {
  const workers = tx.value<string>`SELECT workers FROM service WHERE id = 1`;
  return workers === undefined ? [] : (JSON.parse(workers) as readonly KnownWorker[]);
}

function toKnown({ fence: _fence, ...service }: ServiceRow & KnownService): KnownService {
  return service;
}
