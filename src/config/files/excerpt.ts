/** The line of a configuration file with an error, for its message. */

const MAX_CHARS = 100;
/** Keys whose values may be secrets. Their lines are not shown. */
const SECRET_KEYS = /key|secret|token|pass|credential|auth/i;
/** A password in an address, such as `redis://:password@host`. */
const PASSWORDS = /(:\/\/[^\s/@:]*:)[^\s@]*@/g;

/**
 * @param line from 1
 * @param column from 1
 * @returns the line and a mark below the column; nothing for a line that is empty or may hold a secret
 */
export function excerpt(text: string, line: number, column: number): readonly string[] {
  const whole = (text.split(/\r?\n/)[line - 1] ?? "").replaceAll("\t", " ");
  if (whole.trim() === "" || SECRET_KEYS.test(whole)) {
    return [];
  }
  const start = column > MAX_CHARS ? column - MAX_CHARS / 2 : 0;
  const shown = whole.slice(start, start + MAX_CHARS).replaceAll(PASSWORDS, (_, before: string) => `${before}…@`);
  const margin = `    ${line} | `;
  const mark = PASSWORDS.test(whole) ? [] : [`${" ".repeat(margin.length - 2)}| ${" ".repeat(column - 1 - start)}^`];
  return [`${margin}${shown}`, ...mark];
}
