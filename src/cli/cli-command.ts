/** A command of licet: commander's, with what several commands declare in the same way. */
import { Command, Option } from "commander";
import type { Field } from "../agent/calls/fields.ts";
import { parseNumber, parseText } from "./input/parse-arguments.ts";

export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** An option whose value is one of some words. */
  choice(flags: string, says: string, words: readonly string[]): this {
    return this.addOption(new Option(flags, says).choices(words));
  }

  limit(says: string, field: Field): this {
    return this.option("--limit <count>", says, parseNumber(field));
  }

  cursor(field: Field): this {
    return this.option("--cursor <cursor>", "read on behind an earlier page: its nextCursor", parseText(field));
  }

  /** Who decides: of a command whose decision is kept. */
  acting({ by, reason }: { readonly by: Field; readonly reason: Field }): this {
    return this.option(
      "--by <name>",
      "who decides: kept with the decision (default: the system's user)",
      parseText(by),
    ).option("--reason <text>", "why: kept with the decision; licet log and licet explain show it", parseText(reason));
  }

  /** The last part of the help. */
  examples(lines: readonly (readonly [command: string, what: string])[]): this {
    const width = Math.max(...lines.map(([command]) => command.length));
    const rows = lines.map(([command, what]) => `  $ ${command.padEnd(width)}  ${what}`.trimEnd());
    return this.addHelpText("after", `\nExamples:\n${rows.join("\n")}\n`);
  }
}
