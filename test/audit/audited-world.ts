import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { AuditReport } from "../../src/ledger/ledger-reports.ts";
import { auditLedger } from "../../src/ledger/sqlite/audit/audit-ledger.ts";
import type { AuditQuery } from "../../src/ledger/sqlite/audit/audited.ts";
import { openConnection } from "../../src/ledger/sqlite/engine/connection.ts";
import { createLedgerCore } from "../../src/ledger/sqlite/ledger-core.ts";
import { createSqliteLedger } from "../../src/ledger/sqlite/sqlite-ledger.ts";
import { systemClock } from "../../src/time/clock.ts";
import { buyPages, NOON, startPages } from "../doubles/ledger-shop.ts";
import { copyNewLedger } from "../doubles/new-ledger.ts";
import { tamper } from "../doubles/temp-ledger.ts";
import { createUse, freeze, leaseFlusher, recordUses, settle } from "../doubles/usage-outbox-driver.ts";

/**
 * Everything that can happen, and nothing that may not:
 * purchases 1 and 2 settled (reported), 3 settled (in a frozen batch), 4 in doubt, 5 started, 6 released, 7 an indexing fetch;
 * later uses of 1 settled; a rejected batch of two entries with its halves.
 */
export async function fillLedger(ledger: Ledger): Promise<void> {
  await buyPages(ledger, { runId: "run_1", paths: ["/1", "/2"], feeMicros: 100 });
  await recordUses(ledger, [createUse("/1", { times: 3, key: "first" })]);
  const fence = await leaseFlusher(ledger);
  const { reportId } = await freeze(ledger, fence, { idempotencyId: "whole" });
  const idempotencyIds = ["half-1", "half-2"] as const;
  await ledger.rejectReport({
    fence,
    reportId,
    status: 400,
    detail: "no",
    idempotencyIds,
    licenseIdField: "licenseCuid",
    now: NOON,
  });
  for (const _ of idempotencyIds) {
    const half = await ledger.nextReport({ fence, now: NOON, windowMs: 1 });
    if (half !== null) {
      await settle(ledger, half);
    }
  }
  await buyPages(ledger, { runId: "run_2", paths: ["/3"], useReserveMicros: 10_000 });
  await freeze(ledger, fence, { idempotencyId: "waiting" });
  const [doubtful] = await startPages(ledger, { runId: "run_3", paths: ["/4"] });
  await ledger.holdInDoubt({
    purchaseId: doubtful?.purchaseId ?? 0,
    reason: "token_spent",
    detail: "no answer",
    now: NOON,
  });
  await startPages(ledger, { runId: "run_4", paths: ["/5"] });
  const [refused] = await startPages(ledger, { runId: "run_5", paths: ["/6"] });
  await ledger.releasePurchase({
    purchaseId: refused?.purchaseId ?? 0,
    reason: "content_refused",
    detail: "403",
    now: NOON,
  });
  await buyPages(ledger, { runId: "run_6", paths: ["/7"], intent: "indexing", format: "html" });
}

/** Bookings are added up often: such a ledger has some dozens. */
const SUM_EVERY = 3;

/**
 * Writes such a ledger once.
 * @param sql rows that no operation of the port writes
 * @returns its file's bytes, and each test damages its own copy
 */
export async function createLedgerBytes(fill: (ledger: Ledger) => Promise<void>, sql = ""): Promise<Buffer> {
  const directory = mkdtempSync(join(tmpdir(), "licet-audit-"));
  const path = join(directory, "licet.sqlite");
  try {
    await copyNewLedger(path);
    const connection = openConnection(path);
    const ledger = createSqliteLedger(createLedgerCore(connection, path, systemClock, undefined, undefined, SUM_EVERY));
    await fill(ledger);
    await ledger.close();
    // A copy in memory has no room for a write-ahead log beside it.
    const db = new Database(path);
    db.exec(sql);
    db.pragma("journal_mode = DELETE");
    db.close();
    return readFileSync(path);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** What the audit says of a copy after it was changed behind the ledger's back. */
export function auditAfter(bytes: Buffer, sql: string, budgets: AuditQuery["budgets"] = []): AuditReport {
  const damaged = new Database(bytes);
  tamper(damaged, sql);
  // Opened anew, as another process would: with its CHECKs, and with the schema as it is now.
  const db = new Database(damaged.serialize());
  damaged.close();
  try {
    return auditLedger(db, { budgets, now: NOON }, () => []);
  } finally {
    db.close();
  }
}
