/** Runs licet once, from arguments to exit code. Never throws. */
import { CommanderError } from "commander";
import { isLicetError, LicetError } from "../errors.ts";
import { toInstallError } from "../install-problem.ts";
import type { CliIo } from "./cli-io.ts";
import { EXIT, type ExitCode, exitCodeOfError } from "./exit-code.ts";
import { writeOutput } from "./output/output.ts";
import { printError } from "./output/print-error.ts";
import { createProgram } from "./program.ts";
import type { FailureNotes } from "./session.ts";

/** @param args without node and the script */
export async function runCli(io: CliIo, args: readonly string[]): Promise<ExitCode> {
  // Read before the arguments are parsed, because parsing errors must be printed in the requested form.
  const optionEnd = args.indexOf("--");
  const options = optionEnd < 0 ? args : args.slice(0, optionEnd);
  const json = options.includes("--json");
  const output = { out: "", err: "" };
  const failure: FailureNotes = firstCommand(args) === "run" ? { runId: null } : {};
  try {
    const program = await createProgram(io, output, args, failure);
    try {
      await program.command.parseAsync([...args], { from: "user" });
    } catch (error) {
      if (error instanceof CommanderError && error.exitCode === 0) {
        await writeOutput(io, output.out);
        return EXIT.done;
      }
      throw error instanceof CommanderError ? toUsageError(error, args) : error;
    }
    return program.exitCode() ?? EXIT.done;
  } catch (error) {
    return failed(io, toInstallError(error) ?? toArgumentError(error, args) ?? error, {
      json,
      debug: io.debug || options.includes("--debug"),
      failure,
    });
  }
}

async function failed(io: CliIo, error: unknown, how: Parameters<typeof printError>[2]): Promise<ExitCode> {
  try {
    await printError(io, error, how);
  } catch {
    // stdout or stderr cannot be written, so only the exit code can report it.
  }
  return exitCodeOfError(error);
}

/** A hint for whoever writes a program. */
const OF_LIBRARY = /\bagent\.|\bcreateAgent\b|^See the documentation of /;

/**
 * A value that a call of the library refused, in the words of the command line: without the names of calls and their documentation. Null: it is
 * another error.
 */
function toArgumentError(error: unknown, args: readonly string[]): LicetError | null {
  if (!isLicetError(error, "USAGE_INVALID") || error.details.call === undefined) {
    return null;
  }
  const { call } = error.details;
  const command = firstCommand(args);
  const help = `\`licet${command === undefined ? "" : ` ${command}`} --help\` shows the valid arguments.`;
  return new LicetError("USAGE_INVALID", error.message.replace(`${call}: `, ""), {
    hint: error.hint === undefined || OF_LIBRARY.test(error.hint) ? help : error.hint,
    cause: error,
  });
}

/**
 * Turns `error: unknown option '--jsn'
 * (Did you mean --json?)` into a message and a hint.
 */
function toUsageError(error: CommanderError, args: readonly string[]): LicetError {
  if (error.code === "commander.help") {
    return new LicetError("USAGE_INVALID", "no command was given", { hint: "`licet --help` lists the commands." });
  }
  const [message = "", ...more] = error.message.replace(/^error: /, "").split("\n");
  const suggestion = more
    .join(" ")
    .trim()
    .replace(/^\((.*)\)$/, "$1");
  const command = firstCommand(args);
  const isUnknown = error.code === "commander.unknownCommand" || command === undefined;
  const help = `\`licet${isUnknown ? "" : ` ${command}`} --help\` shows the valid arguments.`;
  return new LicetError("USAGE_INVALID", message, { hint: suggestion === "" ? help : `${suggestion} ${help}` });
}

function firstCommand(args: readonly string[]): string | undefined {
  return args.find((argument) => !argument.startsWith("-"));
}
