/** `agent.status` and `agent.audit`: the ledger's balances beside the configured budgets, and the audit. */
import { leftAndOver } from "../../budget/headroom.ts";
import { budgetBalanceKey } from "../../budget/scope.ts";
import type { Config } from "../../config/config.ts";
import type { AuditReport, LedgerReports } from "../../ledger/ledger-reports.ts";
import { asLost } from "../../ledger/service-ledger.ts";
import { subtractMicros } from "../../money/micros.ts";
import { isoDate } from "../../time/period.ts";
import { budgetLabel } from "../alerts/budget-label.ts";
import { toBudgetWarnings } from "../alerts/budget-warnings.ts";
import { nameReceivers } from "../alerts/receiver-names.ts";
import type { Resources } from "../compose.ts";
import { readService } from "../known-service.ts";
import { readExpiring } from "../rights/expiring-agent.ts";
import { findUnfinished } from "../runs/find-unfinished.ts";
import { readWaits } from "../waits/read-waits.ts";
import { DEFAULT_RUNS, readRuns } from "./runs-agent.ts";
import type { BudgetStatus, StatusOptions, StatusReport } from "./status-report.ts";

export async function statusAgent(resources: Resources, { expiring }: StatusOptions = {}): Promise<StatusReport> {
  const { config, clock } = resources;
  const ledger = await resources.ledger("read");
  const { totals, ...status } = await ledger.readStatus();
  const { runs, total } = await readRuns(resources, ledger, { limit: DEFAULT_RUNS });
  const unfinished = await findUnfinished(resources, ledger);
  const now = clock.now();
  const balances = await ledger.readBalances({
    budgets: config.budgets,
    hosts: config.sites.map(({ host }) => host),
    runId: null,
    now,
  });
  const budgets = balances.map(({ budget, balance, feeMicros }): BudgetStatus => {
    const label = budgetLabel(budget);
    if (budget.scope.kind === "run") {
      return { label, budget, balance: null, leftMicros: null, overMicros: null };
    }
    const { spentMicros, ...rest } = balance;
    const settledMicros = subtractMicros(spentMicros, feeMicros);
    return { label, budget, balance: { settledMicros, feeMicros, ...rest }, ...leftAndOver(budget, balance) };
  });
  // A budget per run has one balance a run: none of them is its own.
  const budgetWarnings = toBudgetWarnings(balances.filter(({ budget }) => budget.scope.kind !== "run"));
  const copy = await ledger.readCopy();
  const service = await readService(resources, ledger);
  const workers = await ledger.readWorkers();
  const atWork = new Set(unfinished.filter(({ isAlive }) => isAlive).map(({ runId }) => runId));
  const waits = await readWaits(resources, ledger, { runs: atWork, service: service?.isAlive === true });
  const { pending, undelivered } = await ledger.readAlertStatus();
  const named = nameReceivers(config, undelivered);
  const notifications = { ...(await ledger.countHints()), history: await ledger.readSweep() };
  return {
    today: { day: isoDate(now), spend: await ledger.readDay({ at: now }) },
    ...status,
    copy,
    paused: await ledger.readPauses(),
    service,
    workers: service?.isAlive === true ? workers : workers.map(asLost),
    alerts: { pending, undelivered: named },
    notifications,
    waits,
    runs,
    totals: { ...totals, runs: total },
    unfinished: unfinished.map(({ limits: { maxPages, maxSpend }, ...run }) => ({
      ...run,
      limits: { maxPages, maxSpendMicros: maxSpend?.micros ?? null, currency: maxSpend?.currency ?? null },
    })),
    rights: expiring === undefined ? null : await readExpiring(resources, expiring),
    budgets,
    budgetWarnings,
  };
}

/** @throws LicetError LEDGER_MISSING when there is no ledger, LEDGER_CORRUPT when it is empty */
export async function auditAgent({ config, clock, ledger }: Resources): Promise<AuditReport> {
  return (await ledger("read")).audit(toAuditQuery(config, clock.now()));
}

/** What the audit needs of the configuration. */
export function toAuditQuery(config: Config, now: number): Parameters<LedgerReports["audit"]>[0] {
  const budgets = config.budgets.flatMap((budget) => {
    // A run's budget is checked for every run in the ledger. A scope without an id means that to the audit.
    const host = budget.scope.kind === "site" ? budget.scope.host : "";
    const key =
      budget.scope.kind === "run"
        ? { scope: "run", period: "total" }
        : budgetBalanceKey(budget, { host, runId: null, at: now });
    return key === null
      ? []
      : [{ key, currency: budget.currency, limitMicros: budget.limitMicros, label: budgetLabel(budget) }];
  });
  return { budgets, now };
}
