/**
 * A service over midnight: schedules, webhooks good and bad, a budget of a day that runs out and begins again, a kill, and then both books
 * side by side.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent } from "../src/agent/agent.ts";
import { createAgent } from "../src/agent/create-agent.ts";
import { plural } from "../src/cli/output/format-values.ts";
import { textTable } from "../src/cli/output/text-table.ts";
import { loadConfig } from "../src/config/load-config.ts";
import { type Sandbox, startSandbox } from "../src/sandbox/sandbox.ts";
import { systemClock } from "../src/time/clock.ts";
import { type Books, giveVerdict, resolveDoubts } from "./close-books.ts";
import { describeDay, listDays, readCharges } from "./compare-books.ts";
import { playDaysBefore } from "./days-before.ts";
import { machineTime, moveDate } from "./move-date.ts";
import {
  BLOG_HOST,
  NEWS_HOST,
  SERVE_TOKEN,
  serviceDemoConfig,
  WEBHOOK_SECRET,
  webhookUrl,
} from "./service-demo-config.ts";
import { type ServiceProcess, startServiceProcess } from "./service-process.ts";

/** The wait before each answer of the gateway: slow enough that the kill comes in the middle of a run. */
const LATENCY_MS = 60;
const PUBLISH_EVERY_MS = 1_500;
/** Half of the notifications do not arrive as they should, or are not the gateway's. */
const FAULTS = {
  "webhook-forged": 0.15,
  "webhook-replayed": 0.1,
  "webhook-doubled": 0.1,
  "webhook-lost": 0.1,
  "webhook-late": 0.1,
};
const DELIVERY_RETRY_MS = [1_000, 3_000, 10_000];
const LATE_MS = 5_000;
/** The service is killed after this many charges. */
const CHARGES_BEFORE_KILL = 8;
/** How long nobody receives. */
const DOWN_MS = 4_000;
const WATCH_MS = 20;
const LONGEST_WAIT_MS = 40_000;
const SECOND_MS = 1000;
const DAY_MS = 86_400_000;

export interface ServiceDemoDeps {
  readonly say: (text: string) => void;
  /** The path of licet-at.ts: the service is a process that can be killed. */
  readonly program: string;
  /** How long the day before midnight is watched. The date of this process is moved for it. */
  readonly firstDayMs: number;
  /** How long the day after midnight is watched. */
  readonly secondDayMs: number;
}

/** How far to move the clocks so that midnight (UTC) comes after some time. Never back: a ledger has seen the time that it has. */
function aheadForMidnight(now: number, inMs: number): number {
  return (((-now - inMs) % DAY_MS) + DAY_MS) % DAY_MS;
}

/** @returns whether the ledger and the gateway agree at the end */
export async function playServiceDemo(deps: ServiceDemoDeps): Promise<boolean> {
  const dir = await mkdtemp(join(tmpdir(), "licet-demo-"));
  const servePort = await findFreePort();
  const sandbox = await startSandbox({
    sites: [
      { kind: "demo", host: NEWS_HOST },
      { kind: "demo", host: BLOG_HOST },
    ],
    deliveryRetryMs: DELIVERY_RETRY_MS,
    deliveryLateMs: LATE_MS,
    publishEveryMs: PUBLISH_EVERY_MS,
    faults: FAULTS,
  });
  try {
    const configFile = join(dir, "licet.config.json");
    await writeFile(configFile, JSON.stringify(serviceDemoConfig({ gatewayUrl: sandbox.url, dir, servePort })));
    await playDaysBefore({ configFile, dir, aheadMs: aheadForMidnight(machineTime(), deps.firstDayMs) });
    const aheadMs = aheadForMidnight(machineTime(), deps.firstDayMs);
    moveDate(aheadMs);
    sandbox.setLatency(LATENCY_MS);
    sandbox.subscribe({ id: "main", url: webhookUrl({ servePort }), secret: WEBHOOK_SECRET });
    return await play(deps, { sandbox, configFile, dir, servePort, aheadMs });
  } finally {
    await sandbox.close();
    await rm(dir, { recursive: true, force: true });
  }
}

interface Stage {
  readonly sandbox: Sandbox;
  readonly configFile: string;
  readonly dir: string;
  readonly servePort: number;
  /** How far the clocks of the demo are ahead of the machine's. */
  readonly aheadMs: number;
}

async function play(deps: ServiceDemoDeps, { sandbox, configFile, dir, servePort, aheadMs }: Stage): Promise<boolean> {
  const { say, program } = deps;
  const step = (title: string) => say(`\n── ${clockTime()} ${title}`);
  const onWarning = createWarningPrinter(say);
  const start = () => startServiceProcess({ program, aheadMs, configFile, onWarning });
  const midnightAt = (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS;
  const agent = createAgent(await loadConfig({ path: configFile, cwd: dir, env: {} }));
  let service: ServiceProcess = start();
  try {
    say(
      `A local gateway sells ${NEWS_HOST} and ${BLOG_HOST} and publishes every ${PUBLISH_EVERY_MS / SECOND_MS} s. No money is real.`,
    );
    say("Half of its notifications are lost, late, doubled or replayed, or somebody forges one.");
    say("The clocks of the demo are ahead: midnight (UTC) comes soon.");
    await service.ready;
    step("licet serve has started, with a budget of 0.30 USD a day");
    say(
      `   Look at it while it runs: http://127.0.0.1:${servePort}/ (to act there, log in with the token ${SERVE_TOKEN})`,
    );

    await untilCharged(sandbox, sandbox.audit().charges.length + CHARGES_BEFORE_KILL);
    await service.end("SIGKILL");
    step(`it was killed (SIGKILL) in the middle of a run, after ${plural(sandbox.audit().charges.length, "charge")}`);
    await systemClock.sleep(DOWN_MS);
    service = start();
    await service.ready;
    step("it has started again, and takes over what died");

    await watch({ sandbox, agent, say }, midnightAt);
    step("midnight: the budget of the day begins again");
    await watch({ sandbox, agent, say }, Date.now() + deps.secondDayMs);
    const code = await service.end("SIGTERM");
    step(`it was stopped (SIGTERM), and ended with ${code}`);
    return (await closeBooks({ agent, sandbox, say })) && code === 0;
  } finally {
    await service.end("SIGKILL");
    await agent.close();
  }
}

/** @throws Error when nothing is bought for a long time */
async function untilCharged(sandbox: Sandbox, charges: number): Promise<void> {
  const endAt = Date.now() + LONGEST_WAIT_MS;
  while (sandbox.audit().charges.length < charges) {
    if (Date.now() > endAt) {
      throw new Error("the service bought nothing; its schedules should have started runs");
    }
    await systemClock.sleep(WATCH_MS);
  }
}

const SHOW_EVERY_MS = 8 * SECOND_MS;

/** Says every few seconds what has happened. */
async function watch(
  { sandbox, agent, say }: { sandbox: Sandbox; agent: Agent; say: ServiceDemoDeps["say"] },
  endAt: number,
): Promise<void> {
  while (Date.now() < endAt) {
    await systemClock.sleep(Math.min(SHOW_EVERY_MS, endAt - Date.now()));
    const { runs, totals } = await agent.status();
    const triggers = runs.slice(0, 3).map(({ trigger, state }) => `${trigger} ${state}`);
    say(
      `   ${clockTime()} ${describeDay(readCharges(sandbox), Date.now())} today; ${plural(totals.runs, "run")}, the last: ${triggers.join(", ")}`,
    );
  }
}

async function closeBooks(books: Books): Promise<boolean> {
  const { agent, sandbox, say } = books;
  const { webhooks } = sandbox.audit();
  say("\nThe notifications, as the gateway counts them:");
  say(
    textTable(
      null,
      Object.entries(webhooks).map(([fate, count]) => [String(count), fate]),
      ["right"],
    ),
  );
  await resolveDoubts(books);
  await agent.report();
  say("\nBoth books, by day:");
  say(await listDays(agent, sandbox));
  say("licet audit:");
  const { forgedTaken } = webhooks;
  return giveVerdict(books, forgedTaken === 0 ? [] : [`${forgedTaken} forged notifications were taken`]);
}

/** A port that was free a moment ago: the address is registered before the service listens on it. */
async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Each kind of warning once: they differ in the ids of runs, and in numbers. */
function createWarningPrinter(say: ServiceDemoDeps["say"]): (message: string) => void {
  const said = new Set<string>();
  return (message) => {
    const kind = message.replace(/run_\w+|\d+|\w+\.example/g, "…");
    if (!said.has(kind)) {
      said.add(kind);
      say(`   licet warns: ${message}`);
    }
  };
}

function clockTime(): string {
  return new Date().toISOString().slice(11, 19);
}
