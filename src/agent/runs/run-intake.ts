/** The intake of a run with a list, beside its dispatcher. */
import { takeInList } from "../../pipeline/lists/list-intake.ts";
import type { StageDeps } from "../../pipeline/stage-deps.ts";
import type { OpenedList } from "../lists/run-list.ts";
import type { CrawlRequest } from "./run-crawl.ts";

export interface RunIntake {
  /** True while lines may still bring pages. */
  isOn(): boolean;
  /** Ends the intake. The list stays open: a run that pauses goes on with it. */
  end(): Promise<void>;
}

export function startIntake(
  deps: StageDeps,
  { runId, process }: Pick<CrawlRequest, "runId" | "process">,
  { reader, digest }: OpenedList,
  options: {
    readonly maxWaitingPages: number;
    readonly signal: AbortSignal;
    /** Wakes the dispatcher. */
    readonly wake: () => void;
    readonly onFailure: (error: unknown) => void;
  },
): RunIntake {
  const { maxWaitingPages, wake, onFailure, signal } = options;
  const over = new AbortController();
  let isOn = true;
  const work = takeInList(
    deps,
    { runId, process, reader, digest, maxWaitingPages, onPages: wake },
    AbortSignal.any([signal, over.signal]),
  )
    .catch(onFailure)
    .finally(() => {
      isOn = false;
      wake();
    });
  return {
    isOn: () => isOn,
    async end() {
      over.abort();
      await work;
    },
  };
}
