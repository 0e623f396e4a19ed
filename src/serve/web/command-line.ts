/** The command that says what a page says, as a person would type it. */

/** What a shell takes as it stands. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/**
 * `licet runs --json --site news.example`.
 * @param words the command with its arguments
 * @param options by their names; what is undefined, null or false is left out, and true has no value
 */
export function commandLine(
  words: readonly string[],
  options: Readonly<Record<string, string | number | boolean | null | undefined>> = {},
): string {
  const named = Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined || value === null || value === false) {
      return [];
    }
    return value === true ? [`--${name}`] : [`--${name}`, quote(String(value))];
  });
  return ["licet", ...words.map(quote), "--json", ...named].join(" ");
}

/** For a shell of POSIX. */
const quote = (text: string): string => (PLAIN.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
