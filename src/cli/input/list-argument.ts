/** The value of `--list`. */
import { resolve } from "node:path";
import type { ListInput } from "../../agent/lists/list-input.ts";
import type { CliIo } from "../cli-io.ts";

/** What to do with more than one. */
export const SEVERAL_LISTS = "Several lists are one list: cat FILE FILE | licet run --list -";

/** A file, or standard input for `-`. */
export function toListInput({ cwd, stdin }: CliIo, list: string): ListInput {
  return list === "-" ? { stream: stdin } : { file: resolve(cwd, list) };
}
