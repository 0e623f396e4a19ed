/**
 * npm run bench:workers: a service with `licet worker` processes, against the same service that does all by itself. Every process shares the cores of
 * this machine, so the figures are processor time by process, and counts; pages a second only where there are cores enough for them.
 *
 *   npm run bench:workers -- [--part speed,conversion,sessions] [--workers 0,1,2,4] [--places 16] [--pages 1200] [--rounds 3] [--latency 50]
 *                            [--sites 1] [--sessions 100] [--work] [--profile DIRECTORY]
 *
 * `--pages` is for each worker, and a twelfth of it where pages are converted, in one round; `--sites` spreads them over so many sites. With `--work`
 * the statements and commits of the service are counted, which takes time of it: its times do not count then. `--profile` writes a CPU profile of each service.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Redis } from "ioredis";
import { startRedis, startService } from "./processes.mjs";

const TOKEN = "the-token-of-the-benchmark";
const WORKER_TOKEN = "the-workers-of-the-benchmark";
/** What the service keeps for itself (src/serve/workers/deal.ts). */
const SERVICE_PLACES = 2;
/** A look costs the service a message and a line, which must not count. */
const LOOK_MS = 1_000;
/** Until the connections are open and the code is compiled, and how long beats without work are counted. */
const SETTLE_MS = 5_000;
const IDLE_MS = 10_000;
const TICKS_A_SECOND = 100;
const CORES = "0,1";
const LICET = fileURLToPath(new URL("../bin/licet.js", import.meta.url));

const { values } = parseArgs({
  options: {
    part: { type: "string", default: "speed,conversion,sessions" },
    workers: { type: "string", default: "0,1,2,4" },
    places: { type: "string", default: "16" },
    pages: { type: "string", default: "1200" },
    rounds: { type: "string", default: "3" },
    latency: { type: "string", default: "50" },
    sites: { type: "string", default: "1" },
    sessions: { type: "string", default: "100" },
    work: { type: "boolean", default: false },
    profile: { type: "string" },
  },
});
const counts = values.workers.split(",").map(Number);
const places = Number(values.places);
const hosts = Array.from({ length: Number(values.sites) }, (_, index) => `bench${index}.example`);
const most = Math.max(1, ...counts);
const PARTS = {
  speed: () =>
    benchScale({
      title: `pages of 6 kB at ${values.latency} ms`,
      pages: Number(values.pages),
      bodyBytes: 6_000,
      format: "markdown",
      latencyMs: Number(values.latency),
      rounds: Number(values.rounds),
    }),
  conversion: () =>
    benchScale({
      title: `pages of 200 kB of HTML, converted (format: both), at ${values.latency} ms`,
      pages: Math.ceil(Number(values.pages) / 12),
      bodyBytes: 200_000,
      format: "both",
      latencyMs: Number(values.latency),
      rounds: 1,
    }),
  sessions: benchSessions,
};
for (const part of values.part.split(",")) {
  await PARTS[part]();
}

/** Each number of workers in turns, and then the medians. */
async function benchScale({ title, rounds: count, ...world }) {
  const rounds = [];
  for (let round = 1; round <= count; round++) {
    const order = round % 2 === 0 ? counts.toReversed() : counts;
    const results = new Map();
    for (const workers of order) {
      results.set(workers, await measureRun({ ...world, workers }));
    }
    rounds.push(results);
  }
  print(`${title}; medians of ${rounds.length} rounds, and ratios within one`);
  const rows = Object.keys(rounds[0].get(counts[0]));
  const name = (workers) => (workers === 0 ? "alone" : `${workers} workers`);
  printRow(["", ...counts.map(name)]);
  for (const row of rows) {
    printRow([row, ...counts.map((workers) => format(median(rounds.map((results) => results.get(workers)[row]))))]);
  }
  const ratio = (row, of, to) => median(rounds.map((results) => results.get(of)[row] / results.get(to)[row]));
  if (counts.includes(1)) {
    printRow(["pages/s against 1 worker", ...counts.map((workers) => format(ratio("pages/s", workers, 1)))]);
  }
  if (counts.includes(0)) {
    printRow(["service's µs/page against alone", ...counts.map((one) => format(ratio("service µs/page", one, 0)))]);
  }
}

async function measureRun({ workers, pages, bodyBytes, format: wanted, latencyMs }) {
  const pagesOfSite = Math.ceil((pages * (workers === 0 ? most : workers)) / hosts.length);
  const total = pagesOfSite * hosts.length;
  const warmPages = Math.ceil(total / 4);
  const world = await openWorld({ pages: pagesOfSite, warmPages, bodyBytes, latencyMs, format: wanted });
  try {
    const started = await startWorkers(world, workers);
    await buy(world, ["warm.example"]);
    const before = await readAll(world, started);
    const { bought, seconds } = await buy(world, hosts);
    const after = await readAll(world, started);
    const perPage = (read) => (read(after) - read(before)) / bought;
    if (bought !== total) {
      throw new Error(`${bought} pages were bought, not ${total}`);
    }
    return {
      "pages/s": bought / seconds,
      "service µs/page": perPage(({ service }) => service.cpu * 1e6),
      "workers µs/page": perPage(({ workersCpu }) => workersCpu * 1e6),
      "redis µs/page": perPage(({ redis }) => redis.cpu * 1e6),
      "gateway µs/page": perPage(({ gatewayCpu }) => gatewayCpu * 1e6),
      "all processes, cores": (perPage(({ allCpu }) => allCpu) * bought) / seconds,
      "messages/page": perPage(({ service }) => service.messages),
      "beats/s": (perPage(({ service }) => service.beats) * bought) / seconds,
      "bytes/page to the service": perPage(({ service }) => service.read),
      "bytes/page from it": perPage(({ service }) => service.written),
      "bytes/page to its disk": perPage(({ service }) => service.disk),
      "redis scripts/page": perPage(({ redis }) => redis.scripts),
      "service MB": after.service.rssMb,
      ...(values.work
        ? {
            "statements/page": perPage(({ service }) => service.statements),
            "commits/page": perPage(({ service }) => service.commits),
          }
        : {}),
    };
  } finally {
    await world.close();
  }
}

async function openWorld({
  pages,
  warmPages,
  bodyBytes,
  latencyMs,
  format: wanted,
  concurrency = places * most + SERVICE_PLACES,
}) {
  const directory = mkdtempSync(join(tmpdir(), "licet-workers-"));
  const redis = await startRedis();
  if (redis === null) {
    throw new Error("there is no redis-server on this machine");
  }
  const gateway = await startService(CORES, "gateway-process.mjs", { hosts, pages, warmPages, bodyBytes, latencyMs });
  const config = join(directory, "licet.config.json");
  const sites = [...hosts, "warm.example"].map((host) => ({ host, policy: "standard" }));
  writeFileSync(
    config,
    JSON.stringify({
      gateway: {
        ...{ baseUrl: gateway.ready.url, apiKey: "sandbox-key", agentId: "licet-demo" },
        ...{ concurrency, requestsPerSecond: null },
      },
      ledger: { path: join(directory, "licet.sqlite") },
      queue: { url: redis.url },
      budgets: [{ scope: "all", per: "month", limit: "1000000 USD" }],
      policies: { standard: { format: wanted, rules: [{ allow: { maxPrice: "0.01 USD" } }] } },
      sites,
      serve: { port: 0, token: TOKEN, tokens: [{ name: "fleet", token: WORKER_TOKEN, can: "work" }] },
    }),
  );
  const profile = values.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${values.profile}`];
  const measure = values.work ? "work" : null;
  const service = await startService(CORES, "service-process.mjs", { config, measure }, profile);
  const client = new Redis(redis.url);
  const workers = [];
  return {
    ...{ gateway, service, redis, client, workers },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
      await service.stop();
      await gateway.stop();
      client.disconnect();
      await redis.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function startWorkers(world, count) {
  for (let index = 0; index < count; index++) {
    world.workers.push(startWorker(world, index));
  }
  await until(async () => (await world.service.ask()).workers === count);
  return world.workers;
}

function startWorker({ service, redis }, index) {
  const args = ["worker", "--serve", service.ready.url, "--queue", redis.url, "--concurrency", String(places)];
  const profile =
    values.profile === undefined || index > 0 ? [] : ["--cpu-prof", `--cpu-prof-dir=${values.profile}/worker`];
  const child = spawn(process.execPath, [...profile, LICET, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, LICET_API_KEY: "sandbox-key", LICET_WORKER_TOKEN: WORKER_TOKEN },
  });
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  return {
    pid: child.pid,
    stop: async () => {
      child.kill("SIGTERM");
      if ((await ended) !== 0 || /warn|error/i.test(said)) {
        process.stderr.write(`a worker said:\n${said}`);
      }
    },
  };
}

/** A run of these sites, and how long it took by its own record. */
async function buy({ service }, hosts) {
  const { url } = service.ready;
  const { ended } = await service.ask();
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const begun = await fetch(`${url}/api/v1/runs`, { method: "POST", headers, body: JSON.stringify({ hosts }) });
  const { runId } = await begun.json();
  await until(async () => (await service.ask()).ended > ended);
  const { run } = await (await fetch(`${url}/api/v1/runs/${runId}?limit=1`, { headers })).json();
  if (run.state !== "completed") {
    throw new Error(`the run ended as ${run.state}: ${run.reason}`);
  }
  return { bought: run.pagesBought, seconds: (Date.parse(run.endedAt) - Date.parse(run.startedAt)) / 1_000 };
}

async function readAll({ service, gateway, client }, workers) {
  const counted = { ...(await service.ask()), cpu: cpuOf(service.pid), disk: writtenBy(service.pid) };
  const info = await client.info();
  const read = (name) => Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(info)[1]);
  const redis = {
    cpu: read("used_cpu_sys") + read("used_cpu_user"),
    scripts: Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(await client.info("commandstats"))?.[1] ?? 0),
    clients: read("connected_clients"),
    blocked: read("blocked_clients"),
    megabytes: read("used_memory") / 1024 / 1024,
  };
  const workersCpu = workers.reduce((sum, { pid }) => sum + cpuOf(pid), 0);
  const gatewayCpu = cpuOf(gateway.pid);
  return { service: counted, redis, workersCpu, gatewayCpu, allCpu: counted.cpu + workersCpu + gatewayCpu + redis.cpu };
}

/** Bytes that a process has had written to disks. */
function writtenBy(pid) {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))[1]);
}

/** Seconds of all threads of a process. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

/** So many workers of two places: first without work, then with a run. */
async function benchSessions() {
  const rows = [];
  for (const workers of [1, Number(values.sessions)]) {
    const pages = 20 * workers + 1_000;
    const world = await openWorld({
      ...{ pages, warmPages: 0, bodyBytes: 6_000, latencyMs: Number(values.latency), format: "markdown" },
      concurrency: Math.max(places * most, 2 * workers) + SERVICE_PLACES,
    });
    try {
      const without = await readAll(world, []);
      const many = await startService(CORES, "many-workers-process.mjs", {
        ...{ serve: world.service.ready.url, queue: world.redis.url, token: WORKER_TOKEN, workers, places: 2 },
      });
      await until(async () => (await world.service.ask()).workers === workers);
      await sleep(SETTLE_MS);
      const [from, idleBefore] = [performance.now(), await readAll(world, [])];
      await sleep(IDLE_MS);
      const idleAfter = await readAll(world, []);
      const seconds = (performance.now() - from) / 1_000;
      const run = await watchRun(world);
      rows.push({
        workers,
        "beats/s without work": (idleAfter.service.beats - idleBefore.service.beats) / seconds,
        "service, ms of CPU/s without work": ((idleAfter.service.cpu - idleBefore.service.cpu) * 1_000) / seconds,
        "service, MB before the workers": without.service.rssMb,
        "service, MB with them, without work": idleAfter.service.rssMb,
        "connections to the service": idleAfter.service.sockets,
        "Redis clients without work": idleAfter.redis.clients,
        ...run,
      });
      await many.stop();
    } finally {
      await world.close();
    }
  }
  print(`workers of 2 places in one process, ${values.latency} ms, pages of 6 kB`);
  for (const row of Object.keys(rows[0])) {
    printRow([row, ...rows.map((one) => format(one[row]))]);
  }
}

async function watchRun(world) {
  const before = await readAll(world, []);
  let [clients, blocked, sockets] = [0, 0, 0];
  const watch = setInterval(async () => {
    const { redis, service } = await readAll(world, []);
    clients = Math.max(clients, redis.clients);
    blocked = Math.max(blocked, redis.blocked);
    sockets = Math.max(sockets, service.sockets);
  }, 1_000);
  const { bought, seconds } = await buy(world, hosts);
  clearInterval(watch);
  const after = await readAll(world, []);
  const { service } = after;
  return {
    "pages of the run": bought,
    "service µs/page": ((service.cpu - before.service.cpu) * 1e6) / bought,
    "messages/page": (service.messages - before.service.messages) / bought,
    "beats/s": (service.beats - before.service.beats) / seconds,
    "service, MB after the run": service.rssMb,
    "service, event loop p99 ms": service.stoodMs,
    "connections to the service, most": sockets,
    "Redis clients, most": clients,
    "of those blocked, most": blocked,
    "Redis MB": after.redis.megabytes,
  };
}

async function until(isSo) {
  while (!(await isSo())) {
    await sleep(LOOK_MS);
  }
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function format(number) {
  return number >= 100 ? number.toFixed(0) : number >= 10 ? number.toFixed(1) : number.toFixed(3);
}

function printRow([first, ...others]) {
  print(first.padEnd(36) + others.map((cell) => cell.padStart(12)).join(""));
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
