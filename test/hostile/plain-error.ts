import type { CliEnd } from "../doubles/cli-here.ts";

/** What was said of an error, in the form for people: its first line and its hint, and nothing that looks like a stack. */
export function isPlainError({ stderr }: CliEnd): boolean {
  return (
    /^licet: \S/.test(stderr) &&
    /^ {2}hint: \S/m.test(stderr) &&
    !/^\s+at .*[:(]\d+/m.test(stderr) &&
    !/BUG|bug in licet/.test(stderr)
  );
}
