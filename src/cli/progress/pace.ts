/** How fast a run works, from its counts at several moments. */
import type { ProgressCounts } from "./progress-counts.ts";
import { findWorkLeft, type SpendLimits } from "./work-left.ts";

/** The time window for the rates. */
const WINDOW_MS = 10_000;
/** A shorter time says too little about the time that is left. */
const MIN_WINDOW_MS = 2_000;
const MS_PER_SECOND = 1_000;

export interface Pace {
  /** Bought pages per second. */
  readonly pagesPerSecond: number;
  /** About how long the run goes on: until every page that is known is done, or a limit ends it. Null while it cannot be known. */
  readonly leftMs: number | null;
}

interface Sample {
  readonly at: number;
  readonly bought: number;
  readonly done: number;
}

/** The first sample is the begin of the work, so neither the start of the process nor the pause of a resumed run counts. */
export function createPace(limits: SpendLimits): (counts: ProgressCounts, now: number) => Pace {
  let samples: Sample[] = [];
  return (counts, now) => {
    const { began } = counts;
    if (began === null) {
      return { pagesPerSecond: 0, leftMs: null };
    }
    if (samples.length === 0) {
      samples = [began];
    }
    const current = { at: now, bought: counts.bought, done: counts.done };
    samples.push(current);
    while (samples.length > 2 && (samples[0]?.at ?? now) < now - WINDOW_MS) {
      samples.shift();
    }
    const first = samples[0] ?? current;
    const elapsedMs = now - first.at;
    // A clock that was set back gives no rate.
    if (elapsedMs <= 0) {
      samples = [current];
      return { pagesPerSecond: 0, leftMs: null };
    }
    const done = current.done - first.done;
    const left = done <= 0 || elapsedMs < MIN_WINDOW_MS ? null : findWorkLeft(counts, limits);
    return {
      pagesPerSecond: ((current.bought - first.bought) * MS_PER_SECOND) / elapsedMs,
      leftMs: left === null ? null : Math.min((left * elapsedMs) / done, untilDeadline(counts, now)),
    };
  };
}

function untilDeadline({ started }: ProgressCounts, now: number): number {
  const deadlineAt = started?.limits.deadlineAt ?? null;
  return deadlineAt === null ? Number.POSITIVE_INFINITY : Math.max(0, Date.parse(deadlineAt) - now);
}
