/** Months of runs of a service in minutes: what they leave in memory and on disk. */
import { statSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createResources } from "../../src/agent/compose.ts";
import { EventBus } from "../../src/agent/events/events.ts";
import { parseConfig } from "../../src/config/load-config.ts";
import { createRunManager, type LiveRun } from "../../src/serve/runs/run-manager.ts";
import { createQuickClock } from "../doubles/quick-clock.ts";

const MONTH_MS = 30 * 86_400_000;
/** Runs at once, each of a site of its own. */
const AT_ONCE = 4;
export const TENTHS = 10;

export interface SoakOptions {
  readonly gatewayUrl: string;
  readonly ledgerFile: string;
  readonly hosts: readonly string[];
  /** Of each run. */
  readonly pages: number;
  readonly runs: number;
  readonly onTenth?: (point: SoakPoint) => void;
}

/** What was measured after a tenth of the runs. */
export interface SoakPoint {
  readonly pages: number;
  readonly rssBytes: number;
  /** After a collection of garbage. */
  readonly heapBytes: number;
  /** Before the log is shortened, and after. */
  readonly logBytes: number;
  readonly logAtRestBytes: number;
  readonly fileBytes: number;
  /** Sockets, timers and other things that keep a process alive. */
  readonly handles: number;
}

/** @returns a point for each tenth of the runs */
export async function soak(options: SoakOptions): Promise<readonly SoakPoint[]> {
  const { hosts, runs, pages, ledgerFile, onTenth } = options;
  const clock = createQuickClock(1);
  const resources = { ...createResources(toConfig(options), new EventBus()), clock };
  const ledger = await resources.ledger("create");
  const manager = createRunManager(resources);
  const points: SoakPoint[] = [];
  let done = 0;
  const work = async (host: string): Promise<void> => {
    const started = await manager.start({ trigger: "schedule", hosts: [host], options: { fresh: true } });
    if (started.kind !== "started") {
      throw new Error(`a run did not start: ${started.detail}`);
    }
    await assertCompleted(started.run, pages);
    done += 1;
  };
  for (let tenth = 1; tenth <= TENTHS; tenth += 1) {
    while (done < (runs * tenth) / TENTHS) {
      clock.jump((AT_ONCE * MONTH_MS) / runs);
      await Promise.all(
        Array.from({ length: AT_ONCE }, (_, index) => work(hosts[(done + index) % hosts.length] ?? "")),
      );
    }
    const logBytes = sizeOf(`${ledgerFile}-wal`);
    await ledger.shortenLog();
    collectGarbage();
    const point: SoakPoint = {
      pages: done * pages,
      rssBytes: process.memoryUsage.rss(),
      heapBytes: process.memoryUsage().heapUsed,
      logBytes,
      logAtRestBytes: sizeOf(`${ledgerFile}-wal`),
      fileBytes: sizeOf(ledgerFile),
      handles: process.getActiveResourcesInfo().length,
    };
    points.push(point);
    onTenth?.(point);
  }
  await manager.stop();
  await resources.close();
  return points;
}

function toConfig({ gatewayUrl, ledgerFile, hosts }: SoakOptions) {
  return parseConfig(
    {
      gateway: {
        baseUrl: gatewayUrl,
        service: "Service",
        apiKey: "sandbox-key",
        agentId: "licet-demo",
        userAgent: "licet-demo/1.0",
        requestsPerSecond: 1_000_000,
      },
      ledger: { path: ledgerFile },
      budgets: [{ scope: "all", per: "month", limit: "1000000 USD" }],
      policies: { standard: { rules: [{ allow: {} }] } },
      sites: hosts.map((host) => ({ host, policy: "standard", refresh: { when: "always" as const } })),
    },
    { cwd: process.cwd(), env: {} },
  );
}

async function assertCompleted({ ended }: LiveRun, pages: number): Promise<void> {
  const end = await ended;
  if (end.kind === "failed") {
    throw end.error;
  }
  if (end.report.state !== "completed" || end.report.pages.bought !== pages) {
    throw new Error(`a run ended as ${end.report.state} with ${end.report.pages.bought} of ${pages} pages`);
  }
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

const MB = 1_000_000;
/** What caches and the code of later calls may take after the first fifth of the runs. */
const MAX_HEAP_GROWTH_BYTES = 16 * MB;
const MAX_RSS_GROWTH_BYTES = 96 * MB;
/** The log begins anew at 32 MB. A burst beside a reader makes it longer for a while. */
const MAX_LOG_BYTES = 96 * MB;
/** A page of a few hundred bytes: its purchase, content, use, receipt and report, with their indexes. */
const MAX_FILE_BYTES_PER_PAGE = 6_000;

/** @returns what grew beyond its bound, in words */
export function findGrowth(points: readonly SoakPoint[]): readonly string[] {
  const [, second] = points;
  const last = points.at(-1);
  if (second === undefined || last === undefined) {
    return ["there are not enough points"];
  }
  const perPage = (last.fileBytes - second.fileBytes) / (last.pages - second.pages);
  const problems = [
    [
      last.heapBytes - second.heapBytes > MAX_HEAP_GROWTH_BYTES,
      `the heap grew by ${last.heapBytes - second.heapBytes} bytes`,
    ],
    [
      last.rssBytes - second.rssBytes > MAX_RSS_GROWTH_BYTES,
      `the process grew by ${last.rssBytes - second.rssBytes} bytes`,
    ],
    [Math.max(...points.map(({ logBytes }) => logBytes)) > MAX_LOG_BYTES, "the write-ahead log is too long"],
    [Math.max(...points.map(({ logAtRestBytes }) => logAtRestBytes)) > 0, "the write-ahead log is not emptied at rest"],
    [perPage > MAX_FILE_BYTES_PER_PAGE, `the file grew by ${Math.round(perPage)} bytes a page`],
    [last.handles > second.handles, `${last.handles - second.handles} more sockets and timers are open`],
  ] as const;
  return problems.flatMap(([isProblem, text]) => (isProblem ? [text] : []));
}
