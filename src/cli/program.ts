/** The command line as a commander program: shared options, every command, and the messages for wrong usage. */
import { Command } from "commander";
import type { CliIo } from "./cli-io.ts";
import { addAuditCommand } from "./commands/audit.ts";
import { addCancelCommand } from "./commands/cancel.ts";
import { addCheckCommand } from "./commands/check.ts";
import { addExplainCommand } from "./commands/explain.ts";
import { addExportCommand } from "./commands/export.ts";
import { addHistoryCommand } from "./commands/history.ts";
import { addInitCommand } from "./commands/init.ts";
import { addPlanCommand } from "./commands/plan.ts";
import { addPruneCommand } from "./commands/prune.ts";
import { addReportCommand } from "./commands/report.ts";
import { addResolveCommand } from "./commands/resolve.ts";
import { addRunCommand } from "./commands/run.ts";
import { addSandboxCommand } from "./commands/sandbox.ts";
import { addStatusCommand } from "./commands/status.ts";
import { addUseCommand } from "./commands/use.ts";
import type { ExitCode } from "./exit-code.ts";
import { createSession, type GlobalOptions, type Session } from "./session.ts";

/** Runs a command's work with the session and stores its exit code. */
export type RunCommand = (work: (session: Session) => Promise<ExitCode>) => Promise<void>;

export interface Program {
  readonly command: Command;
  /** The exit code of the command that ran. Null when none ran. */
  exitCode(): ExitCode | null;
}

const EPILOGUE = `
Exit codes: 0 done · 1 failed · 2 bad usage or configuration · 3 done, but a budget ran out
            4 done, but some pages failed or are in doubt · 130 interrupted (resumable)

First steps:
  $ licet sandbox                  a complete local gateway to try things on
  $ licet init shop && cd shop     a configuration that fits it
`;

/** @param output collects what commander prints (help, version) */
export function createProgram(io: CliIo, output: { out: string; err: string }): Program {
  let exitCode: ExitCode | null = null;
  const program = new Command("licet")
    .description("Crawls licensed pages through a content-licensing gateway, under policies and budgets.")
    .version(io.version, "-V, --version", "print the version")
    .option("-c, --config <file>", "configuration (default: licet.config.yaml, .json, .ts or .js here)")
    .option("--env <file>", "read variables from a file; variables of the environment take precedence")
    .option("--json", "print one JSON document on stdout; logs go to stderr")
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
  const run: RunCommand = async (work) => {
    exitCode = await work(createSession(io, program.opts<GlobalOptions>()));
  };
  const adders = [
    addInitCommand,
    addCheckCommand,
    addPlanCommand,
    addRunCommand,
    addCancelCommand,
    addReportCommand,
    addUseCommand,
    addStatusCommand,
    addExplainCommand,
    addAuditCommand,
    addResolveCommand,
    addExportCommand,
    addPruneCommand,
    addHistoryCommand,
    addSandboxCommand,
  ];
  for (const add of adders) {
    add(program, run);
  }
  return { command: program, exitCode: () => exitCode };
}
