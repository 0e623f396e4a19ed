/**
 * The loop: n = 1, 2, 3 … until a run ends without the fault. That is thousands of runs; LICET_NTH_ALL=1 makes them all.
 * Without it, each table tries a sample, chosen from the operations of a run without a fault.
 */
import { TEST_TIMEOUT_MS } from "../doubles/patience.ts";
import { createFaultPoint, type Duration, type FaultPoint } from "./fault.ts";
import type { FaultyRun } from "./run-with-fault.ts";

export const TRIES_ALL = process.env.LICET_NTH_ALL === "1";

const MAX_SEED = 1_000_000;
/** Where each sample begins: new at each call of the suite, so that over some days all is tried. LICET_NTH_SEED=… tries the same again. */
export const NTH_SEED = Number(process.env.LICET_NTH_SEED ?? Date.now() % MAX_SEED);

/** For a test's name: what is tried. */
export function sayTried(sample: string): string {
  return TRIES_ALL ? "every n" : `${sample}: LICET_NTH_SEED=${NTH_SEED}; every n: LICET_NTH_ALL=1`;
}

/** Time for the longest of the full loops. */
export const LOOP_TIMEOUT_MS = TRIES_ALL ? 3_600_000 : TEST_TIMEOUT_MS;

export interface Counter {
  runs: number;
  faults: number;
}

/** More operations than any of these runs has: the loop ends even if the fault never stops. */
const MAX_N = 20_000;

/**
 * @param sample which n are tried, if not all are
 * @param play makes one run in which the nth operation fails
 * @returns each problem with its n and the operation that failed
 */
export async function failEachNth(
  sample: readonly number[],
  counter: Counter,
  play: (n: number) => Promise<Pick<FaultyRun, "problems" | "struck">>,
): Promise<string[]> {
  const problems: string[] = [];
  for (let n = 1; n < MAX_N; n += 1) {
    if (!TRIES_ALL && !sample.includes(n)) {
      if (n > Math.max(...sample)) {
        break;
      }
      continue;
    }
    const run = await play(n);
    counter.runs += 1;
    counter.faults += run.struck.length;
    problems.push(...run.problems.map((problem) => `n = ${n} (${run.struck[0] ?? "no operation failed"}): ${problem}`));
    if (run.struck.length === 0) {
      break;
    }
  }
  return problems;
}

/**
 * The operations of a run without a fault, in order.
 * @throws when the run has a problem: then a problem after a fault proves nothing
 */
export async function listOperations(
  play: (point: FaultPoint) => Promise<Pick<FaultyRun, "problems">>,
  only?: (operation: string) => boolean,
): Promise<readonly string[]> {
  const point = createFaultPoint(Number.POSITIVE_INFINITY, "single", only);
  const { problems } = await play(point);
  if (problems.length > 0) {
    throw new Error(`a run without a fault has problems: ${problems.join("; ")}`);
  }
  return point.seen;
}

/**
 * Of a kind of operation one: for a single fault the last, when most is at stake; for a lasting one the first. Of the kinds every eighth
 * one for a single fault and every sixteenth for a lasting one, turn by turn over the cases of a table, from where the seed says.
 */
export function sampleKinds(operations: readonly string[], duration: Duration, turn: number): number[] {
  const kinds = [...new Set(operations)];
  // Where there are fewer kinds, each turn has one.
  const every = Math.min(duration === "single" ? 8 : 16, kinds.length);
  const chosen = kinds.filter((_kind, index) => index % every === (NTH_SEED + turn) % every);
  return chosen.map((kind) => (duration === "single" ? operations.lastIndexOf(kind) : operations.indexOf(kind)) + 1);
}

/** Every so-manieth, beginning elsewhere at each turn and with each seed. */
export function sampleSteps(operations: readonly string[], stride: number, turn: number): number[] {
  const first = (NTH_SEED + turn) % stride;
  return operations.flatMap((_operation, index) => (index % stride === first ? [index + 1] : []));
}
