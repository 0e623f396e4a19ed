/** Money, budgets, the ledger and its outbox. @type {readonly import("../mutants.mjs").Mutant[]} */
export const LEDGER_MUTANTS = [];
