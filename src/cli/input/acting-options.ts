/** The options that say who decides, of each command whose decision is kept. */
import type { Command } from "commander";
import type { ActingOptions } from "../../agent/acts/acted-by.ts";
import { person, reason } from "../../agent/calls/fields.ts";
import { parseText } from "./parse-arguments.ts";

/** As the flags of a command have them. */
export type ActingFlags = ActingOptions;

export function addActingOptions(command: Command): Command {
  return command
    .option("--by <name>", "who decides: kept with the decision (default: the system's user)", parseText(person))
    .option("--reason <text>", "why: kept with the decision; licet log and licet explain show it", parseText(reason));
}
