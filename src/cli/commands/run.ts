import { resolve } from "node:path";
import type { ActingOptions } from "../../agent/acts/acted-by.ts";
import type { Agent } from "../../agent/agent.ts";
import { INPUTS } from "../../agent/calls/inputs.ts";
import type { PlanOptions } from "../../agent/plans/plan-report.ts";
import type { RunOptions } from "../../agent/runs/run-options.ts";
import type { RunReport } from "../../agent/runs/run-report.ts";
import type { Config } from "../../config/config.ts";
import { isLicetError, LicetError } from "../../errors.ts";
import type { Money } from "../../money/money.ts";
import { RUN_ORDERS, type RunOrder } from "../../policy/rule.ts";
import type { CliCommand } from "../cli-command.ts";
import { type ExitCode, exitCodeOfRun } from "../exit-code.ts";
import { toListInput } from "../input/list-argument.ts";
import { ORDER_SAYS, parseMoneyArgument, parseNumber } from "../input/parse-arguments.ts";
import { type BudgetLeft, toSpendLimits } from "../input/spend-limits.ts";
import { watchInterrupts } from "../interrupts.ts";
import type { EventLog } from "../log/event-log.ts";
import { listen, type ProgressCounts, watchCounts } from "../progress/progress-counts.ts";
import { startProgress } from "../progress/progress-line.ts";
import { formatRun } from "../reports/run-summary.ts";
import type { Session } from "../session.ts";

interface CrawlOptions extends Omit<RunOptions, "signal" | "maxSpend"> {
  readonly maxSpend?: Money;
}

interface RunFlags extends ActingOptions {
  readonly list?: string;
  readonly plan?: string;
  readonly resume?: string | true;
  readonly fresh?: true;
  readonly skipIfRunning?: true;
  readonly trustClock?: true;
  readonly dryRun?: true;
  readonly maxSpend?: Money;
  readonly maxPages?: number;
  readonly order?: RunOrder;
}

export function declareRun(command: CliCommand): void {
  command
    .argument("[host...]", "sites (default: all configured ones)")
    .option("--list <file>", "buy the pages of a list, one a line or CSV, instead of walking catalogs; - is stdin")
    .option("--plan <file>", "buy from a saved plan (licet plan --out): nothing else, and never dearer")
    .option("--resume [run]", "resume an earlier run that has work left (default: the newest one)")
    .option("--fresh", "begin a new run, even if an interrupted run of these sites could be resumed")
    .option("--skip-if-running", "do nothing, and exit with 0, while another process works on a run of these sites")
    .option(
      "--trust-clock",
      "the clock is right, although the ledger has newer rows: it was ahead when they were written",
    )
    .option("--max-spend <amount>", 'end before the run has spent more than this, such as "5 USD"', parseMoneyArgument)
    .choice("--order <order>", ORDER_SAYS, RUN_ORDERS)
    .option("--max-pages <count>", "end when the run has bought this many pages", parseNumber(INPUTS.run.maxPages))
    .option("--dry-run", "buy nothing: print what a new run would buy, as licet plan does with the same arguments")
    .acting(INPUTS.run)
    .examples([
      ["licet run", "every configured site"],
      ['licet run news.example --max-spend "5 USD"', "one site, with its own limit"],
      ['licet run --list pages.jsonl --max-spend "5 USD"', "named pages; the same command goes on after a kill"],
      ["licet run --plan plan.jsonl", "what was approved; the same command goes on after a kill"],
      ["licet run --resume", "the newest run with work left"],
      ["licet run --skip-if-running", "for cron: takes over killed runs, resumes, never runs twice at once"],
      ["licet run --json > report.json", "for a program"],
    ])
    .does(async (session, hosts: string[], flags: RunFlags) => {
      const { dryRun, ...asked } = flags;
      if (dryRun !== true) {
        return crawl(session, toRunOptions(session, hosts, asked));
      }
      const { plan } = await import("./plan.ts");
      return plan(session, toDryOptions(session, hosts, asked));
    });
}

function toRunOptions({ io }: Session, hosts: readonly string[], flags: RunFlags): CrawlOptions {
  const { list, plan, resume, ...limits } = flags;
  if (resume !== undefined && hosts.length > 0) {
    throw new LicetError("USAGE_INVALID", "a resumed run keeps its sites: name none", {
      hint: "licet run --resume [RUN]",
    });
  }
  if (plan !== undefined && (list !== undefined || limits.order !== undefined || hosts.length > 0)) {
    throw new LicetError(
      "USAGE_INVALID",
      "a plan names its own pages, in its own order: give no sites, list or order with it",
      {
        hint: "To buy less, take lines out of the plan.",
      },
    );
  }
  return {
    ...limits,
    hosts: hosts.length === 0 ? undefined : hosts,
    plan: plan === undefined ? undefined : resolve(io.cwd, plan),
    list: list === undefined ? undefined : toListInput(io, list),
    resume: resume === true ? "newest" : resume,
  };
}

/** Of the plan of a new run. What goes on with an earlier run, or buys a plan, has no such plan. */
function toDryOptions({ io }: Session, hosts: readonly string[], flags: Omit<RunFlags, "dryRun">): PlanOptions {
  const { list, maxSpend, maxPages, order, by: _by, reason: _reason, ...others } = flags;
  const [other] = Object.keys(others);
  if (other !== undefined) {
    const option = `--${other.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new LicetError(
      "USAGE_INVALID",
      `--dry-run shows what a new run would buy, so ${option} cannot be given with it`,
      {
        hint:
          flags.plan === undefined
            ? `Leave ${option} away.`
            : `To see what a plan would buy: licet plan --show ${flags.plan}`,
      },
    );
  }
  return { hosts, list: list === undefined ? undefined : toListInput(io, list), maxSpend, maxPages, order };
}

function crawl(session: Session, options: CrawlOptions): Promise<ExitCode> {
  return session.withAgent(async (agent, config) => {
    const report = await watchedRun(session, agent, options, config);
    await session.print(report, (layout) => formatRun(report, layout));
    const exitCode = exitCodeOfRun(report);
    if (report.state === "interrupted" && !session.json) {
      await session.io.stderr.write(`licet: ${resumeHint(session, report.runId)}\n`);
    }
    return exitCode;
  });
}

/** Runs with progress, warnings and Ctrl-C. */
async function watchedRun(session: Session, agent: Agent, options: CrawlOptions, config: Config): Promise<RunReport> {
  const { counts, stop: stopCounting } = watchCounts(agent, session.io.clock);
  let budgets: readonly BudgetLeft[] = [];
  const limits = toSpendLimits(() => ({ budgets, maxSpend: maxSpendOf(counts), spentBefore: counts.spentBefore }));
  const progress = startProgress(session.io, { counts, limits }, session.logging);
  const interrupts = watchInterrupts(session.io, {
    say: progress.log.warn,
    finishing: "started purchases are being finished",
    farewell: () => (counts.runId === null ? "nothing was begun" : resumeHint(session, counts.runId)),
    clear: progress.clear,
  });
  const listeners = [
    ...(session.io.stderr.isTerminal && !session.json ? [] : logBeginAndEnd(agent, counts, progress.log)),
    listen(agent, "ledger.new", ({ path }) =>
      progress.log.warn(`new ledger: nothing was ever recorded in ${path}`, { newLedger: true }),
    ),
    listen(agent, "warning", ({ message }) => progress.log.warn(message)),
    listen(agent, "site.stopped", ({ host, stop, detail }) =>
      progress.log.warn(`${host} is stopped (${stop}): ${detail}`, { host, stop }),
    ),
  ];
  try {
    budgets = await budgetsBefore(agent, config);
    return await agent.run({ ...options, signal: interrupts.signal });
  } catch (error) {
    if (counts.runId !== null) {
      session.failure.runId = counts.runId;
      session.failure.hint = hintAfterFailure(session, options, counts.runId);
    }
    throw error;
  } finally {
    for (const stop of listeners) {
      stop();
    }
    stopCounting();
    interrupts.stop();
    await progress.stop();
  }
}

/** The first and the last line of a run in a log. On a terminal, the progress line and the summary say the same. */
function logBeginAndEnd(agent: Agent, counts: ProgressCounts, log: EventLog): readonly (() => void)[] {
  return [
    listen(agent, "run.started", ({ runId, hosts, resumed }) =>
      log.info(`run ${runId} ${resumed ? "is resumed" : "begins"}: ${hosts.join(", ")}`, {
        runId,
        resumed,
        hosts: hosts.join(" "),
      }),
    ),
    listen(agent, "run.ended", ({ runId, state }) => {
      const { bought, failed, inDoubt } = counts;
      log.info(`run ${runId} ended: ${state}, ${bought} bought, ${failed} failed, ${inDoubt} in doubt`, {
        runId,
        state,
        bought,
        failed,
        inDoubt,
      });
    }),
  ];
}

/** The largest spend of the run, whoever gave it. */
function maxSpendOf({ started }: ProgressCounts): Money | null {
  const { maxSpendMicros: micros = null, currency = null } = started?.limits ?? {};
  return micros === null || currency === null ? null : { micros, currency };
}

/** What the budgets leave: their whole limits when there is no ledger yet. */
async function budgetsBefore(agent: Agent, config: Config): Promise<readonly BudgetLeft[]> {
  try {
    return (await agent.status()).budgets;
  } catch (error) {
    if (!isLicetError(error, "LEDGER_MISSING") && !isLicetError(error, "LEDGER_CORRUPT")) {
      throw error;
    }
    // The run itself reports a ledger that cannot be read.
    return config.budgets.map((budget) => ({ budget, leftMicros: budget.limitMicros }));
  }
}

function resumeHint({ configArgument }: Session, runId: string): string {
  return `nothing is lost; continue with: licet run --resume ${runId}${configArgument}`;
}

/** Nobody is told to call what was just called: then the error's own hint says what to do first. */
function hintAfterFailure(session: Session, { resume }: CrawlOptions, runId: string): string {
  return resume === undefined ? resumeHint(session, runId) : "nothing is lost; then call the same command again";
}
