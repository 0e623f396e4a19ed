/**
 * npm run bench: licet against a bare undici loop that sends the same two requests a page, in the same run. The gateway has
 * one core, what is measured the other one.
 *
 *   npm run bench -- [--pages 20000] [--latency 0,50] [--queue redis,embedded] [--rounds 1] [--concurrency 64] [--memory] [--order]
 */
import { parseArgs } from "node:util";
import { CLIENT_CORE, GATEWAY_CORE, runTask, startRedis, startService } from "./processes.mjs";

const BODY_BYTES = 6000;
const HOST = "bench.example";

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "20000" },
    latency: { type: "string", default: "0,50" },
    queue: { type: "string", default: "redis,embedded" },
    rounds: { type: "string", default: "1" },
    concurrency: { type: "string", default: "64" },
    memory: { type: "boolean", default: false },
    order: { type: "boolean", default: false },
  },
});
const pages = Number(values.pages);
const concurrency = Number(values.concurrency);
const queues = values.queue.split(",");

const redis = queues.includes("redis") ? await startRedis() : null;
try {
  await chooseBench()();
} finally {
  await redis?.stop();
}

function chooseBench() {
  if (values.memory) {
    return benchMemory;
  }
  return values.order ? benchOrder : benchSpeed;
}

async function withGateway(options, work) {
  const gateway = await startService(GATEWAY_CORE, "gateway-process.mjs", { bodyBytes: BODY_BYTES, ...options });
  try {
    return await work(gateway.ready.url);
  } finally {
    await gateway.stop();
  }
}

async function benchSpeed() {
  for (const latencyMs of values.latency.split(",").map(Number)) {
    for (let round = 1; round <= Number(values.rounds); round++) {
      await withGateway({ pages, latencyMs }, (url) => compare(url, latencyMs));
    }
  }
}

async function compare(url, latencyMs) {
  const bare = await runTask(CLIENT_CORE, "bare-loop.mjs", { url, host: HOST, concurrency });
  print(`latency ${latencyMs} ms, ${pages} pages of ${BODY_BYTES} bytes, concurrency ${concurrency}`);
  print(`  bare loop      ${bare.pagesPerSecond.toFixed(0).padStart(7)} pages/s`);
  for (const name of queues) {
    if (name === "redis" && redis === null) {
      print("  redis          no redis-server on this machine");
      continue;
    }
    const queue = name === "redis" ? redis.url : name;
    const licet = await runLicet({ url, queue, mode: "run", budget: "1000000 USD", profile: false });
    const rate = licet.pages / licet.seconds;
    print(
      `  licet ${name.padEnd(9)}${rate.toFixed(0).padStart(7)} pages/s  ratio ${(rate / bare.pagesPerSecond).toFixed(3)}  peak RSS ${licet.peakRssMb.toFixed(0)} MB  CPU ${((licet.cpuSeconds / licet.pages) * 1e6).toFixed(0)} µs/page  queue open after ${licet.queueSeconds.toFixed(1)} s  ${licet.pages} bought, ${licet.reported} reported, ${licet.state}`,
    );
    if (latencyMs === 0) {
      const { shares } = await runLicet({ url, queue, mode: "run", budget: "1000000 USD", profile: true });
      print(
        `    share of time: ${Object.entries(shares)
          .map(([stage, share]) => `${stage} ${share} %`)
          .join(", ")}`,
      );
    }
  }
}

async function benchMemory() {
  const peaks = [];
  for (const count of [20_000, 200_000]) {
    await withGateway({ pages: count, latencyMs: 0 }, async (url) => {
      for (const mode of ["plan", "run"]) {
        const licet = await runLicet({ url, queue: redis?.url ?? "embedded", mode, budget: "0 USD", profile: false });
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
          budget: "1000000 USD",
          profile: false,
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

function runLicet(options) {
  return runTask(CLIENT_CORE, "licet-process.mjs", { host: HOST, concurrency, ...options });
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
