/** What happens on some days of the month beside the nightly run. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Agent } from "../../src/agent/agent.ts";
import type { Config } from "../../src/config/config.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { startService } from "../../src/serve/service.ts";
import { systemClock } from "../../src/time/clock.ts";
import { moveDate } from "../move-date.ts";
import { MISSED_DELIVERIES } from "./month-config.ts";
import { ARCHIVE, GUIDES, HOSTILE, SCIENCE, TIMES } from "./month-sites.ts";

const DAY_MS = 86_400_000;
/** The schedule of the news, `0 5 * * *`. */
const SLOT_MS = 5 * 3_600_000;
const BEFORE_SLOT_MS = 300;
const WATCH_MS = 20;
const LONGEST_WATCH_MS = 5_000;

export interface Night {
  readonly agent: Agent;
  readonly sandbox: Sandbox;
  readonly config: Config;
  readonly dir: string;
  /** How far the clock of this night is ahead of the machine's. */
  readonly dayAheadMs: number;
}

export const SPECIAL_DAYS: Readonly<Record<number, (night: Night) => Promise<unknown>>> = {
  5: resolveSome,
  8: ({ agent }) => agent.run({ list: [`https://${GUIDES}/guides/bread-baking-for-a-rainy-day-1`, "no page at all"] }),
  13: approvePlan,
  16: cancelOne,
  17: refuseSite,
  18: recordUses,
  20: closeOneItem,
  21: ({ agent }) => agent.fetch([`https://${TIMES}/news/unknown`, `https://${ARCHIVE}/scans/1911/front-page`]),
  22: purgeOne,
  23: watchOverNight,
  25: chargeTooMuch,
  28: watchOverNight,
};

/** What a person finds in the morning: hostile titles, a limit that was reached, doubts, a plan that waits for a word. */
export async function lastNight({ agent, sandbox, dir }: Night): Promise<void> {
  await agent.run({ hosts: [HOSTILE] });
  await agent.run({ hosts: [TIMES], maxPages: 2 });
  sandbox.setFaults({ "content:reset-after-charge": 0.7 });
  await agent.run({ hosts: [TIMES] });
  sandbox.setFaults({});
  await agent.plan({ hosts: [GUIDES], out: join(dir, "plans", "guides-of-june.jsonl"), expires: "7d" });
}

/** A person looks at the gateway's account, and answers two doubts. */
async function resolveSome({ agent }: Night): Promise<void> {
  const [first, second] = (await agent.status()).inDoubt;
  if (first !== undefined) {
    await agent.resolve(first.purchaseId, true, { by: "anna", reason: "on the invoice of the gateway, line 12" });
  }
  if (second !== undefined) {
    await agent.resolve(second.purchaseId, false, {
      by: "ben",
      reason: "not on the invoice \u202E<b>checked twice</b>",
    });
  }
}

async function approvePlan({ agent, dir }: Night): Promise<void> {
  const file = join(dir, "plans", "guides-of-may.jsonl");
  await mkdir(join(dir, "plans"));
  await agent.plan({ hosts: [GUIDES], out: file });
  await agent.run({ plan: file, by: "anna", reason: "the guides of the spring" });
}

async function cancelOne({ agent }: Night): Promise<void> {
  const stop = new AbortController();
  agent.on("pages.decided", () => stop.abort({ by: "ben", reason: "the wrong policy" }));
  const { runId } = await agent.run({ hosts: [ARCHIVE], signal: stop.signal });
  await agent.cancel(runId, { by: "ben", reason: "the wrong policy" });
}

/** The gateway forbids all pages of a site for a night. */
async function refuseSite({ agent, sandbox }: Night): Promise<void> {
  sandbox.setFaults({ "forbidden-site": 1 });
  await agent.run({ hosts: [ARCHIVE], fresh: true }).catch(() => undefined);
}

async function recordUses({ agent }: Night): Promise<void> {
  const urls: string[] = [];
  for await (const { url } of agent.documents({ site: SCIENCE })) {
    urls.push(url);
  }
  await agent.use(urls.slice(0, 8).map((url, index) => ({ url, times: index + 1, key: `answer-${index}` })));
}

async function closeOneItem({ agent }: Night): Promise<void> {
  const [item] = (await agent.status()).openItems;
  if (item !== undefined) {
    await agent.closeItem(item.id, { by: "anna", reason: "the gateway has corrected it" });
  }
}

async function purgeOne({ agent }: Night): Promise<void> {
  for await (const { url } of agent.documents({ site: TIMES })) {
    await agent.purge({ urls: [url], by: "anna", reason: "the publisher has asked for it" });
    return;
  }
}

async function chargeTooMuch({ agent, sandbox }: Night): Promise<void> {
  sandbox.setFaults({ "content:over-charge": 1 });
  await agent.run({ hosts: [ARCHIVE], fresh: true, maxPages: 1 });
}

/** A service works at the hour of a slot, and finds the notifications that never arrived in the gateway's delivery records. */
async function watchOverNight({ agent, sandbox, config, dayAheadMs }: Night): Promise<void> {
  sandbox.subscribe(MISSED_DELIVERIES);
  sandbox.updatePage({
    url: `https://${SCIENCE}/papers/1`,
    title: "A correction of the first paper",
    markdown: "# A correction\n\nThe second figure was wrong.\n",
    rates: [{ priceMicros: 9_000 }],
  });
  await sandbox.webhooksSettled();
  const sinceMidnightMs = Date.now() % DAY_MS;
  moveDate(dayAheadMs - sinceMidnightMs + DAY_MS + SLOT_MS - BEFORE_SLOT_MS);
  const before = await countEnded(agent);
  const service = await startService(config, { debug: () => {}, info: () => {}, warn: () => {} });
  try {
    for (let waitedMs = 0; waitedMs < LONGEST_WATCH_MS; waitedMs += WATCH_MS) {
      const ended = await countEnded(agent);
      if (ended.isQuiet && ended.slots > before.slots && ended.notifications > before.notifications) {
        return;
      }
      await systemClock.sleep(WATCH_MS);
    }
  } finally {
    await service.stop();
    sandbox.unsubscribe(MISSED_DELIVERIES.id);
  }
}

async function countEnded(agent: Agent) {
  const { schedules } = await agent.schedule();
  const { notifications, unfinished } = await agent.status();
  const states = schedules.flatMap(({ slots }) => slots.map(({ state }) => state));
  return {
    isQuiet:
      unfinished.every(({ state }) => state !== "running") &&
      !states.includes("claimed") &&
      !states.includes("started"),
    slots: states.filter((state) => state === "done").length,
    notifications: notifications.done,
  };
}
