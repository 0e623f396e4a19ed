import { resolve } from "node:path";
import type { BackupReport, CopyAudit } from "../../agent/copies/backup-report.ts";
import { plainText } from "../../plain-text.ts";
import type { CliCommand } from "../cli-command.ts";
import { type ExitCode, exitCodeOfCopy } from "../exit-code.ts";
import { plural } from "../output/format-values.ts";
import { watchCopy } from "../progress/copy-progress.ts";
import type { Session } from "../session.ts";

const BYTES_PER_MB = 1_000_000;

interface BackupFlags {
  readonly force?: boolean;
}

export function declareBackup(command: CliCommand): void {
  command
    .argument("<file>", "the copy; it holds what the ledger holds: content, prices, tokens of started purchases")
    .option("--force", "replace the file when the new copy is complete")
    .examples([
      ["licet backup backups/monday.sqlite", ""],
      ["licet backup --force /backup/licet.sqlite --json", "each night, the same file"],
    ])
    .does(backup);
}

function backup(session: Session, file: string, { force = false }: BackupFlags): Promise<ExitCode> {
  const path = resolve(session.io.cwd, file);
  return session.answerFromLedger(
    (agent) => watchCopy(session, (watch) => agent.backup(path, { force, ...watch })),
    formatBackup,
    exitCodeOfCopy,
  );
}

export function formatBackup({ file, bytes, madeAt, audit }: BackupReport): string {
  const megabytes = (Math.ceil((bytes * 10) / BYTES_PER_MB) / 10).toFixed(1);
  return `${plainText(`Copied the ledger as of ${madeAt}: ${megabytes} MB in ${file}`)}\n${formatCopyAudit(audit)}`;
}

/** Of a copy that was kept: its file is whole. */
export function formatCopyAudit({ ok, violations }: CopyAudit): string {
  return ok
    ? "The audit of the copy found nothing wrong.\n"
    : `The copy is complete. Its audit found ${plural(violations.length, "violation")}, which the ledger has too: licet audit lists them.\n`;
}
