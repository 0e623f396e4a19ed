/** A command of licet: commander's, with what several commands declare in the same way. */
import { Command, Option } from "commander";
import type { Field } from "../agent/calls/fields.ts";
import type { ExitCode } from "./exit-code.ts";
import { parseNumber, parseText } from "./input/parse-arguments.ts";
import type { Session } from "./session.ts";

type Work = (session: Session) => Promise<ExitCode>;

export class CliCommand extends Command {
  readonly #run: (work: Work) => Promise<void>;

  /** @param run gives the session to the work of a command, and keeps its exit code */
  constructor(run: (work: Work) => Promise<void>, name?: string) {
    super(name);
    this.#run = run;
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(this.#run, name);
  }

  /** What the command does. It gets its arguments as they are declared, and then its options. */
  does<Given extends readonly unknown[]>(work: (session: Session, ...given: Given) => Promise<ExitCode>): this {
    return this.action((...given) => this.#run((session) => work(session, ...(given as unknown as Given))));
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
