import type { PlanBook, PlanDecisions } from "../../ledger/plan-book.ts";

/** What a plan decides over instead of reserving, and where it notes what it decided. */
export interface OpenBook {
  /** What the book says about these sites now. */
  read(hosts: readonly string[]): PlanBook;
  /** Notes what was decided. Resolves when the plan may go on. @param decisions a plan's; those of a run are none */
  note(decisions: PlanDecisions | undefined, now: number): Promise<void>;
}
