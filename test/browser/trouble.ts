/**
 * A morning on which much is wrong: the gateway is away and a run waits for it, a site charged too much, purchases are in doubt, a report had no answer,
 * alerts reach nobody, the disk has little room, a site is paused, a run was stopped, and a plan waits for a word. Real runs make it.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { monthConfig } from "../../demo/month/month-config.ts";
import { ARCHIVE, GUIDES, SCIENCE, TIMES } from "../../demo/month/month-sites.ts";
import { moveDateTo } from "../../demo/move-date.ts";
import type { Agent } from "../../src/agent/agent.ts";
import { createAgent } from "../../src/agent/create-agent.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";

/** Longer than the gateway remembers the id of a report. */
const LONG_MS = 60 * 3_600_000;
/** More than any disk has. */
const MUCH_MB = 1e9;

export const STOPPED_SITE = ARCHIVE;
/** The site of the run that waits. Others have nothing to do with it. */
export const WAITING_SITE = "night-desk.example";
export const PAUSED_SITE = GUIDES;
export const WAITING_PLAN = "more-news.jsonl";

export function troubleConfig(place: Parameters<typeof monthConfig>[0]): ReturnType<typeof monthConfig> {
  const config = monthConfig(place);
  return {
    ...config,
    ledger: { ...config.ledger, lowDiskMb: MUCH_MB },
    budgets: [{ scope: "all", per: "month", limit: "4 USD" }],
    sites: [...(config.sites ?? []), { host: WAITING_SITE, policy: "newsroom" }],
    alerts: [
      {
        on: ["run_failed", "in_doubt", "open_item", "waiting", "gateway_away", "ledger_low_disk"],
        webhook: "http://127.0.0.1:9/alerts",
      },
    ],
  };
}

interface TroublePlace {
  readonly sandbox: Sandbox;
  readonly configFile: string;
  readonly directory: string;
  readonly morning: number;
}

/** Everything that has gone wrong before the gateway went away. It leaves the date of this process in the morning. */
export async function playTrouble({ sandbox, configFile, directory, morning }: TroublePlace): Promise<void> {
  const config = await loadConfig({ path: configFile, cwd: directory, env: {} });
  await mkdir(join(directory, "plans"));
  moveDateTo(morning - LONG_MS);
  sandbox.setFaults({ "report:report-lost-answer": 1 });
  await withAgent(config, (agent) => agent.run({ hosts: [TIMES], maxPages: 3 }));
  moveDateTo(morning);
  await withAgent(config, async (agent) => {
    await agent.report();
    sandbox.setFaults({ "content:over-charge": 1 });
    await agent.run({ hosts: [STOPPED_SITE], maxPages: 1 });
    sandbox.setFaults({ "content:reset-after-charge": 0.5 });
    await agent.run({ hosts: [TIMES], maxPages: 6 });
    sandbox.setFaults({});
    await stopAtWork(agent);
    await agent.pauseSite(PAUSED_SITE, { by: "ben", reason: "the publisher changes its prices" });
    await agent.plan({ hosts: [TIMES], maxPages: 4, out: join(directory, "plans", WAITING_PLAN), expires: "7d" });
  });
}

async function withAgent(config: Parameters<typeof createAgent>[0], work: (agent: Agent) => Promise<unknown>) {
  const agent = createAgent(config);
  try {
    await work(agent);
  } finally {
    await agent.close();
  }
}

async function stopAtWork(agent: Agent): Promise<void> {
  const stop = new AbortController();
  agent.on("pages.decided", () => stop.abort({ by: "anna", reason: "a look at its prices first" }));
  await agent.run({ hosts: [SCIENCE], signal: stop.signal });
}
