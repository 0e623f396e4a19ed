/** One invocation of licet from arguments to exit code. Never throws. */
import { CommanderError } from "commander";
import { LicetError } from "../errors.ts";
import type { CliIo } from "./cli-io.ts";
import { EXIT, type ExitCode, exitCodeOfError } from "./exit-code.ts";
import { printError } from "./print-error.ts";
import { createProgram } from "./program.ts";

/** @param args without node and the script */
export async function runCli(io: CliIo, args: readonly string[]): Promise<ExitCode> {
  // Before anything is parsed, since errors of parsing must be printed in the form that was asked for.
  const optionEnd = args.indexOf("--");
  const json = (optionEnd < 0 ? args : args.slice(0, optionEnd)).includes("--json");
  const output = { out: "", err: "" };
  const program = createProgram(io, output);
  try {
    try {
      await program.command.parseAsync([...args], { from: "user" });
    } catch (error) {
      if (error instanceof CommanderError && error.exitCode === 0) {
        await io.stdout.write(output.out);
        return EXIT.done;
      }
      throw error instanceof CommanderError ? toUsageError(error, args) : error;
    }
    return program.exitCode() ?? EXIT.done;
  } catch (error) {
    return failed(io, error, json);
  }
}

async function failed(io: CliIo, error: unknown, json: boolean): Promise<ExitCode> {
  try {
    await printError(io, error, json);
  } catch {
    // stdout or stderr itself cannot be written: the exit code is all that is left to say it.
  }
  return exitCodeOfError(error);
}

/** `error: unknown option '--jsn'\n(Did you mean --json?)` becomes a message and a hint. */
function toUsageError(error: CommanderError, args: readonly string[]): LicetError {
  if (error.code === "commander.help") {
    return new LicetError("USAGE_INVALID", "no command was given", { hint: "`licet --help` lists the commands." });
  }
  const [message = "", ...more] = error.message.replace(/^error: /, "").split("\n");
  const suggestion = more
    .join(" ")
    .trim()
    .replace(/^\((.*)\)$/, "$1");
  const command = args.find((argument) => !argument.startsWith("-"));
  const isUnknown = error.code === "commander.unknownCommand" || command === undefined;
  const help = `\`licet${isUnknown ? "" : ` ${command}`} --help\` shows what can be given.`;
  return new LicetError("USAGE_INVALID", message, { hint: suggestion === "" ? help : `${suggestion} ${help}` });
}
