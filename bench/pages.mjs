/**
 * What the pages of a service cost over a large ledger: the time of each page for one reader, then a run alone, and a run beside 50 readers who load page
 * after page. The event loop of the service is watched: how long it stands still at most, and how often for more than 50 ms.
 *
 *   npm run build && node bench/pages.mjs [--ledger FILE] [--pages 1000000] [--runs 10000] [--readers 50] [--buy 3000]
 *
 * Without a ledger, one of so many pages and runs is made (bench/ledger-of-many-runs.mjs). A given one is copied.
 */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

const { values } = parseArgs({
  options: {
    ledger: { type: "string" },
    pages: { type: "string", default: "1000000" },
    runs: { type: "string", default: "10000" },
    readers: { type: "string", default: "50" },
    buy: { type: "string", default: "3000" },
    "as-readers": { type: "string" },
  },
});

if (values["as-readers"] === undefined) {
  await measure();
} else {
  await readForEver(JSON.parse(values["as-readers"]));
}

async function measure() {
  const directory = mkdtempSync(join(tmpdir(), "licet-pages-"));
  const gateway = spawn(
    process.execPath,
    [
      join(HERE, "bench/gateway-process.mjs"),
      JSON.stringify({ pages: 3 * Number(values.buy), bodyBytes: 2_000, latencyMs: 5 }),
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const [line] = await once(createInterface({ input: gateway.stdout }), "line");
  const service = await openService(directory, JSON.parse(line).url);
  try {
    const addresses = (await findAddresses(service.url, ["/"], null)).map(({ path }) => path);
    await timeEach(service.url, addresses);
    await watchRun("a run alone", service, null);
    await watchRun(`a run beside ${values.readers} readers`, service, addresses);
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

/** The middle of some tries, and the slowest of them. The first look, which starts the thread of the pages, does not count. */
async function timeEach(url, addresses) {
  print(["page", "middle ms", "slowest ms", "kB"]);
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
    print([path, tries[Math.floor(TRIES / 2)].toFixed(0), tries.at(-1).toFixed(0), (bytes / 1000).toFixed(0)]);
  }
}

async function look(url, path) {
  const answer = await fetch(url + path, { headers: { accept: "text/html", authorization: `Bearer ${TOKEN}` } });
  return (await answer.text()).length;
}

async function watchRun(title, { url }, addresses) {
  const readers =
    addresses === null
      ? null
      : fork(import.meta.filename, [
          "--as-readers",
          JSON.stringify({ url, addresses, readers: Number(values.readers) }),
        ]);
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
  const bought = await buy(url);
  const seconds = (performance.now() - from) / 1000;
  clearInterval(pulse);
  delay.disable();
  const ms = (nanoseconds) => (nanoseconds / NANOSECONDS).toFixed(0);
  process.stdout.write(
    `${title}: ${bought} pages bought, ${(bought / seconds).toFixed(0)} a second; event loop p99 ${ms(delay.percentile(99))} ms, at most ${ms(delay.max)} ms, ${stood} times more than ${STOOD_MS} ms\n`,
  );
  if (readers !== null) {
    readers.send("stop");
    const [said] = await once(readers, "message");
    process.stdout.write(
      `the readers: ${said.pages} pages, ${(said.pages / seconds).toFixed(0)} a second, ${said.refused} refused as busy; the middle one took ${said.middleMs.toFixed(0)} ms\n`,
    );
  }
}

async function buy(url) {
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const body = JSON.stringify({ hosts: ["bench.example"], maxPages: Number(values.buy), fresh: true });
  const begun = await (await fetch(`${url}/api/v1/runs`, { method: "POST", headers, body })).json();
  for (;;) {
    const { run } = await (await fetch(`${url}/api/v1/runs/${begun.runId}?limit=1`, { headers })).json();
    if (run.state !== "running") {
      return run.pagesBought;
    }
    await new Promise((done) => setTimeout(done, LOOK_MS));
  }
}

/** In a process of their own: they must not share the event loop that is watched. */
async function readForEver({ url, addresses, readers }) {
  const tookMs = [];
  let refused = 0;
  let isOver = false;
  process.on("message", () => {
    isOver = true;
    tookMs.sort((a, b) => a - b);
    process.send({ pages: tookMs.length, refused, middleMs: tookMs[Math.floor(tookMs.length / 2)] ?? 0 });
    process.disconnect();
  });
  const read = async (reader) => {
    for (let turn = reader; !isOver; turn += 1) {
      const from = performance.now();
      const path = addresses[turn % addresses.length];
      const headers = { accept: "text/html", authorization: `Bearer ${TOKEN}` };
      const status = await fetch(url + path, { headers }).then(
        async (answer) => {
          await answer.text();
          return answer.status;
        },
        () => null,
      );
      if (status !== null) {
        tookMs.push(performance.now() - from);
        refused += status === 503 ? 1 : 0;
      }
    }
  };
  await Promise.all(Array.from({ length: readers }, (_, reader) => read(reader)));
}

function print([first, ...others]) {
  process.stdout.write(`${first.padEnd(60)}${others.map((cell) => cell.padStart(12)).join("")}\n`);
}
