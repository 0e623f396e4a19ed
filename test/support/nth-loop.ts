/** The loop: n = 1, 2, 3 … until a life ends without the fault having struck. */
import type { Story } from "./nth-story.ts";

/** LICET_NTH_ALL=1 tries every n; without it, those beyond the first are sampled. */
export const TRIES_ALL = process.env.LICET_NTH_ALL === "1";

/** Every n up to `dense`, then every `stride`th. */
export interface Sampling {
  readonly dense: number;
  readonly stride: number;
  /** Where the strides begin: another one for each case, so that together they fall on every operation. @default 0 */
  readonly offset?: number;
}

/** For a test's name: what is tried. */
export function sayTried({ dense, stride }: Sampling): string {
  return TRIES_ALL || stride === 1 ? "every n" : `n to ${dense}, then each ${stride}th (LICET_NTH_ALL=1: every n)`;
}

export interface Tally {
  lives: number;
  faults: number;
}

function* countUp({ dense, stride, offset = 0 }: Sampling): Generator<number> {
  for (let n = 1; n < MAX_N; n += 1) {
    if (TRIES_ALL || n <= dense || (n - dense) % stride === offset % stride) {
      yield n;
    }
  }
}

/** More operations than any of these lives has: the loop ends even if the fault never stops striking. */
const MAX_N = 20_000;

/**
 * @param play lives one life in which the nth operation fails
 * @returns each problem with its n and what was struck
 */
export async function failEachNth(
  sampling: Sampling,
  tally: Tally,
  play: (n: number) => Promise<Pick<Story, "problems" | "struck">>,
): Promise<string[]> {
  const problems: string[] = [];
  for (const n of countUp(sampling)) {
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
