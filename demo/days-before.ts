/**
 * What the demo of a service finds in its ledger: the runs of the days before, one each morning, against the same sandbox. They buy little each day, so
 * that the service finds something to buy.
 */
import { createAgent } from "../src/agent/create-agent.ts";
import { loadConfig } from "../src/config/load-config.ts";
import { moveDate } from "./move-date.ts";

const DAYS = 16;
const DAY_MS = 86_400_000;
/** By turns, so that the days differ. */
const PAGES = [3, 5, 2, 4, 1, 6, 3];

export interface DaysBefore {
  readonly configFile: string;
  readonly dir: string;
  /** How far the demo's clocks are ahead of the machine's. */
  readonly aheadMs: number;
}

/** It leaves the date of this process at the end of the last day. */
export async function playDaysBefore({ configFile, dir, aheadMs }: DaysBefore): Promise<void> {
  const config = await loadConfig({ path: configFile, cwd: dir, env: {} });
  try {
    for (let daysAgo = DAYS; daysAgo > 0; daysAgo -= 1) {
      moveDate(aheadMs - daysAgo * DAY_MS);
      const agent = createAgent(config);
      try {
        await agent.run({ maxPages: PAGES[daysAgo % PAGES.length] });
        await agent.report();
      } finally {
        await agent.close();
      }
    }
  } finally {
    moveDate(aheadMs);
  }
}
