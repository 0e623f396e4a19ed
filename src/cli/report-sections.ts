/** Parts that the output of several commands shares. */

/** `[count, name]` rows, the largest first. */
export function byCount(counts: Readonly<Record<string, number>>): string[][] {
  return Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => [String(count), name]);
}

/** A part of an output with a title. Nothing when it is empty. */
export function section(title: string, body: string): string[] {
  return body === "" ? [] : [`\n${title}:\n`, body];
}
