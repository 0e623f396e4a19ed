/**
 * The loop: n = 1, 2, 3 … until a life ends without the fault having struck. That is thousands of lives; LICET_NTH_ALL=1 lives
 * them all. Without it, each table tries a sample, chosen from what a life without a fault does.
 */
import { createFaultPoint, type Duration, type FaultPoint } from "./fault.ts";
import type { Story } from "./story.ts";

export const TRIES_ALL = process.env.LICET_NTH_ALL === "1";

/** For a test's name: what is tried. */
export function sayTried(sample: string): string {
  return TRIES_ALL ? "every n" : `${sample}; LICET_NTH_ALL=1: every n`;
}

/** Time for the longest of the full loops. */
export const LOOP_TIMEOUT_MS = TRIES_ALL ? 3_600_000 : 60_000;

export interface Tally {
  lives: number;
  faults: number;
}

/** More operations than any of these lives has: the loop ends even if the fault never stops striking. */
const MAX_N = 20_000;

/**
 * @param sample which n are tried, where not all are
 * @param play lives one life in which the nth operation fails
 * @returns each problem with its n and what was struck
 */
export async function failEachNth(
  sample: readonly number[],
  tally: Tally,
  play: (n: number) => Promise<Pick<Story, "problems" | "struck">>,
): Promise<string[]> {
  const problems: string[] = [];
  for (let n = 1; n < MAX_N; n += 1) {
    if (!TRIES_ALL && !sample.includes(n)) {
      if (n > Math.max(...sample)) {
        break;
      }
      continue;
    }
    const life = await play(n);
    tally.lives += 1;
    tally.faults += life.struck.length;
    problems.push(...life.problems.map((problem) => `n = ${n} (${life.struck[0] ?? "nothing struck"}): ${problem}`));
    if (life.struck.length === 0) {
      break;
    }
  }
  return problems;
}

/**
 * What a life without a fault does, in order.
 * @throws when anything is wrong with it: then nothing that fails after a fault says anything
 */
export async function listOperations(
  play: (point: FaultPoint) => Promise<Pick<Story, "problems">>,
  only?: (operation: string) => boolean,
): Promise<readonly string[]> {
  const point = createFaultPoint(Number.POSITIVE_INFINITY, "single", only);
  const { problems } = await play(point);
  if (problems.length > 0) {
    throw new Error(`a life without a fault is not sound: ${problems.join("; ")}`);
  }
  return point.seen;
}

/**
 * Of each kind of operation one: for a single fault the last, when most is at stake; for a lasting one the first, and of
 * every other kind only, turn by turn over the cases of a table.
 */
export function sampleKinds(operations: readonly string[], duration: Duration, turn: number): number[] {
  const kinds = [...new Set(operations)];
  return duration === "single"
    ? kinds.map((kind) => operations.lastIndexOf(kind) + 1)
    : kinds.filter((_kind, index) => index % 2 === turn % 2).map((kind) => operations.indexOf(kind) + 1);
}

/** Every so-manieth, beginning elsewhere at each turn. */
export function sampleSteps(operations: readonly string[], stride: number, turn: number): number[] {
  return operations.flatMap((_operation, index) => (index % stride === turn % stride ? [index + 1] : []));
}
