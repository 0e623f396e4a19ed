/** The intake of a list beside the work that its pages bring. */
import { type Intake, type IntakeDeps, takeInList } from "./list-intake.ts";

export interface RunningIntake {
  /** True while lines may still bring pages. */
  readonly isOn: () => boolean;
  /** Never rejects. The list stays open: a run that pauses goes on with it. */
  readonly ended: Promise<void>;
}

/**
 * Takes in a list until the signal aborts.
 * @param intake its `onPages` is also called when the intake has ended. Null: the run has none, and nothing comes
 */
export function startIntake(
  deps: IntakeDeps,
  intake: Intake | null,
  { signal, onFailure }: { readonly signal: AbortSignal; readonly onFailure: (error: unknown) => void },
): RunningIntake {
  if (intake === null) {
    return { isOn: () => false, ended: Promise.resolve() };
  }
  let isOn = true;
  const ended = takeInList(deps, intake, signal)
    .then(() => {}, onFailure)
    .finally(() => {
      isOn = false;
      intake.onPages();
    });
  return { isOn: () => isOn, ended };
}
