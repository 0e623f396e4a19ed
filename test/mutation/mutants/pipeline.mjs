/** Stages, jobs, queue and gateway client. @type {readonly import("../mutants.mjs").Mutant[]} */
export const PIPELINE_MUTANTS = [
  {
    name: "a purchase is sent before it is started",
    promise: 3,
    file: "src/pipeline/acquire.ts",
    find: '  return started ? fetchStarted(context, purchase, token, { mayHaveBeenSent: false }) : "over";',
    replace: "  return fetchStarted(context, purchase, token, { mayHaveBeenSent: false });",
  },
];
