/** `agent.plan`: what a run would buy now, and the state of each budget after it. */
import { headroom } from "../../budget/headroom.ts";
import type { SiteConfig } from "../../config/config.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { RunSummary, SiteSummary } from "../../ledger/ledger-reports.ts";
import type { NewList } from "../../ledger/list-ledger.ts";
import { toMicros } from "../../money/micros.ts";
import { planRun } from "../../pipeline/plan/plan.ts";
import type { Planned, PlannedSpend, PlanRequest } from "../../pipeline/plan/plan-book.ts";
import type { PlannedPage } from "../../pipeline/plan/planned-pages.ts";
import { keepRun } from "../../pipeline/work/keep-run.ts";
import { addByClass, countByClass, NO_DENIALS } from "../../policy/denial-class.ts";
import { describeRule } from "../../policy/describe-rule.ts";
import type { RunOrder } from "../../policy/rule.ts";
import { budgetLabel } from "../alerts/budget-label.ts";
import { checkSpendCurrency, chooseSites } from "../calls/call-settings.ts";
import { watchPlanClock } from "../clock/run-clock.ts";
import { createStageDeps, type Resources, warnOfSettings, withLedgerOrEmpty } from "../compose.ts";
import type { EventBus } from "../events/events.ts";
import { createStageEvents } from "../events/stage-events.ts";
import type { OpenableList } from "../lists/list-input.ts";
import { checkList, findEarlierRun, openAtFirstLine } from "../lists/run-list.ts";
import { findWorker, toRunSite } from "../runs/begin-run.ts";
import { describeEqualRepurchases, warnOfCurrencies, warnOfNoValue } from "../runs/run-warnings.ts";
import type { PlanCall } from "./check-plan-options.ts";
import { toRunLimits, warnOfLooseLimits } from "./plan-limits.ts";
import type { ApprovedPage, PlannedBudget, PlannedPages, PlanReport } from "./plan-report.ts";
import { savePlan } from "./save-plan.ts";

export async function planAgent(resources: Resources, bus: EventBus, options: PlanCall): Promise<PlanReport> {
  const { config, clock } = resources;
  const sites = chooseSites(config, options.hosts);
  const { onPage, expiresMs, list } = options;
  const order = options.order ?? config.run.order;
  checkSpendCurrency(config, options.maxSpend ?? null);
  await checkList(list, clock);
  const saving = options.out === undefined ? null : await savePlan(options.out, { config, sites, order });
  try {
    return await withLedgerOrEmpty(resources, "existing", async (ledger) => {
      const onPages = async (pages: readonly ApprovedPage[]) => {
        for (const page of pages) {
          await saving?.add(page);
          await onPage?.(page);
        }
      };
      const createdAt = clock.now();
      const basis = await ledger.readPlanBasis();
      const report = await planIn(resources, bus, { ...options, ledger, sites, order, onPages });
      return { ...report, file: saving === null ? null : await saving.finish({ createdAt, basis, expiresMs }) };
    });
  } finally {
    await saving?.discard();
  }
}

interface Planning extends Pick<PlanCall, "maxPages" | "maxSpend" | "list" | "pages" | "signal"> {
  readonly ledger: Ledger;
  readonly sites: readonly SiteConfig[];
  readonly order: RunOrder;
  readonly onPages: (pages: readonly ApprovedPage[]) => Promise<void>;
}

async function planIn(
  resources: Resources,
  bus: EventBus,
  { ledger, sites, order, list, onPages, pages: maxNamed = 0, signal = NEVER, ...own }: Planning,
): Promise<Omit<PlanReport, "file">> {
  const { config, clock, ids, processes } = resources;
  const limits = toRunLimits(config.run, own);
  const collected = createStageEvents(bus, clock);
  const { events } = collected;
  warnOfSettings(config, events);
  const noValue = list === undefined ? warnOfNoValue(order, sites) : null;
  for (const warning of [noValue, ...warnOfLooseLimits(config.run, own)]) {
    if (warning !== null) {
      events.warned(warning);
    }
  }
  const buyingClock = await watchPlanClock(resources, ledger, events);
  const deps = await createStageDeps(resources, ledger, {
    sites,
    maxSpend: limits.maxSpend,
    order,
    buyingClock,
    events,
  });
  const startedAt = clock.now();
  const runId = ids.newRunId().replace("run_", "plan_");
  const process = processes.begin();
  const runSites = sites.map(toRunSite);
  const spec = { runId, kind: "planning", startedAt, sites: runSites, order, ...limits, deadlineAt: null } as const;
  const opened = list === undefined ? null : await openAtFirstLine(list, clock);
  try {
    const worker = await findWorker(resources, ledger, process);
    await ledger.createRun(spec, worker, list === undefined ? undefined : await toNewList(ledger, list, clock));
    // A plan in the making is alive like a run: whoever clears away what a crash left spares it.
    const kept = keepRun(deps, { runId, process }, signal);
    try {
      const name = nameRules(sites);
      const request: PlanRequest = {
        runId,
        process,
        sites: runSites,
        ...limits,
        maxNamed,
        list: opened,
        onPages: (pages) => onPages(pages.map(name)),
      };
      const planned = await planRun(deps, request, kept.signal);
      for (const warning of deps.globWatch.warnings()) {
        events.warned(warning);
      }
      for (const site of await ledger.readRepurchases({ hosts: runSites.map(({ host }) => host) })) {
        const warning = describeEqualRepurchases(site, "in recent runs");
        if (warning !== null && (planned.sites.get(site.host)?.approved ?? 0) > 0) {
          events.warned(warning);
        }
      }
      const unbudgeted = warnOfCurrencies(planned.denials);
      if (unbudgeted !== null) {
        events.warned(unbudgeted);
      }
      return {
        ...toReport(planned, await ledger.readRun(runId), sites),
        warnings: collected.warnings,
        durationMs: clock.now() - startedAt,
      };
    } finally {
      kept.stop();
      await ledger.discardPlan(runId);
    }
  } finally {
    processes.end(process);
    await opened?.reader.close();
  }
}

const NEVER = new AbortController().signal;

async function toNewList(ledger: Ledger, list: OpenableList, clock: Resources["clock"]): Promise<NewList> {
  const { source, path } = list;
  return { source, path, goesOnFrom: await findEarlierRun(ledger, list, clock) };
}

function toReport(
  planned: Planned,
  walked: RunSummary,
  configured: readonly SiteConfig[],
): Omit<PlanReport, "warnings" | "durationMs" | "file"> {
  const sites = walked.sites.map((site) => ({
    host: site.host,
    pages: toPages(planned, site),
    stop: site.stop,
    warning: site.walkWarning ?? site.stopDetail,
  }));
  return {
    sites,
    pages: sites.reduce((sum, { pages }) => addPages(sum, pages), NO_PAGES),
    list: walked.list,
    denials: { ...planned.denials },
    cost: Object.fromEntries(planned.cost),
    costWithoutLimits: Object.fromEntries(planned.costWithoutLimits),
    approvedPages: planned.pages.map(nameRules(configured)),
    budgets: planned.budgets.map(toPlannedBudget),
  };
}

/** @returns a function that adds the text of the rule that allowed a page */
function nameRules(sites: readonly SiteConfig[]): (page: PlannedPage) => ApprovedPage {
  const policies = new Map(sites.map(({ policy }) => [policy.name, policy]));
  return (page) => {
    const rule = policies.get(page.policyName)?.rules[page.ruleIndex];
    return { ...page, rule: rule === undefined ? "" : describeRule(rule) };
  };
}

/** The counts of the walk are the ledger's, those of the decisions the plan's. */
function toPages(planned: Planned, { host, seen, unchanged, excluded }: SiteSummary): PlannedPages {
  const { quoted, approved, denied, denials } = planned.sites.get(host) ?? NOTHING_DECIDED;
  const undecided = Math.max(0, seen - unchanged - excluded - approved - denied);
  return { seen, unchanged, excluded, quoted, approved, denied, deniedBy: countByClass(denials), undecided };
}

const NOTHING_DECIDED = { quoted: 0, approved: 0, denied: 0, denials: {} };

const NO_PAGES: PlannedPages = {
  seen: 0,
  unchanged: 0,
  excluded: 0,
  quoted: 0,
  approved: 0,
  denied: 0,
  deniedBy: NO_DENIALS,
  undecided: 0,
};

function addPages(a: PlannedPages, b: PlannedPages): PlannedPages {
  return {
    seen: a.seen + b.seen,
    unchanged: a.unchanged + b.unchanged,
    excluded: a.excluded + b.excluded,
    quoted: a.quoted + b.quoted,
    approved: a.approved + b.approved,
    denied: a.denied + b.denied,
    deniedBy: addByClass(a.deniedBy, b.deniedBy),
    undecided: a.undecided + b.undecided,
  };
}

function toPlannedBudget({ budget, balance, plannedMicros, exhausted }: PlannedSpend): PlannedBudget {
  return {
    budget,
    label: budgetLabel(budget),
    spentMicros: balance.spentMicros,
    inDoubtMicros: balance.inDoubtMicros,
    reservedMicros: balance.reservedMicros,
    plannedMicros,
    leftMicros: toMicros(Math.max(0, headroom(budget, balance) - plannedMicros)),
    exhausted,
  };
}
