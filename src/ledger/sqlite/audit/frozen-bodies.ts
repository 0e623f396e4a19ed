/**
 * Promise 5, the bytes: a report is what was frozen, says what its entries say, and a refused one lives on in two halves that are
 * together the whole. Bodies are parsed, not built again.
 */
import { createHash } from "node:crypto";
import type { Connection } from "../engine/connection.ts";
import { type Audited, checksOf } from "./audited.ts";
import { PLAIN_USES } from "./plain-reports.ts";

interface BatchRow {
  readonly id: number;
  readonly idempotencyId: string;
  readonly body: Buffer;
  readonly bodyHash: Buffer;
  readonly state: string;
}

interface Line {
  readonly url: string;
  readonly timesUsed: number;
  readonly licenseType: string;
  readonly licenseCuid: string | null;
}

/** A line as it was sent. Not every gateway is told what the license permits. */
interface SentLine extends Line {
  readonly licensePermissions: unknown;
}

/** A line as it is kept: what the halves of a batch must repeat, and its place. */
interface Entry extends Line {
  readonly id: number;
  readonly position: number;
  readonly pageId: number;
  readonly unitMicros: number;
  readonly currency: string;
  /** Of a plain report, those of its license. Absent: its uses say them. */
  readonly permissions?: string;
}

export const FROZEN_BODIES = checksOf(5, [findBrokenBatches]);

function* findBrokenBatches({ db }: Audited): Iterable<string> {
  const selectIds = db.prepare<[], number>("SELECT id FROM usage_batch ORDER BY id").pluck();
  const selectBatch = db.prepare<[number], BatchRow>(
    "SELECT id, idempotency_id AS idempotencyId, body, body_hash AS bodyHash, state FROM usage_batch WHERE id = ?",
  );
  const selectEntries = db.prepare<[number], Entry>(
    `SELECT e.id, wire_url AS url, times AS timesUsed, license_type AS licenseType, license_cuid AS licenseCuid, position, page_id AS pageId,
            unit_micros AS unitMicros, currency
     FROM usage_batch b CROSS JOIN usage_entry e ON e.id BETWEEN b.first_entry_id AND b.last_entry_id WHERE b.id = ? ORDER BY e.id`,
  );
  const selectPlain = db.prepare<[number], Entry>(
    `SELECT b.first_entry_id + u.id - b.first_use_id AS id, p.url, u.times AS timesUsed, l.license_type AS licenseType, l.cuid AS licenseCuid,
            u.id - b.first_use_id AS position, u.page_id AS pageId, u.unit_micros AS unitMicros, u.currency, l.permissions
     FROM ${PLAIN_USES} JOIN purchase p ON p.id = u.purchase_id JOIN license l ON l.id = u.license_id WHERE b.id = ? ORDER BY u.id`,
  );
  const selectHalves = db
    .prepare<[number], number>("SELECT id FROM usage_batch WHERE parent_id = ? ORDER BY id")
    .pluck();
  const permissionsOf = createPermissionsOf(db);
  for (const id of selectIds.all()) {
    const batch = selectBatch.get(id) as BatchRow;
    const entries = [...selectEntries.all(id), ...selectPlain.all(id)];
    const halves = selectHalves.all(id).map((half) => selectEntries.all(half));
    const flaw = findBodyFlaw(batch, entries, permissionsOf) ?? findHalvesFlaw(batch.state, entries, halves);
    if (flaw !== null) {
      yield `report ${batch.idempotencyId} ${flaw}`;
    }
  }
}

/** What the licenses of an entry's uses permit, each as it is sent; empty where a batch that was split has none left. */
function createPermissionsOf(db: Connection): (entry: Entry | undefined) => unknown[] {
  const select = db
    .prepare<[number], string>(
      "SELECT DISTINCT l.permissions FROM use u JOIN license l ON l.id = u.license_id WHERE u.entry_id = ?",
    )
    .pluck();
  return (entry) =>
    (entry?.permissions === undefined ? select.all(entry?.id ?? 0) : [entry.permissions]).map((text) => {
      const names = JSON.parse(text) as string[] | null;
      return names === null ? undefined : names.map((name) => ({ name }));
    });
}

function findBodyFlaw(
  { body, bodyHash, idempotencyId }: BatchRow,
  entries: readonly Entry[],
  permissionsOf: (entry: Entry | undefined) => unknown[],
): string | null {
  if (!createHash("sha256").update(body).digest().equals(bodyHash)) {
    return "is no longer byte for byte what was frozen";
  }
  const parsed = parseBody(body);
  if (parsed === null) {
    return "cannot be read";
  }
  if (parsed.idempotencyId !== idempotencyId) {
    return `was frozen under another id, ${parsed.idempotencyId}`;
  }
  if (!isEqual(parsed.lines.map(lineFields), entries.map(lineFields))) {
    return "does not say what its entries say";
  }
  const saysOthers = parsed.lines.some(({ licensePermissions: sent }, index) => {
    const own = sent === undefined ? [] : permissionsOf(entries[index]);
    return own.some((permissions) => !isEqual(permissions, sent));
  });
  if (saysOthers) {
    return "names other permissions than the licences of its uses";
  }
  return entries.every(({ position }, index) => position === index) ? null : "has gaps between its entries";
}

function findHalvesFlaw(state: string, entries: readonly Entry[], halves: readonly Entry[][]): string | null {
  if (state !== "rejected") {
    return halves.length === 0 ? null : `was split and is ${state}`;
  }
  if (entries.length === 1) {
    return halves.length === 0 ? null : "has a single entry and was split";
  }
  return halves.length === 2 && isEqual(halves.flat().map(entryFields), entries.map(entryFields))
    ? null
    : "was rejected, and its two halves are not the whole";
}

function parseBody(body: Buffer): { readonly idempotencyId: string; readonly lines: SentLine[] } | null {
  try {
    const { idempotencyId, usage } = JSON.parse(body.toString("utf8")) as {
      idempotencyId: string;
      usage: Record<string, unknown>[];
    };
    return { idempotencyId, lines: usage.map(toLine) };
  } catch {
    return null;
  }
}

/** The license's id has a name of the gateway's choosing: it is what is left over. */
function toLine({ url, timesUsed, licenseType, licensePermissions, ...rest }: Record<string, unknown>): SentLine {
  const [licenseCuid = null] = Object.values(rest);
  return { url, timesUsed, licenseType, licenseCuid, licensePermissions } as SentLine;
}

function lineFields({ url, timesUsed, licenseType, licenseCuid }: Line): unknown[] {
  return [url, timesUsed, licenseType, licenseCuid];
}

function entryFields(entry: Entry): unknown[] {
  return [...lineFields(entry), entry.pageId, entry.unitMicros, entry.currency];
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
