/** One licet run in its own process: it does its complete work, on a fresh ledger. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent } from "../dist/src/agent/create-agent.js";
import { growYoungGeneration } from "../dist/src/cli/start/heap.js";
import { loadConfig } from "../dist/src/config/load-config.js";
import { shareByStage } from "./stage-shares.mjs";

growYoungGeneration();
const { url, host, concurrency, queue, mode, budget, profile, order = "catalog" } = JSON.parse(process.argv[2]);
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
    ledger: { path: join(directory, "licet.sqlite") },
    queue: { url: queue },
    run: { order },
    budgets: [{ scope: "all", per: "month", limit: budget }],
    policies: { standard: { rules: [{ allow: { license: "ON_DEMAND_LICENSE", maxPrice: "0.01 USD" } }] } },
    sites: [{ host, policy: "standard" }],
  }),
);

const session = new Session();
if (profile) {
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
agent.on("run.started", () => {
  started = performance.now();
  cpuBefore = process.cpuUsage();
});
const report = mode === "plan" ? await agent.plan() : await agent.run();
const seconds = (performance.now() - started) / 1000;
const cpu = process.cpuUsage(cpuBefore);
const shares = profile ? shareByStage((await session.post("Profiler.stop")).profile) : null;
await agent.close();
await rm(directory, { recursive: true });
process.stdout.write(
  `${JSON.stringify({
    state: report.state ?? "planned",
    pages: mode === "plan" ? report.pages.quoted : report.pages.bought,
    reported: report.usage?.reported ?? 0,
    seconds,
    queueSeconds: (started - called) / 1000,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    peakRssMb: process.resourceUsage().maxRSS / 1024,
    shares,
  })}\n`,
);
process.exit(0);
