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
];
