/** The kinds of runs: what each buys from, who goes on with it, and what it carries for as long as somebody does. */

export const RUN_KINDS = ["walk", "webhook", "list", "plan", "fetch", "planning"] as const;
/**
 * `walk`: reads the catalogs of its sites. `webhook`: buys what notifications of a site and a UTC day name. `list`: buys the pages of a list.
 * `plan`: buys from a saved plan. `fetch`: buys a few pages that are wanted now. `planning`: a plan in the making, which never buys.
 */
export type RunKind = (typeof RUN_KINDS)[number];

export interface KindOfRun {
  /** A plan in the making that has a list reads the list instead of catalogs. */
  readonly pagesFrom: "catalogs" | "notifications" | "list";
  /**
   * When its process died, or a service put it down. `goes_on`: a service goes on with it, and so does what `goesOnWith` names. `is_probed`: what
   * was sent is probed, what was reserved is released, and nothing else of it is bought. `is_removed`: it leaves nothing behind.
   */
  readonly afterDeath: "goes_on" | "is_probed" | "is_removed";
  /** What goes on with it by itself, beside a service after a death, and a person who names the run. */
  readonly goesOnWith: "next_run_of_its_sites" | "next_notification" | "same_file" | "nothing";
  /** When a limit of its own ended it: whether what goes on with it (`goesOnWith`) continues this run, or nobody but a person does. */
  readonly afterOwnLimit: "goes_on" | "is_over";
  /** When a person stopped it. A person who names it can always go on with it, if anybody can. */
  readonly afterStop: "next_run_of_a_person" | "next_day" | "same_file" | "nothing";
  /** Whether other runs of its sites wait for it. A run that gives way ends for them, and goes on later. */
  readonly keepsSitesBusy: "yes" | "gives_way" | "no";
  /** What holds for whatever goes on with it. */
  readonly carries: readonly ("sites" | "limits" | "order" | "position")[];
}

export const KINDS: Readonly<Record<RunKind, KindOfRun>> = {
  walk: {
    pagesFrom: "catalogs",
    afterDeath: "goes_on",
    goesOnWith: "next_run_of_its_sites",
    afterOwnLimit: "is_over",
    afterStop: "next_run_of_a_person",
    keepsSitesBusy: "yes",
    carries: ["sites", "limits", "order"],
  },
  webhook: {
    pagesFrom: "notifications",
    afterDeath: "goes_on",
    goesOnWith: "next_notification",
    afterOwnLimit: "goes_on",
    afterStop: "next_day",
    keepsSitesBusy: "gives_way",
    carries: ["sites", "limits", "order"],
  },
  list: {
    pagesFrom: "list",
    afterDeath: "goes_on",
    goesOnWith: "same_file",
    afterOwnLimit: "is_over",
    afterStop: "same_file",
    keepsSitesBusy: "yes",
    carries: ["sites", "limits", "order", "position"],
  },
  plan: {
    pagesFrom: "list",
    afterDeath: "goes_on",
    goesOnWith: "same_file",
    afterOwnLimit: "is_over",
    afterStop: "same_file",
    keepsSitesBusy: "yes",
    carries: ["sites", "limits", "position"],
  },
  fetch: {
    pagesFrom: "list",
    afterDeath: "is_probed",
    goesOnWith: "nothing",
    afterOwnLimit: "is_over",
    afterStop: "nothing",
    keepsSitesBusy: "no",
    carries: [],
  },
  planning: {
    pagesFrom: "catalogs",
    afterDeath: "is_removed",
    goesOnWith: "nothing",
    afterOwnLimit: "is_over",
    afterStop: "nothing",
    keepsSitesBusy: "no",
    carries: [],
  },
};
