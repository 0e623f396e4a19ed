/** Mends that only the meetings of simulated worlds can miss from outside. @type {readonly import("../mutants.mjs").Mutant[]} */
export const MEETING_MUTANTS = [
  {
    name: "a service that looks for what was left finds what a person stopped",
    promise: 2,
    suite: "test/simulation/meetings",
    file: "src/run/what-becomes.ts",
    find: 'const isLeftBehind = leaving === "died" || leaving === "put_down";',
    replace: 'const isLeftBehind = leaving === "died" || leaving === "put_down" || leaving === "stopped";',
  },
  {
    name: "who stopped a run is not recorded before its process has ended",
    promise: 2,
    suite: "test/simulation/meetings",
    file: "src/pipeline/work/keep-run.ts",
    find: "stoppedBy: outer.aborted ? stoppedBy(outer) : null",
    replace: "stoppedBy: null",
  },
  {
    name: "a purge goes by a clock that is far from the gateway's",
    promise: 4,
    suite: "test/simulation/meetings",
    file: "src/agent/clock/ask-clock.ts",
    find: "} else if (isDoubtful(judgement)) {",
    replace: "} else if (isDoubtful(judgement) && now < 0) {",
  },
  {
    name: "a restored copy works before a person has accepted it",
    promise: 3,
    suite: "test/simulation/meetings",
    file: "src/agent/open-ledger.ts",
    find: 'if (access !== "read") {',
    replace: 'if (access === "restored") {',
  },
  {
    name: "a service goes on although it lost its lease to another one",
    promise: 6,
    suite: "test/simulation/meetings",
    file: "src/serve/process/service-lease.ts",
    find: '  kept.signal.addEventListener("abort", () => lose(describeLoss()), { once: true });\n',
    replace: "",
  },
];
