/** `agent.runFunnel`: how far the pages of a run came, with the money of each step. */
import type { RunSummary } from "../../ledger/ledger-reports.ts";
import type { KeptConfiguration, RunMoney } from "../../ledger/run-reports.ts";
import type { Spend } from "../../ledger/spend.ts";
import { addMicros, type Micros, subtractMicros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import type { Resources } from "../compose.ts";
import { toRunReport } from "../runs/run-report.ts";
import type { FunnelStep, RunConfigurationKept, RunFunnel, RunSpeed } from "./run-funnel.ts";
import { readOverview } from "./runs-agent.ts";

const MAX_ACTS = 100;
const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;

/** @throws LicetError RUN_NOT_FOUND */
export async function runFunnelAgent(resources: Resources, runId: string): Promise<RunFunnel> {
  const ledger = await resources.ledger("read");
  const run = await readOverview(resources, ledger, runId);
  const summary = await ledger.readRun(runId);
  const { sites, pages, denials, failures, refused, usage, list } = summary;
  const money = await ledger.readRunMoney({ runId });
  return {
    run,
    steps: toSteps(summary, money),
    speed: toSpeed(summary, resources.clock.now()),
    sites,
    pages,
    list,
    denials,
    failures,
    refused,
    usage,
    configurations: (await ledger.readConfigurations({ runId })).map(toKept),
    acts: await ledger.readActs({ before: null, runId, limit: MAX_ACTS }),
  };
}

function toSteps(
  { pages, usage, spend }: Pick<RunSummary, "pages" | "usage" | "spend">,
  money: Readonly<Record<Currency, RunMoney>>,
): FunnelStep[] {
  return [
    { step: "seen", count: pages.seen, micros: {} },
    { step: "quoted", count: pages.quoted, micros: {} },
    { step: "allowed", count: pages.approved, micros: pick(money, ({ allowedMicros }) => allowedMicros) },
    { step: "bought", count: pages.bought, micros: toCharged(spend, money) },
    { step: "reported", count: usage.reported, micros: pick(money, ({ reportedMicros }) => reportedMicros) },
  ];
}

/** With the fees, without what was charged on reports. */
function toCharged(
  spend: Readonly<Record<Currency, Spend>>,
  money: Readonly<Record<Currency, RunMoney>>,
): Record<Currency, Micros> {
  return Object.fromEntries(
    Object.entries(spend).map(([currency, { settledMicros, feeMicros }]) => {
      const charged = addMicros(settledMicros, feeMicros);
      const reported = money[currency]?.reportedMicros;
      return [currency, reported === undefined ? charged : subtractMicros(charged, reported)];
    }),
  );
}

function pick(
  money: Readonly<Record<Currency, RunMoney>>,
  amountOf: (money: RunMoney) => Micros,
): Record<Currency, Micros> {
  return Object.fromEntries(Object.entries(money).map(([currency, one]) => [currency, amountOf(one)]));
}

function toSpeed(summary: RunSummary, now: number): RunSpeed {
  const { durationMs, workedMs } = toRunReport(summary, { warnings: [], newLedger: false }, now);
  const { bought } = summary.pages;
  return {
    durationMs,
    workedMs,
    pagesPerHour: workedMs < SECOND_MS ? null : Math.floor((bought * HOUR_MS) / workedMs),
  };
}

function toKept({ since, digest, text }: KeptConfiguration): RunConfigurationKept {
  return { since, digest, configuration: JSON.parse(text) };
}
