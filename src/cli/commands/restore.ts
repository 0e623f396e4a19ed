import { resolve } from "node:path";
import type { ActingOptions } from "../../agent/acts/acted-by.ts";
import type { Agent } from "../../agent/agent.ts";
import { INPUTS } from "../../agent/calls/inputs.ts";
import type { AcceptReport, RestoreReport } from "../../agent/copies/backup-report.ts";
import { LicetError } from "../../errors.ts";
import { plainText } from "../../plain-text.ts";
import type { CliCommand } from "../cli-command.ts";
import { EXIT, type ExitCode, exitCodeOfCopy } from "../exit-code.ts";
import { plural } from "../output/format-values.ts";
import { watchCopy } from "../progress/copy-progress.ts";
import type { Session } from "../session.ts";
import { formatCopyAudit } from "./backup.ts";

interface RestoreFlags extends ActingOptions {
  readonly force?: boolean;
  readonly accept?: boolean;
  readonly yes?: boolean;
}

export function declareRestore(command: CliCommand): void {
  command
    .argument("[file]", "the copy, from licet backup")
    .option("--force", "move the ledger that is there aside; nothing is deleted")
    .option("--accept", "accept the restored copy as the ledger, after a look at what it may buy and report again")
    .option("--yes", "with --accept: do not ask")
    .acting(INPUTS.acceptRestored)
    .examples([
      ["licet restore backups/monday.sqlite", "then look: licet status, licet audit"],
      ["licet restore --accept", "says what to check, and asks"],
    ])
    .does(restore);
}

function restore(session: Session, file: string | undefined, flags: RestoreFlags): Promise<ExitCode> {
  const { force = false, accept = false, yes = false, by, reason } = flags;
  const isNamed = by !== undefined || reason !== undefined;
  if ((file === undefined) !== accept || (accept && force) || ((yes || isNamed) && !accept)) {
    throw new LicetError("USAGE_INVALID", "name a copy to restore, or use --accept for the one that was restored", {
      hint: "licet restore FILE [--force], then licet restore --accept [--yes] [--by NAME] [--reason TEXT]",
    });
  }
  if (file === undefined) {
    return session.withAgent((agent) => acceptCopy(session, agent, { yes, by, reason }));
  }
  const path = resolve(session.io.cwd, file);
  return session.answerFromAgent(
    (agent) => watchCopy(session, (watch) => agent.restore(path, { force, ...watch })),
    formatRestored,
    exitCodeOfCopy,
  );
}

async function acceptCopy(
  session: Session,
  agent: Agent,
  { yes, ...acting }: { readonly yes: boolean } & ActingOptions,
): Promise<ExitCode> {
  const found = await agent.acceptRestored({ dryRun: true });
  const isAsked = !yes && !found.accepted;
  if (isAsked && !session.json) {
    await session.io.stdout.write(formatRisks(found));
  }
  if (isAsked && (session.json || !session.io.stderr.isTerminal || !(await askPerson(session)))) {
    throw new LicetError("LEDGER_RESTORED", "the copy was not accepted: it buys and reports nothing", {
      hint: "After the checks: licet restore --accept --yes",
      details: { path: found.path, madeAt: found.madeAt },
    });
  }
  const report = await agent.acceptRestored(acting);
  await session.print(report, () => formatAccepted(report));
  return EXIT.done;
}

async function askPerson({ io }: Session): Promise<boolean> {
  await io.stderr.write("Type yes to accept the copy as the ledger: ");
  for await (const chunk of io.stdin) {
    return Buffer.from(chunk).toString("utf8").trim().toLowerCase() === "yes";
  }
  return false;
}

function formatRestored({ path, madeAt, movedTo, audit }: RestoreReport): string {
  return [
    plainText(`The ledger is now the copy from ${madeAt}: ${path}`),
    ...(movedTo === null ? [] : [plainText(`The former ledger is kept: ${movedTo}`)]),
    formatCopyAudit(audit).trimEnd(),
    "It can be read. It buys and reports nothing until it is accepted: licet restore --accept",
    "",
  ].join("\n");
}

/** What only a person can know, beside what the copy knows. */
export function formatRisks(report: AcceptReport): string {
  const { madeAt, madeBy, lastPurchaseAt, lastReportAt, purchases, unreportedUses, openReports, unfinishedRuns } =
    report;
  return [
    plainText(`This copy was made at ${madeAt} by ${madeBy}.`),
    `  last purchase in it:      ${lastPurchaseAt ?? "none"}`,
    `  last report in it:        ${lastReportAt ?? "none"}`,
    `  reserved, not bought:     ${purchases.reserved}`,
    `  started, without answer:  ${purchases.started}`,
    `  in doubt:                 ${purchases.inDoubt}`,
    `  uses in no report:        ${unreportedUses}`,
    `  reports without answer:   ${openReports}`,
    `  runs that have not ended: ${unfinishedRuns}`,
    "",
    "If a later ledger was in use after that, then after the acceptance:",
    "- pages that it bought are bought again, and their charges are missing from the budgets here;",
    "- uses that it recorded and reported are not here: do not record them again;",
    "- started purchases are probed with their own tokens: they cannot be charged twice, but may end in doubt;",
    "- the uses and reports above are not sent: each report waits for licet resolve ID --taken or --not-taken.",
    "",
    "Before you accept: stop every licet that uses the later ledger. Look for the later file itself. Compare the gateway's",
    "account or invoice with licet status, and lower the budgets by what is missing here.",
    "",
  ].join("\n");
}

function formatAccepted({ path, madeAt, toReconcile }: AcceptReport): string {
  return [
    plainText(`The copy from ${madeAt} is accepted as the ledger: ${path}`),
    toReconcile === 0
      ? "No report waits for you."
      : `${plural(toReconcile, "report waits", "reports wait")} for your decision: licet status lists them, licet resolve ID --taken or --not-taken ends each.`,
    "",
  ].join("\n");
}
