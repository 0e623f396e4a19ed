import { type ConfigPath, type ConfigProblem, invalid } from "../config-problem.ts";

/** @param values null is never a repeated value */
export function findRepeated(
  values: readonly (string | null)[],
  pathOf: (index: number) => ConfigPath,
  message: string,
): ConfigProblem[] {
  const seen = new Set<string>();
  return values.flatMap((value, index) => {
    if (value === null || !seen.has(value)) {
      seen.add(value ?? "");
      return [];
    }
    return [invalid(pathOf(index), message)];
  });
}
