import type { Clock } from "./clock.ts";

/** Does work that must end in time. @param work gets a signal that aborts after `ms`, or with `end` */
export async function inTime<Result>(
  clock: Clock,
  ms: number,
  work: (signal: AbortSignal) => Promise<Result>,
  end?: AbortSignal,
): Promise<Result> {
  const late = new AbortController();
  const done = new AbortController();
  void clock.sleep(ms, done.signal).then(() => late.abort());
  try {
    return await work(end === undefined ? late.signal : AbortSignal.any([late.signal, end]));
  } finally {
    done.abort();
  }
}
