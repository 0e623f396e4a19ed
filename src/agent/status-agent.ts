/** `agent.status` and `agent.audit`: the ledger's own account beside the configured budgets. */
import { statSync } from "node:fs";
import { headroom } from "../budget/headroom.ts";
import { budgetBalanceKey } from "../budget/scope.ts";
import { LicetError } from "../errors.ts";
import type { AuditReport } from "../ledger/ledger-reports.ts";
import type { BudgetStatus, StatusReport } from "./agent.ts";
import { budgetLabel } from "./budget-label.ts";
import type { Resources } from "./compose.ts";

const RUNS_SHOWN = 20;

export async function statusAgent(resources: Resources): Promise<StatusReport> {
  const { config, clock } = resources;
  const ledger = await resources.ledger();
  const status = await ledger.readStatus({ runs: RUNS_SHOWN });
  const balances = await ledger.readBalances({
    budgets: config.budgets,
    hosts: config.sites.map(({ host }) => host),
    runId: null,
    now: clock.now(),
  });
  const budgets = balances.map(({ budget, balance }): BudgetStatus => {
    const perRun = budget.scope.kind === "run";
    return {
      label: budgetLabel(budget),
      budget,
      balance: perRun ? null : balance,
      leftMicros: perRun ? null : headroom(budget, balance),
    };
  });
  return { ...status, budgets };
}

/** @throws LicetError LEDGER_CORRUPT where there is no ledger */
export async function auditAgent({ config, clock, ledger }: Resources): Promise<AuditReport> {
  assertLedgerIsThere(config.ledger.path);
  const now = clock.now();
  const budgets = config.budgets.flatMap((budget) => {
    // A run's budget is checked for every run that the ledger knows: the audit takes the scope without an id for that.
    const host = budget.scope.kind === "site" ? budget.scope.host : "";
    const key =
      budget.scope.kind === "run"
        ? { scope: "run", period: "total" }
        : budgetBalanceKey(budget, { host, runId: null, at: now });
    return key === null
      ? []
      : [{ key, currency: budget.currency, limitMicros: budget.limitMicros, label: budgetLabel(budget) }];
  });
  return (await ledger()).audit({ budgets, now });
}

/** Opening makes a ledger where none is, and would then find it in order: a wrong path, or a file that lost all it had. */
function assertLedgerIsThere(path: string): void {
  const bytes = sizeOf(path);
  // SQLite takes a file of one byte for an empty one, too.
  if (bytes === null || bytes <= 1) {
    throw new LicetError(
      "LEDGER_CORRUPT",
      `${bytes === null ? "there is no ledger" : "the ledger is empty"}: ${path}`,
      {
        hint: "Nothing was ever recorded there. Check `ledger.path`; the first run makes the ledger.",
        details: { path },
      },
    );
  }
}

/** At once, like all that is done to the ledger's file: nothing but the clock and the network makes an agent wait. */
function sizeOf(path: string): number | null {
  try {
    return statSync(path).size;
  } catch {
    return null;
  }
}
