/**
 * A month of a small newsroom, day by day: what was bought and denied, doubts and what became of them, receipts that differ, a site that charged too
 * much, a plan that was approved, a run that was cancelled, and a last night that leaves work for a person. It is played by real runs against the
 * sandbox, in some seconds: only the date moves.
 */
import type { Agent } from "../../src/agent/agent.ts";
import { createAgent } from "../../src/agent/create-agent.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import type { FaultSettings } from "../../src/sandbox/faults/faults.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { moveDate } from "../move-date.ts";
import { lastNight, type Night, SPECIAL_DAYS } from "./month-events.ts";
import { GUIDES, pagesOfDay, SCIENCE, TIMES } from "./month-sites.ts";

const DAYS = 30;
const DAY_MS = 86_400_000;
/** What is published on a day was published so long before its night. */
const PUBLISHED_MS = 5 * 3_600_000;

/** What goes wrong at the gateway in a night. */
const FAULTS: Readonly<Record<number, FaultSettings>> = {
  4: { "content:reset-after-charge": 0.5 },
  12: { "token:price-rise": 0.3 },
  18: { "report:receipt-wrong-total": 1 },
  26: { "content:reset-mid-body": 0.3 },
};

export interface MonthPlace {
  readonly sandbox: Sandbox;
  readonly configFile: string;
  readonly dir: string;
  /** How far the clock of the last day is ahead of the machine's. */
  readonly aheadMs: number;
}

/** The month ends now, by a clock that is `aheadMs` ahead of the machine's. It leaves the date of this process there. */
export async function playMonth(place: MonthPlace): Promise<void> {
  const { sandbox, configFile, dir, aheadMs } = place;
  moveDate(aheadMs);
  const config = await loadConfig({ path: configFile, cwd: dir, env: {} });
  for (let day = 0; day < DAYS; day++) {
    const dayAheadMs = aheadMs - (DAYS - 1 - day) * DAY_MS;
    moveDate(dayAheadMs);
    publishDay(sandbox, day, Date.now());
    sandbox.setFaults(FAULTS[day] ?? {});
    const agent = createAgent(config);
    try {
      await workAtNight({ agent, sandbox, config, dir, dayAheadMs }, day);
    } finally {
      await agent.close();
    }
  }
}

/** All that was published until some instant, and what is new since the last night. */
export function publishMonth(sandbox: Sandbox, until: number): void {
  for (let day = 0; day <= DAYS; day++) {
    publishDay(sandbox, day, until - (DAYS - 1 - day) * DAY_MS);
  }
}

function publishDay(sandbox: Sandbox, day: number, at: number): void {
  for (const page of pagesOfDay(day, at - PUBLISHED_MS)) {
    sandbox.addPage(page);
  }
}

async function workAtNight(night: Night, day: number): Promise<void> {
  const { agent } = night;
  if (day === DAYS - 1) {
    await lastNight(night);
  } else {
    await runNightly(agent, day);
    await SPECIAL_DAYS[day]?.(night);
  }
  await agent.report();
}

/** The news each night, papers each second night, guides each third one. */
async function runNightly(agent: Agent, day: number): Promise<void> {
  await agent.run({ hosts: [TIMES, ...(day % 2 === 0 ? [SCIENCE] : []), ...(day % 3 === 0 ? [GUIDES] : [])] });
}
