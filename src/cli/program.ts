/** The command line as a commander program: shared options, every command, and the messages for wrong usage. */
import { Command, Option } from "commander";
import { LicetError } from "../errors.ts";
import { CliCommand } from "./cli-command.ts";
import type { CliIo } from "./cli-io.ts";
import { COMMANDS, type ListedCommand } from "./command-list.ts";
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

/** The command that writes down all the others with their options. */
const LOADS_ALL = "completion";
/** commander's own: the name of a command comes behind it. */
const HELP = "help";

const EPILOGUE = `
Exit codes: 0 done · 1 failed · 2 bad usage or configuration · 3 done, but a budget ran out
            4 done, but some pages failed or are in doubt · 130 interrupted (resumable)

First steps:
  $ licet sandbox                  a complete local gateway to try things on
  $ licet init shop && cd shop     a configuration that fits it
`;

/**
 * @param args the arguments, without node and the script. They decide which commands are declared: the named one, or, when none is named or
 * the name is unknown, the names of all.
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
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (command) => `${command.name()} ${command.usage()}` })
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
  const { chosen, areLoaded } = chooseCommands(args);
  for (const [name, { takes = "", says, load }] of chosen) {
    if (areLoaded) {
      const declare = await load();
      declare(program.command(name).description(says));
    } else {
      program.command(`${name} ${takes}`).description(says);
    }
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

interface ChosenCommands {
  readonly chosen: readonly (readonly [name: string, ListedCommand])[];
  /** False: nothing but their names, for the help and for what is meant by an unknown name. */
  readonly areLoaded: boolean;
}

function chooseCommands(args: readonly string[]): ChosenCommands {
  // Only commander knows which of the words is the value of a shared option.
  const probe = addSharedOptions(new Command()).option("-V, --version").exitOverride();
  probe.configureOutput({ outputError: () => undefined });
  const all = Object.entries(COMMANDS);
  let operands: readonly string[];
  try {
    operands = probe.parseOptions([...args]).operands;
  } catch {
    // The value of a shared option is wrong. The program itself says so.
    return { chosen: all, areLoaded: false };
  }
  if (probe.opts<{ readonly version?: true }>().version === true) {
    return { chosen: [], areLoaded: false };
  }
  const name = (operands[0] === HELP ? operands[1] : operands[0]) ?? "";
  if (name === LOADS_ALL) {
    return { chosen: all, areLoaded: true };
  }
  const named = all.filter(([listed]) => listed === name);
  return named.length > 0 ? { chosen: named, areLoaded: true } : { chosen: all, areLoaded: false };
}
