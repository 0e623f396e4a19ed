/** `agent.backup`, `agent.restore` and `agent.acceptRestored`. */
import { dirname, resolve } from "node:path";
import { LicetError } from "../../errors.ts";
import type { CopyRisks } from "../../ledger/copy-ledger.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Violation } from "../../ledger/ledger-reports.ts";
import { backupLedger } from "../../ledger/sqlite/copies/backup-ledger.ts";
import { restoreLedger } from "../../ledger/sqlite/copies/restore-ledger.ts";
import { toActedBy } from "../acts/acted-by.ts";
import type { Resources } from "../compose.ts";
import { newTemporaryName, removeLeftIn } from "../files/temporary-file.ts";
import { toAuditQuery } from "../reports/status-agent.ts";
import { processLabel } from "../this-process.ts";
import type {
  AcceptOptions,
  AcceptReport,
  BackupReport,
  CopyAudit,
  CopyOptions,
  RestoreReport,
} from "./backup-report.ts";

export async function backupAgent(resources: Resources, file: string, options: CopyOptions): Promise<BackupReport> {
  const { config, clock, processes } = resources;
  const madeAt = clock.now();
  const target = resolve(file);
  const process = processes.begin();
  try {
    await removeLeftIn(dirname(target));
    const { bytes, violations } = await backupLedger({
      path: config.ledger.path,
      file: target,
      madeAt,
      madeBy: processLabel(process),
      query: toAuditQuery(config, madeAt),
      temporaryName: newTemporaryName(),
      ...toCopyOptions(options),
    });
    return { file: target, bytes, madeAt: toIso(madeAt), audit: toAudit(violations) };
  } finally {
    processes.end(process);
  }
}

export async function restoreAgent(resources: Resources, file: string, options: CopyOptions): Promise<RestoreReport> {
  const { config, clock } = resources;
  const now = clock.now();
  const source = resolve(file);
  const { path } = config.ledger;
  await removeLeftIn(dirname(path));
  const { madeAt, movedTo, violations } = await restoreLedger({
    file: source,
    path,
    now,
    query: toAuditQuery(config, now),
    temporaryName: newTemporaryName(),
    suffix: toSuffix(resources),
    ...toCopyOptions(options),
  });
  return { file: source, path, madeAt: toIso(madeAt), movedTo, audit: toAudit(violations), accepted: false };
}

/**
 * Accepts a restored copy as the ledger. First its unreported uses are frozen into reports, so that no use can go out under a new id
 * while a later ledger has reported it under another one. Then every report without an answer waits for a person's word. A crash
 * in between leaves the copy unaccepted; the next acceptance goes on.
 */
export async function acceptRestoredAgent(
  resources: Resources,
  { dryRun = false, ...acting }: AcceptOptions,
): Promise<AcceptReport> {
  const { config, clock } = resources;
  const ledger = await resources.ledger("restored");
  const risks = await ledger.readCopyRisks();
  if (risks === null) {
    throw new LicetError(
      "USAGE_INVALID",
      `this ledger is not a copy, there is nothing to accept: ${config.ledger.path}`,
      {
        hint: "`licet restore FILE` puts a copy in its place",
      },
    );
  }
  if (dryRun || risks.copy.acceptedAt !== null) {
    return toReport(resources, risks, { accepted: risks.copy.acceptedAt !== null, toReconcile: 0 });
  }
  await freezeUses(resources, ledger);
  return toReport(resources, risks, await ledger.acceptCopy({ who: toActedBy(resources, acting), now: clock.now() }));
}

/** A lease is free: the copy was made without leases, and while it is not accepted nobody reports. */
async function freezeUses(resources: Resources, ledger: Ledger): Promise<void> {
  const { config, clock, ids, tuning } = resources;
  const lease = await ledger.leaseFlusher({ now: clock.now(), leaseMs: tuning.pipeline.flushLeaseMs });
  if (lease === null) {
    throw new LicetError("LEDGER_LOCKED", `another process accepts this copy now: ${config.ledger.path}`, {
      hint: "Wait until it ends, and look at `licet status`.",
      details: { path: config.ledger.path },
    });
  }
  const { licenseIdField, reportPermissions } = config.gateway;
  for (;;) {
    const frozen = await ledger.freezeReport({
      fence: lease.fence,
      idempotencyId: ids.newIdempotencyId(),
      maxEntries: config.reporting.batchSize,
      licenseIdField,
      reportPermissions,
      now: clock.now(),
    });
    if (frozen === null) {
      break;
    }
  }
  await ledger.releaseFlusher(lease.fence);
}

function toCopyOptions({ force = false, signal = new AbortController().signal, onProgress = () => {} }: CopyOptions) {
  return { force, signal, onProgress };
}

/** Readable, and never used twice: `20261122T041500Z-k3x9`. */
function toSuffix({ clock, ids }: Resources): string {
  const instant = toIso(clock.now()).replace(/[-:]|\.\d+/g, "");
  return `${instant}-${ids.newIdempotencyId().slice(-6)}`;
}

function toAudit(violations: readonly Violation[]): CopyAudit {
  return { ok: violations.length === 0, violations };
}

function toReport(
  { config }: Resources,
  { copy, lastPurchaseAt, lastReportAt, ...rest }: CopyRisks,
  outcome: Pick<AcceptReport, "accepted" | "toReconcile">,
): AcceptReport {
  return {
    path: config.ledger.path,
    ...outcome,
    madeAt: toIso(copy.madeAt),
    madeBy: copy.madeBy,
    lastPurchaseAt: lastPurchaseAt === null ? null : toIso(lastPurchaseAt),
    lastReportAt: lastReportAt === null ? null : toIso(lastReportAt),
    ...rest,
  };
}

function toIso(at: number): string {
  return new Date(at).toISOString();
}
