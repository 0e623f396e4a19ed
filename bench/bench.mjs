/**
 * npm run bench: licet against a bare undici loop that sends the same two requests a page, in the same run. The gateway has
 * one core, what is measured the other one.
 *
 *   npm run bench -- [--pages 20000,100000] [--latency 0,50] [--queue redis,embedded] [--rounds 1] [--concurrency 64] [--sites 1]
 *                    [--compare REF] [--work] [--profile] [--memory] [--order] [--plot] [--floor] [--cores one|both] [--ledger place|thread]
 *
 * With `--cores both`, what is measured shares the gateway's core as well; `--ledger thread` then gives licet's ledger its thread.
 * `--compare` builds another commit and lets both work in turns: medians, and the ratio of each pair. `--work` prints the work table.
 * `--floor` has the bare loop write the rows of a bought page as well, and nothing else that licet does: the ratio of that bounds licet's.
 * `--sites` spreads the pages over so many sites.
 * `--plot` draws docs/images/speed-by-latency.svg (`--pages` at each of `--latency`) and speed-by-pages.svg (the most of `--pages`, without latency).
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildCommit } from "./other-commit.mjs";
import { CLIENT_CORE, GATEWAY_CORE, runTask, startRedis, startService } from "./processes.mjs";
import { plotSpeed } from "./speed-plots.mjs";
import { countWork, printTable } from "./work-table.mjs";

const BODY_BYTES = 6000;
const BUDGET = "1000000 USD";

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "20000" },
    latency: { type: "string", default: "0,50" },
    queue: { type: "string", default: "redis,embedded" },
    rounds: { type: "string", default: "1" },
    concurrency: { type: "string", default: "64" },
    sites: { type: "string", default: "1" },
    cores: { type: "string", default: "one" },
    ledger: { type: "string", default: "place" },
    compare: { type: "string" },
    work: { type: "boolean", default: false },
    profile: { type: "boolean", default: false },
    memory: { type: "boolean", default: false },
    order: { type: "boolean", default: false },
    plot: { type: "boolean", default: false },
    floor: { type: "boolean", default: false },
  },
});
const concurrency = Number(values.concurrency);
const hosts = Array.from({ length: Number(values.sites) }, (_, index) => `bench${index}.example`);
const clientCores = values.cores === "both" ? `${GATEWAY_CORE},${CLIENT_CORE}` : CLIENT_CORE;
const thread = values.ledger === "thread";
/** As many pages under way as requests, and as many as licet has. */
const FLOORS = [concurrency, 4 * concurrency];
const HERE = fileURLToPath(new URL("..", import.meta.url));

const other = values.compare === undefined ? null : buildCommit(HERE, values.compare);
const redis = values.queue.split(",").includes("redis") ? await startRedis() : null;
const queues = listQueues();
const commits = [
  { name: "here", checkout: HERE },
  ...(other === null ? [] : [{ name: values.compare, checkout: other.root }]),
];
try {
  await chooseBench()();
} finally {
  other?.remove();
  await redis?.stop();
}

function chooseBench() {
  if (values.memory) {
    return benchMemory;
  }
  if (values.work) {
    return benchWork;
  }
  if (values.plot) {
    return () =>
      plotSpeed({ pages: numbers(values.pages), latencies: numbers(values.latency), queues, withGateway, measure });
  }
  return values.order ? benchOrder : benchSpeed;
}

function numbers(text) {
  return text.split(",").map(Number);
}

/** Pages a second of the bare loop (`queue` null), or what licet says of its run. */
function measure({ url, queue, ...own }) {
  return queue === null
    ? runTask(CLIENT_CORE, "bare-loop.mjs", { url, hosts, concurrency })
    : runLicet({ url, queue, mode: "run", budget: BUDGET, ...own });
}

/** Those that were asked for and are there, by name: their URLs. */
function listQueues() {
  return values.queue.split(",").flatMap((name) => {
    if (name === "redis" && redis === null) {
      print("redis: no redis-server on this machine");
      return [];
    }
    return [{ name, url: name === "redis" ? redis.url : name }];
  });
}

async function withGateway(options, work) {
  const gateway = await startService(GATEWAY_CORE, "gateway-process.mjs", {
    bodyBytes: BODY_BYTES,
    hosts,
    ...options,
    pages: Math.ceil(options.pages / hosts.length),
  });
  try {
    return await work(gateway.ready.url);
  } finally {
    await gateway.stop();
  }
}

async function benchSpeed() {
  for (const pages of numbers(values.pages)) {
    for (const latencyMs of numbers(values.latency)) {
      await withGateway({ pages, latencyMs }, (url) => compareSpeed(url, { pages, latencyMs }));
    }
  }
}

async function compareSpeed(url, { pages, latencyMs }) {
  print(
    `latency ${latencyMs} ms, ${pages} pages of ${BODY_BYTES} bytes on ${hosts.length === 1 ? "1 site" : `${hosts.length} sites`}, concurrency ${concurrency}, ${values.rounds} rounds`,
  );
  for (const { name, url: queue } of queues) {
    const options = { url, queue, mode: "run", budget: BUDGET };
    const rounds = [];
    for (let round = 1; round <= Number(values.rounds); round++) {
      // Who goes first changes, so that a machine that gets slower does not count against one of them.
      const order = round % 2 === 0 ? [...commits].reverse() : commits;
      const bare = await runTask(clientCores, "bare-loop.mjs", { url, hosts, concurrency });
      const floors = new Map();
      for (const pagesUnderWay of values.floor ? FLOORS : []) {
        const stored = { url, hosts, concurrency, stores: true, pagesUnderWay };
        floors.set(pagesUnderWay, await runTask(clientCores, "bare-loop.mjs", stored));
      }
      const results = {};
      for (const { name: commit, checkout } of order) {
        results[commit] = await runLicet({ ...options, checkout });
      }
      rounds.push({ bare, floors, results });
    }
    print(`  bare loop ${median(rounds.map(({ bare }) => bare.pagesPerSecond)).toFixed(0)} pages/s`);
    for (const pagesUnderWay of values.floor ? FLOORS : []) {
      const ratios = rounds.map(({ bare, floors }) => floors.get(pagesUnderWay).pagesPerSecond / bare.pagesPerSecond);
      print(`  bare loop with the rows of a page, ${pagesUnderWay} under way: ratio ${spread(ratios, 3)}`);
    }
    for (const { name: commit } of commits) {
      print(`  ${name} ${commit}: ${describe(rounds.map(({ bare, results }) => ({ bare, licet: results[commit] })))}`);
    }
    if (other !== null) {
      const cpu = ({ results }, commit) => results[commit].cpuSeconds / results[commit].pages;
      const ratios = rounds.map((round) => cpu(round, "here") / cpu(round, values.compare));
      print(`  ${name} processor time here / ${values.compare}: ${spread(ratios, 3)}`);
    }
    if (values.profile) {
      const { shares } = await runLicet({ ...options, checkout: HERE, measure: "profile" });
      const texts = Object.entries(shares).map(([stage, share]) => `${stage} ${share} %`);
      print(`    share of time: ${texts.join(", ")}`);
    }
  }
}

function describe(pairs) {
  const figure = (read, digits) => spread(pairs.map(read), digits);
  const last = pairs.at(-1).licet;
  const speeds = pairs.map(({ licet }) => licet.pages / licet.seconds);
  const ratio = figure(({ licet, bare }) => licet.pages / licet.seconds / bare.pagesPerSecond, 3);
  const micros = figure(({ licet }) => (licet.cpuSeconds / licet.pages) * 1e6, 0);
  const megabytes = figure(({ licet }) => licet.peakRssMb, 0);
  const opened = median(pairs.map(({ licet }) => licet.queueSeconds)).toFixed(2);
  return [
    `${median(speeds).toFixed(0)} pages/s`,
    `ratio ${ratio}`,
    `CPU ${micros} µs/page`,
    `peak RSS ${megabytes} MB`,
    `queue open after ${opened} s`,
    `${last.pages} bought, ${last.reported} reported, ${last.state}`,
  ].join(", ");
}

async function benchWork() {
  const [pages] = numbers(values.pages);
  const [latencyMs] = numbers(values.latency);
  await withGateway({ pages, latencyMs }, async (url) => {
    for (const { name, url: queue } of queues) {
      const columns = [];
      for (const { name: commit, checkout } of commits) {
        const options = { url, queue, mode: "run", budget: BUDGET, checkout };
        const sums = await countWork((own, before) => runLicet({ ...options, ...own }, before));
        columns.push({ name: commit, sums });
      }
      print(`work, ${pages} pages of ${BODY_BYTES} bytes, concurrency ${concurrency}, ${name}`);
      printTable(print, columns);
    }
  });
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median; of several rounds the lowest and the highest as well. */
function spread(numbers, digits) {
  const range = `${Math.min(...numbers).toFixed(digits)} to ${Math.max(...numbers).toFixed(digits)}`;
  return `${median(numbers).toFixed(digits)}${numbers.length > 1 ? ` (${range})` : ""}`;
}

async function benchMemory() {
  const peaks = [];
  for (const count of [20_000, 200_000]) {
    await withGateway({ pages: count, latencyMs: 0 }, async (url) => {
      for (const mode of ["plan", "run"]) {
        const licet = await runLicet({ url, queue: redis?.url ?? "embedded", mode, budget: "0 USD" });
        print(
          `${mode} of ${count} pages, budget zero: peak RSS ${licet.peakRssMb.toFixed(0)} MB, ${licet.seconds.toFixed(1)} s`,
        );
        if (mode === "plan") {
          peaks.push(licet.peakRssMb);
        }
      }
    });
  }
  print(`ratio ${(peaks[1] / peaks[0]).toFixed(2)}`);
}

/** Complete runs from the best page down, against complete runs in the order of the catalog. */
async function benchOrder() {
  for (const count of [20_000, 100_000]) {
    await withGateway({ pages: count, latencyMs: 0 }, async (url) => {
      const inOrder = async (order) => {
        const licet = await runLicet({
          url,
          queue: "embedded",
          mode: "run",
          budget: BUDGET,
          order,
        });
        print(
          `${order} of ${licet.pages} pages: ${licet.seconds.toFixed(1)} s, ${licet.cpuSeconds.toFixed(1)} s of processor time, peak RSS ${licet.peakRssMb.toFixed(0)} MB`,
        );
        return licet;
      };
      const [catalog, cheapest] = [await inOrder("catalog"), await inOrder("cheapest")];
      const ratio = (of) => (of(cheapest) / of(catalog)).toFixed(2);
      print(
        `  ratios: time ${ratio(({ seconds }) => seconds)}, processor time ${ratio(({ cpuSeconds }) => cpuSeconds)}, peak RSS ${ratio(({ peakRssMb }) => peakRssMb)}`,
      );
    });
  }
}

function runLicet(options, before) {
  const wanted = { hosts, concurrency, checkout: HERE, thread, ...options };
  return runTask(clientCores, "licet-process.mjs", wanted, before);
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
