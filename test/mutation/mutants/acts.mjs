/** Who decided what. @type {readonly import("../mutants.mjs").Mutant[]} */
export const ACT_MUTANTS = [
  {
    name: "a resolution does not say who decided",
    promise: 7,
    suite: "test/contract/ledger-sqlite.test.ts",
    file: "src/ledger/sqlite/purchases/resolve-purchase.ts",
    find: '  recordAct(tx, { kind: charged ? "purchase_charged" : "purchase_not_charged", who, purchaseId, now });\n',
    replace: "",
  },
  {
    name: "a purge is written before its texts are gone, and not with them",
    promise: 7,
    suite: "test/crash/purge.test.ts",
    file: "src/ledger/sqlite/rights/purge-content.ts",
    find: "      return { versions: removed, actId: recordPurge(tx, removed, { now, who, actId }) };",
    replace: "      return { versions: removed, actId };",
  },
  {
    name: "each heartbeat of a stopped run says once more who stopped it",
    promise: 7,
    suite: "test/contract/ledger-sqlite.test.ts",
    file: "src/ledger/sqlite/runs/unfinished-runs.ts",
    find: "WHERE name = @runId AND ended_by = 'nobody' AND ${IS_OWN}`;",
    replace: "WHERE name = @runId AND ${IS_OWN}`;",
  },
  {
    name: "the audit does not ask who decided",
    promise: 7,
    suite: "test/audit/named-damage.test.ts",
    file: "src/ledger/sqlite/audit/audit-ledger.ts",
    find: '  ["acts", ACTS],\n',
    replace: "",
  },
];
