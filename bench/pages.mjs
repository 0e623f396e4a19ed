/**
 * What the pages of a service cost over a large ledger: the time of each page for one reader, then a run alone, and a run beside 50 readers who load page
 * after page, in pairs. The event loop of the service is watched (how long it stands still at most, and how often for more than 50 ms), and what processor time
 * a bought page takes, with what the thread of the pages takes of it.
 *
 *   npm run build && node bench/pages.mjs [--ledger FILE] [--pages 1000000] [--runs 10000] [--readers 50] [--buy 3000] [--rounds 3]
 *                                           [--latency 5]
 *
 * Without a ledger, one of so many pages and runs is made (bench/ledger-of-many-runs.mjs). A given one is copied.
 */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { findAddresses } from "../test/browser/addresses.ts";
import { fillManyRuns, hostOf } from "./ledger-of-many-runs.mjs";

const HERE = resolve(import.meta.dirname, "..");
const TOKEN = "the-token-of-the-benchmark";
const SITES = 8;
const TRIES = 7;
const NANOSECONDS = 1e6;
const LOOK_MS = 20;
const STOOD_MS = 50;
const BUSY = 503;
/** `utime` and `stime` in /proc/PID/task/TID/stat, behind the name, in ticks. */
const USER_TICKS = 11;
const TICK_MS = 10;

const { values } = parseArgs({
  options: {
    ledger: { type: "string" },
    pages: { type: "string", default: "1000000" },
    runs: { type: "string", default: "10000" },
    readers: { type: "string", default: "50" },
    buy: { type: "string", default: "3000" },
    rounds: { type: "string", default: "3" },
    latency: { type: "string", default: "5" },
    "as-readers": { type: "string" },
  },
});

if (values["as-readers"] === undefined) {
  await measure();
} else {
  await readUntilTold(JSON.parse(values["as-readers"]));
}

async function measure() {
  const directory = mkdtempSync(join(tmpdir(), "licet-pages-"));
  const gateway = spawn(
    process.execPath,
    [
      join(HERE, "bench/gateway-process.mjs"),
      JSON.stringify({
        pages: 2 * Number(values.rounds) * Number(values.buy),
        bodyBytes: 2_000,
        latencyMs: Number(values.latency),
      }),
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const [line] = await once(createInterface({ input: gateway.stdout }), "line");
  const service = await openService(directory, JSON.parse(line).url);
  try {
    const addresses = (await findAddresses(service.url, ["/"], null)).map(({ path }) => path);
    await timeEach(service.url, addresses);
    await comparePairs(service, addresses);
  } finally {
    await service.stop();
    gateway.stdin.end();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function openService(directory, gatewayUrl) {
  const load = (file) => import(pathToFileURL(join(HERE, "dist/src", file)).href);
  const { openSqliteLedger } = await load("ledger/sqlite/open.js");
  const { startService } = await load("serve/service.js");
  const { loadConfig } = await load("config/load-config.js");
  const path = join(directory, "licet.sqlite");
  if (values.ledger === undefined) {
    const size = { pages: Number(values.pages), runs: Number(values.runs), days: 365, until: Date.now() };
    await fillManyRuns(openSqliteLedger, path, size);
  } else {
    copyFileSync(values.ledger, path);
  }
  const config = {
    gateway: { baseUrl: gatewayUrl, apiKey: "sandbox-key", agentId: "licet-demo", requestsPerSecond: null },
    ledger: { path },
    budgets: [{ scope: "all", per: "month", limit: "100000 USD" }],
    policies: { standard: { rules: [{ allow: { maxPrice: "0.02 USD" } }] } },
    sites: [
      { host: "bench.example", policy: "standard" },
      ...Array.from({ length: SITES }, (_, index) => ({ host: hostOf(index + 1), policy: "standard" })),
    ],
    serve: { port: 0, token: TOKEN },
  };
  const file = join(directory, "licet.config.json");
  writeFileSync(file, JSON.stringify(config));
  const quiet = () => {};
  return startService(await loadConfig({ path: file, cwd: directory, env: {} }), {
    debug: quiet,
    info: quiet,
    warn: quiet,
  });
}

/** The fastest of some tries, which is what the page costs on a machine that has other work, and the middle one. The first look, which starts the thread of the pages, does not count. */
async function timeEach(url, addresses) {
  print(["page", "fastest ms", "middle ms", "kB"]);
  await look(url, addresses[0]);
  for (const path of addresses) {
    const tries = [];
    let bytes = 0;
    for (let turn = 0; turn < TRIES; turn += 1) {
      const from = performance.now();
      bytes = await look(url, path);
      tries.push(performance.now() - from);
    }
    tries.sort((a, b) => a - b);
    print([path, tries[0].toFixed(0), tries[Math.floor(TRIES / 2)].toFixed(0), (bytes / 1000).toFixed(0)]);
  }
}

async function look(url, path) {
  const answer = await fetch(url + path, { headers: { accept: "text/html", authorization: `Bearer ${TOKEN}` } });
  return (await answer.text()).length;
}

/** Pairs in turn, so that what else the machine does falls on both alike. */
async function comparePairs(service, addresses) {
  const readers = Number(values.readers);
  const ratios = [];
  print(["run", "pages a s", "CPU ms a page", "of it reader", "loop p99 ms", "loop max ms", `> ${STOOD_MS} ms`]);
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    // Each run walks over more bought pages than the one before, so who goes first changes.
    const goes = [
      { name: "alone", title: "alone", pages: null },
      { name: "beside", title: `beside ${readers} readers`, pages: addresses },
    ];
    const seen = {};
    for (const { name, title, pages } of round % 2 === 0 ? goes.toReversed() : goes) {
      seen[name] = await watchRun(`${round}: ${title}`, service, pages);
    }
    const { alone, beside } = seen;
    ratios.push({ speed: beside.speed / alone.speed, cpu: beside.runCpuMs / alone.runCpuMs });
  }
  const middle = (name) => ratios.map((ratio) => ratio[name]).sort((a, b) => a - b)[Math.floor(ratios.length / 2)];
  process.stdout.write(
    `beside ${readers} readers, a run has ${middle("speed").toFixed(2)} of its speed alone; without the thread that reads, a page takes ${middle("cpu").toFixed(2)} of the processor time (middle of ${ratios.length} pairs)\n`,
  );
}

async function watchRun(title, { url }, addresses) {
  const readers = addresses === null ? null : startReaders(url, addresses);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let stood = 0;
  let seen = performance.now();
  const pulse = setInterval(() => {
    const now = performance.now();
    stood += now - seen > STOOD_MS ? 1 : 0;
    seen = now;
  }, 1);
  const from = performance.now();
  const cpu = process.cpuUsage();
  const readerFrom = readerCpuMs();
  const bought = await buy(url);
  const seconds = (performance.now() - from) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const ofReader = (readerCpuMs() - readerFrom) / bought;
  clearInterval(pulse);
  delay.disable();
  const said = await readers?.stop();
  const cpuMs = (user + system) / 1000 / bought;
  const ms = (nanoseconds) => (nanoseconds / NANOSECONDS).toFixed(0);
  print([
    title,
    ...[(bought / seconds).toFixed(0), cpuMs.toFixed(2), ofReader.toFixed(2)],
    ...[ms(delay.percentile(99)), ms(delay.max), String(stood)],
  ]);
  if (said !== undefined) {
    process.stdout.write(
      `   the readers: ${said.pages} pages, ${(said.pages / seconds).toFixed(0)} a second, ${said.refused} refused as busy; the middle one took ${said.middleMs.toFixed(0)} ms\n`,
    );
  }
  return { speed: bought / seconds, runCpuMs: cpuMs - ofReader };
}

/** In a process of their own: they must not share the event loop that is watched. */
function startReaders(url, addresses) {
  const given = JSON.stringify({ url, addresses, readers: Number(values.readers) });
  const child = fork(import.meta.filename, ["--as-readers", given]);
  return {
    async stop() {
      child.send("stop");
      const [said] = await once(child, "message");
      await once(child, "exit");
      return said;
    },
  };
}

/** What the thread that reads pages has taken, by the name that it has under Linux. 0 elsewhere, and while there is none. */
function readerCpuMs() {
  try {
    return readdirSync("/proc/self/task")
      .map((id) => readFileSync(`/proc/self/task/${id}/stat`, "utf8"))
      .filter((stat) => stat.includes("(licet-reader)"))
      .map((stat) => stat.slice(stat.lastIndexOf(")") + 2).split(" "))
      .reduce((sum, fields) => sum + (Number(fields[USER_TICKS]) + Number(fields[USER_TICKS + 1])) * TICK_MS, 0);
  } catch {
    return 0;
  }
}

async function buy(url) {
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const body = JSON.stringify({ hosts: ["bench.example"], maxPages: Number(values.buy), fresh: true });
  const begun = await (await fetch(`${url}/api/v1/runs`, { method: "POST", headers, body })).json();
  if (begun.runId === undefined) {
    throw new Error(`the run was not begun: ${JSON.stringify(begun)}`);
  }
  for (;;) {
    const answer = await fetch(`${url}/api/v1/runs/${begun.runId}?limit=1`, { headers });
    const { run } = await answer.json();
    // A machine that is too busy answers with a problem: the next look says more.
    if (answer.ok && run.state !== "running") {
      return run.pagesBought;
    }
    await new Promise((done) => setTimeout(done, LOOK_MS));
  }
}

/** Until the message comes; then each reader ends with the page that it reads, so that the service has nobody to wait for. */
async function readUntilTold({ url, addresses, readers }) {
  const tookMs = [];
  let refused = 0;
  let isOver = false;
  process.on("message", () => {
    isOver = true;
  });
  const headers = { accept: "text/html", authorization: `Bearer ${TOKEN}` };
  const read = async (reader) => {
    for (let turn = reader; !isOver; turn += 1) {
      const from = performance.now();
      const answer = await fetch(url + addresses[turn % addresses.length], { headers });
      await answer.text();
      tookMs.push(performance.now() - from);
      refused += answer.status === BUSY ? 1 : 0;
    }
  };
  await Promise.all(Array.from({ length: readers }, (_, reader) => read(reader)));
  tookMs.sort((a, b) => a - b);
  process.send({ pages: tookMs.length, refused, middleMs: tookMs[Math.floor(tookMs.length / 2)] ?? 0 });
  process.disconnect();
}

function print([first, ...others]) {
  process.stdout.write(`${first.padEnd(60)}${others.map((cell) => cell.padStart(12)).join("")}\n`);
}
