/** What a shell can complete: every command and option of the program, read from commander itself, so that none can be forgotten. */
import type { Argument, Command, Option } from "commander";

/** What stands after an option or a command: nothing, one of some words, a file, a directory, or something that only a person knows. */
export type ValueKind =
  | { readonly kind: "none" | "file" | "directory" | "other" }
  | { readonly kind: "words"; readonly words: readonly string[] };

export interface CompletionOption {
  /** `--limit` */
  readonly long: string;
  /** `-c`, or null. */
  readonly short: string | null;
  readonly description: string;
  readonly value: ValueKind;
}

export interface CompletionCommand {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CompletionOption[];
  readonly argument: ValueKind;
}

export interface CompletionWords {
  /** Of every command, and before it. */
  readonly shared: readonly CompletionOption[];
  readonly commands: readonly CompletionCommand[];
}

const HELP: CompletionOption = { long: "--help", short: "-h", description: "show help", value: { kind: "none" } };

/** @param program with all of its commands */
export function readCompletionWords(program: Command): CompletionWords {
  return {
    shared: [...toOptions(program), HELP],
    commands: program.commands.map((command) => ({
      name: command.name(),
      description: firstClause(command.description()),
      options: toOptions(command),
      argument: toArgumentKind(command.registeredArguments[0]),
    })),
  };
}

function toOptions(command: Command): CompletionOption[] {
  return command.options.flatMap((option) =>
    option.hidden || option.long == null
      ? []
      : [
          {
            long: option.long,
            short: option.short ?? null,
            description: firstClause(option.description),
            value: toOptionKind(option),
          },
        ],
  );
}

function toOptionKind(option: Option): ValueKind {
  return option.required || option.optional ? toKind(option.flags, option.argChoices) : { kind: "none" };
}

function toArgumentKind(argument: Argument | undefined): ValueKind {
  return argument === undefined ? { kind: "none" } : toKind(`<${argument.name()}>`, argument.argChoices);
}

/** @param flags `--out <dir>`: the placeholder says what the value is */
function toKind(flags: string, choices: readonly string[] | undefined): ValueKind {
  if (choices !== undefined) {
    return { kind: "words", words: choices };
  }
  return { kind: /<file>/.test(flags) ? "file" : /<dir>/.test(flags) ? "directory" : "other" };
}

/** The rest of a description explains; a menu of a shell has one line. */
function firstClause(description: string): string {
  return description.split(/[;:(]/)[0]?.trim() ?? "";
}
