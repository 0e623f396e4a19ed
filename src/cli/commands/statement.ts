import { resolve } from "node:path";
import { Option } from "commander";
import { INPUTS } from "../../agent/calls/inputs.ts";
import { createNewFile } from "../../agent/files/new-file.ts";
import type { StatementFilter } from "../../agent/reports/statement-agent.ts";
import { isLicetError, LicetError } from "../../errors.ts";
import { plainText } from "../../plain-text.ts";
import type { Statement, StatementGrouping } from "../../statement/statement.ts";
import { formatStatementCsv } from "../../statement/statement-csv.ts";
import type { CliCommand } from "../cli-command.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { toExportError } from "../export/export-error.ts";
import { TRUST_CLOCK } from "../input/parse-arguments.ts";
import { createEventLog } from "../log/event-log.ts";
import { parseHost } from "../output/host-name.ts";
import { type Layout, PLAIN_LAYOUT } from "../output/layout.ts";
import { writeOutput } from "../output/output.ts";
import { toSafeJson } from "../output/safe-json.ts";
import type { Session } from "../session.ts";
import { formatStatementMarkdown } from "../statement/statement-markdown.ts";
import { formatStatementText } from "../statement/statement-text.ts";

const FORMATS = {
  table: formatStatementText,
  csv: formatStatementCsv,
  json: (statement: Statement) => `${toSafeJson(statement)}\n`,
  markdown: formatStatementMarkdown,
} as const satisfies Record<string, (statement: Statement, layout: Layout) => string>;

/** The value of --out for stdout. */
const STDOUT = "-";

type Format = keyof typeof FORMATS;

interface StatementFlags {
  readonly month?: string;
  readonly from?: string;
  readonly to?: string;
  readonly by: StatementGrouping;
  readonly format?: Format;
  readonly out?: string;
  readonly site?: string;
  readonly trustClock?: true;
}

export function declareStatement(command: CliCommand): void {
  command
    .option("--month <month>", "a calendar month in UTC, such as 2026-11 (default: the one that ended last)")
    .addOption(
      new Option("--from <day>", "instead of a month, the first UTC day: 2026-11-20, today or yesterday").conflicts(
        "month",
      ),
    )
    .addOption(
      new Option("--to <day>", "with --from, the last UTC day, which is in it (default: today)").conflicts("month"),
    )
    .addOption(
      new Option("--by <group>", "what a line stands for").choices(INPUTS.statement.by.schema.options).default("site"),
    )
    .addOption(new Option("--format <format>", "the form (default: table)").choices(Object.keys(FORMATS)))
    .option("--out <file>", "write a file, which is complete or not there; - is stdout")
    .option("--site <host>", "only this site", parseHost)
    .option("--trust-clock", TRUST_CLOCK)
    .examples([
      ["licet statement --month 2026-11", "charges of each site"],
      ["licet statement --from yesterday --to yesterday --site news.example", "what a site cost yesterday"],
      ["licet statement --from 2026-11-01 --by day", "each day until today"],
      ["licet statement --by license --format csv --out november.csv", "for a spreadsheet"],
      ["licet statement --month 2026-11 --by day --json | jq .totals", "for a program"],
    ])
    .does(printStatement);
}

async function printStatement(session: Session, flags: StatementFlags): Promise<ExitCode> {
  const { month, from, to, by, format, site, trustClock } = flags;
  const filter: StatementFilter = { month, from, to, by, site, trustClock };
  const out = flags.out === STDOUT ? undefined : flags.out;
  if (out === undefined && session.json && format !== undefined && format !== "json") {
    throw new LicetError("USAGE_INVALID", `--json and --format ${format} are two forms of one output`, {
      hint: "Leave one of them out, or write the file with --out.",
    });
  }
  const statement = await session.withLedger((agent) => {
    const log = createEventLog(session.io, session.logging);
    agent.on("warning", ({ message }) => log.warn(message));
    return agent.statement(filter);
  });
  if (out !== undefined) {
    await writeStatement(session, { statement, out, format: format ?? (session.json ? "json" : "table") });
  } else if (format === undefined || format === "json" || format === "table") {
    const asJson = session.json || format === "json";
    await (asJson
      ? writeOutput(session.io, FORMATS.json(statement))
      : session.print(statement, (layout) => FORMATS.table(statement, layout)));
  } else {
    await writeOutput(session.io, FORMATS[format](statement));
  }
  return EXIT.done;
}

/** @throws LicetError EXPORT_UNWRITABLE */
async function writeStatement(
  session: Session,
  { statement, out, format }: { readonly statement: Statement; readonly out: string; readonly format: Format },
): Promise<void> {
  const path = resolve(session.io.cwd, out);
  const file = await createNewFile(path, { toError: toExportError }).catch((error: unknown) => {
    throw isLicetError(error, "EXPORT_UNWRITABLE") ? toStatementError(error) : error;
  });
  try {
    await file.write(FORMATS[format](statement, PLAIN_LAYOUT));
    const bytes = await file.finish();
    const { month, complete } = statement;
    await session.print(
      { file: path, format, bytes, month, complete },
      () => `${plainText(path)}: the statement of ${month}${complete ? "" : ", which is not complete"}\n`,
    );
  } finally {
    await file.discard();
  }
}

/** The hint of an export names a directory. */
function toStatementError({ message, details, cause }: LicetError<"EXPORT_UNWRITABLE">): LicetError {
  return new LicetError("EXPORT_UNWRITABLE", message, {
    hint: "Name a file with --out, in a directory that exists and can be written.",
    details,
    cause,
  });
}
