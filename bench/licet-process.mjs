/**
 * One licet run in its own process: it does its complete work, on a fresh ledger. `checkout` is the root of a built licet, `measure` what
 * is counted beside the time, if anything: `profile`, `work` (SQLite), `memory` (bytes allocated) or `promises`. Each of those slows the run down.
 * `tenths`: after how many seconds each tenth of so many pages was bought.
 */
import { createHook } from "node:async_hooks";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { GCProfiler, getHeapStatistics } from "node:v8";
import { shareByStage } from "./stage-shares.mjs";
import { watchConnections } from "./work-counter.mjs";

const {
  url,
  hosts,
  concurrency,
  queue,
  mode,
  budget,
  order = "catalog",
  measure,
  tenths = 0,
  checkout,
  thread = false,
} = JSON.parse(process.argv[2]);
const load = (path) => import(pathToFileURL(join(checkout, "dist/src", path)).href);
const work = measure === "work" ? watchConnections(createRequire(join(checkout, "dist/"))("better-sqlite3")) : null;
// Before what it bounds, as the command line does.
const heap = await load("cli/start/heap.js");
// Other commits have another.
(heap.boundHeap ?? heap.boundYoungGeneration ?? heap.growYoungGeneration)();
// The program of the package, which the oldest commits do not have. A profile needs the name of each source.
const programs = measure === "profile" ? ["dist/src/index.js"] : ["lib/index.js", "dist/src/index.js"];
const program = programs.map((path) => join(checkout, path)).find((path) => existsSync(path));
const { createAgent, loadConfig } = await import(pathToFileURL(program).href);
const directory = await mkdtemp(join(tmpdir(), "licet-bench-"));
const file = join(directory, "licet.config.json");
await writeFile(
  file,
  JSON.stringify({
    gateway: {
      baseUrl: url,
      apiKey: "sandbox-key",
      agentId: "licet-demo",
      userAgent: "licet-demo/1.0",
      concurrency,
      requestsPerSecond: 1_000_000,
    },
    ledger: { path: join(directory, "licet.sqlite"), ...(thread ? { thread } : {}) },
    queue: { url: queue },
    run: { order },
    budgets: [{ scope: "all", per: "month", limit: budget }],
    policies: { standard: { rules: [{ allow: { license: "ON_DEMAND_LICENSE", maxPrice: "0.01 USD" } }] } },
    sites: hosts.map((host) => ({ host, policy: "standard" })),
  }),
);

const session = new Session();
if (measure === "profile") {
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 500 });
  await session.post("Profiler.start");
}
const agent = createAgent(await loadConfig({ path: file, cwd: directory, env: {} }));
// A run begins when its queue is open; how long that took is told apart (`queueSeconds`).
const called = performance.now();
let started = called;
let cpuBefore = process.cpuUsage();
const garbage = new GCProfiler();
let heapBefore = 0;
let promises = 0;
const hook = createHook({
  init(_id, type) {
    promises += type === "PROMISE" ? 1 : 0;
  },
});
agent.on("run.started", () => {
  work?.begin();
  if (measure === "promises") {
    hook.enable();
  }
  if (measure === "memory") {
    heapBefore = getHeapStatistics().used_heap_size;
    garbage.start();
  }
  started = performance.now();
  cpuBefore = process.cpuUsage();
});
const reached = [];
if (tenths > 0) {
  let bought = 0;
  agent.on("page.bought", () => {
    bought += 1;
    if (bought % Math.floor(tenths / 10) === 0) {
      reached.push((performance.now() - started) / 1000);
    }
  });
}
const report = mode === "plan" ? await agent.plan() : await agent.run();
const seconds = (performance.now() - started) / 1000;
const cpu = process.cpuUsage(cpuBefore);
const shares = measure === "profile" ? shareByStage((await session.post("Profiler.stop")).profile) : null;
hook.disable();
const allocatedBytes = measure === "memory" ? sumAllocated(garbage.stop()) : null;
const counted = work?.read() ?? null;
await agent.close();
await rm(directory, { recursive: true });
process.stdout.write(
  `${JSON.stringify({
    state: report.state ?? "planned",
    pages: mode === "plan" ? report.pages.quoted : (report.pages.bought ?? report.pages.acquired),
    reported: report.usage?.reported ?? 0,
    seconds,
    queueSeconds: (started - called) / 1000,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    peakRssMb: process.resourceUsage().maxRSS / 1024,
    shares,
    reached,
    work: counted,
    allocatedBytes,
    promises: measure === "promises" ? promises : null,
  })}\n`,
);
process.exit(0);

/** What the heap grew by between the collections of garbage. */
function sumAllocated({ statistics }) {
  let bytes = 0;
  let left = heapBefore;
  for (const { beforeGC, afterGC } of statistics) {
    bytes += beforeGC.heapStatistics.usedHeapSize - left;
    left = afterGC.heapStatistics.usedHeapSize;
  }
  return bytes + getHeapStatistics().used_heap_size - left;
}
