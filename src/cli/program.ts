/** The command line as a commander program: shared options, every command, and the messages for wrong usage. */
import { Command, Option } from "commander";
import { LicetError } from "../errors.ts";
import { CliCommand } from "./cli-command.ts";
import type { CliIo } from "./cli-io.ts";
import type { ExitCode } from "./exit-code.ts";
import { SEVERAL_LISTS } from "./input/list-argument.ts";
import { collect } from "./input/parse-arguments.ts";
import { LOG_LEVELS } from "./log/log-level.ts";
import { createSession, type FailureNotes, type GlobalOptions, type Session } from "./session.ts";

export interface Program {
  readonly command: Command;
  /** The exit code of the command that ran. Null when none ran. */
  exitCode(): ExitCode | null;
}

type AddCommand = (program: CliCommand) => void;

/**
 * Every command, in the order of the help, with the module that declares it. A module is loaded only when its command was named,
 * or for the help: loading all of them takes longer than a short command.
 */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  init: async () => (await import("./commands/init.ts")).addInitCommand,
  check: async () => (await import("./commands/check.ts")).addCheckCommand,
  plan: async () => (await import("./commands/plan.ts")).addPlanCommand,
  plans: async () => (await import("./commands/plans.ts")).addPlansCommand,
  run: async () => (await import("./commands/run.ts")).addRunCommand,
  fetch: async () => (await import("./commands/fetch.ts")).addFetchCommand,
  cancel: async () => (await import("./commands/cancel.ts")).addCancelCommand,
  report: async () => (await import("./commands/report.ts")).addReportCommand,
  use: async () => (await import("./commands/use.ts")).addUseCommand,
  status: async () => (await import("./commands/status.ts")).addStatusCommand,
  runs: async () => (await import("./commands/runs.ts")).addRunsCommand,
  reports: async () => (await import("./commands/reports.ts")).addReportsCommand,
  schedule: async () => (await import("./commands/schedule.ts")).addScheduleCommand,
  explain: async () => (await import("./commands/explain.ts")).addExplainCommand,
  evidence: async () => (await import("./commands/evidence.ts")).addEvidenceCommand,
  log: async () => (await import("./commands/log.ts")).addLogCommand,
  audit: async () => (await import("./commands/audit.ts")).addAuditCommand,
  resolve: async () => (await import("./commands/resolve.ts")).addResolveCommand,
  pause: async () => (await import("./commands/pause.ts")).addPauseCommand,
  export: async () => (await import("./commands/export.ts")).addExportCommand,
  documents: async () => (await import("./commands/documents.ts")).addDocumentsCommand,
  rights: async () => (await import("./commands/rights.ts")).addRightsCommand,
  sites: async () => (await import("./commands/sites.ts")).addSitesCommand,
  denials: async () => (await import("./commands/denials.ts")).addDenialsCommand,
  spend: async () => (await import("./commands/spend.ts")).addSpendCommand,
  statement: async () => (await import("./commands/statement.ts")).addStatementCommand,
  backup: async () => (await import("./commands/backup.ts")).addBackupCommand,
  restore: async () => (await import("./commands/restore.ts")).addRestoreCommand,
  purge: async () => (await import("./commands/purge.ts")).addPurgeCommand,
  alerts: async () => (await import("./commands/alerts.ts")).addAlertsCommand,
  prune: async () => (await import("./commands/prune.ts")).addPruneCommand,
  history: async () => (await import("./commands/history.ts")).addHistoryCommand,
  serve: async () => (await import("./commands/serve.ts")).addServeCommand,
  worker: async () => (await import("./commands/worker.ts")).addWorkerCommand,
  mcp: async () => (await import("./commands/mcp.ts")).addMcpCommand,
  sandbox: async () => (await import("./commands/sandbox.ts")).addSandboxCommand,
  completion: async () => (await import("./commands/completion.ts")).addCompletionCommand,
};

/** The command that writes down all the others. */
const NAMES_ALL = "completion";

const EPILOGUE = `
Exit codes: 0 done · 1 failed · 2 bad usage or configuration · 3 done, but a budget ran out
            4 done, but some pages failed or are in doubt · 130 interrupted (resumable)

First steps:
  $ licet sandbox                  a complete local gateway to try things on
  $ licet init shop && cd shop     a configuration that fits it
`;

/**
 * @param args the arguments, without node and the script. They decide which commands are declared: the named one, or all of them
 * when none is named or the name is unknown.
 * @param output collects what commander prints (help, version)
 * @param failure collects what the command adds to its error
 */
export async function createProgram(
  io: CliIo,
  output: { out: string; err: string },
  args: readonly string[],
  failure: FailureNotes,
): Promise<Program> {
  let exitCode: ExitCode | null = null;
  const run = async (work: (session: Session) => Promise<ExitCode>) => {
    exitCode = await work(createSession(io, program.opts<GlobalOptions>(), failure));
  };
  const program: CliCommand = addSharedOptions(new CliCommand(run, "licet"))
    .description("Crawls licensed pages through a content-licensing gateway, under policies and budgets.")
    .version(io.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help, with examples")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => {
        output.out += text;
      },
      writeErr: (text) => {
        output.err += text;
      },
      getOutHelpWidth: () => io.stdout.columns(),
      getErrHelpWidth: () => io.stderr.columns(),
      // print-error.ts prints the errors.
      outputError: () => undefined,
    })
    .addHelpText("after", EPILOGUE)
    .exitOverride();
  for (const load of chooseCommands(args)) {
    (await load())(program);
  }
  program.commands.forEach(refuseRepeated);
  return { command: program, exitCode: () => exitCode };
}

function addSharedOptions<Declared extends Command>(program: Declared): Declared {
  return program
    .option("-c, --config <file>", "configuration (default: licet.config.yaml, .json, .ts or .js here)")
    .option("--env <file>", "read variables from a file, in addition to .env beside the configuration")
    .option("--json", "print one JSON document on stdout; logs go to stderr")
    .addOption(new Option("-q, --quiet", "log warnings only, and show no progress").conflicts(["logLevel", "debug"]))
    .addOption(new Option("--log-level <level>", "what is logged on stderr (default: info)").choices(LOG_LEVELS))
    .addOption(new Option("--debug", "log each request to the gateway, and show stack traces").conflicts("logLevel"));
}

/** The second value of an option would silently replace the first: a list of pages, or a limit. An alias of a shell may set a shared option. */
function refuseRepeated(command: Command): void {
  for (const option of command.options.filter(({ required, optional }) => required || optional)) {
    let given = 0;
    command.on(`option:${option.name()}`, () => {
      given += 1;
      if (given > 1 && option.parseArg !== collect) {
        throw new LicetError("USAGE_INVALID", `--${option.name()} was given twice, and only one value can count`, {
          hint: option.name() === "list" ? `Give it once. ${SEVERAL_LISTS}` : "Give it once.",
        });
      }
    });
  }
}

function chooseCommands(args: readonly string[]): readonly (() => Promise<AddCommand>)[] {
  // Only commander knows which of the words is the value of a shared option.
  const probe = addSharedOptions(new Command()).option("-V, --version").exitOverride();
  probe.configureOutput({ outputError: () => undefined });
  let name: string;
  try {
    [name = ""] = probe.parseOptions([...args]).operands;
  } catch {
    // The value of a shared option is wrong. The program itself says so.
    return Object.values(COMMANDS);
  }
  if (probe.opts<{ readonly version?: true }>().version === true) {
    return [];
  }
  const named = Object.hasOwn(COMMANDS, name) && name !== NAMES_ALL ? COMMANDS[name] : undefined;
  return named === undefined ? Object.values(COMMANDS) : [named];
}
