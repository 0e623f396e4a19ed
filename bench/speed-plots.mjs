/** The plots of docs/performance.md: how fast pages are bought by the latency of the gateway, and by the pages that the ledger holds. */
import { mkdirSync, writeFileSync } from "node:fs";
import { drawLines } from "./line-chart.mjs";

const IMAGES = new URL("../docs/images/", import.meta.url);

/**
 * @param bench.measure one process that is measured: of the bare loop without a queue
 * @param bench.latencies ms
 */
export async function plotSpeed({ pages, latencies, queues, withGateway, measure }) {
  mkdirSync(IMAGES, { recursive: true });
  write("speed-by-latency.svg", {
    title: "Pages bought a second, by the latency of the gateway",
    xTitle: "latency, ms",
    yTitle: "pages/s",
    xTicks: latencies,
    series: await byLatency({ pages: pages[0], latencies, queues, withGateway, measure }),
  });
  const most = Math.max(...pages);
  write("speed-by-pages.svg", {
    title: "Pages bought a second, by the pages that the ledger holds",
    xTitle: "pages held",
    yTitle: "pages/s",
    xTicks: [0, 0.25, 0.5, 0.75, 1].map((share) => share * most),
    series: await byPagesHeld({ pages: most, queues, withGateway, measure }),
  });
}

async function byLatency({ pages, latencies, queues, withGateway, measure }) {
  const series = [{ name: "bare loop", url: null }, ...queues].map((queue) => ({ ...queue, points: [] }));
  for (const latencyMs of latencies) {
    await withGateway({ pages, latencyMs }, async (url) => {
      for (const { url: queue, points } of series) {
        const { pagesPerSecond, pages: bought, seconds } = await measure({ url, queue });
        points.push([latencyMs, pagesPerSecond ?? bought / seconds]);
      }
    });
  }
  return series;
}

async function byPagesHeld({ pages, queues, withGateway, measure }) {
  const series = [];
  for (const { name, url: queue } of queues) {
    await withGateway({ pages, latencyMs: 0 }, async (url) => {
      const { reached } = await measure({ url, queue, tenths: pages });
      const points = reached.map((second, index) => {
        const [tenth, before] = [pages / 10, reached[index - 1] ?? 0];
        return [(index + 1) * tenth, tenth / (second - before)];
      });
      series.push({ name, points });
    });
  }
  return series;
}

function write(name, chart) {
  writeFileSync(new URL(name, IMAGES), drawLines(chart));
  process.stdout.write(`docs/images/${name}\n`);
  for (const { name: line, points } of chart.series) {
    process.stdout.write(`  ${line}: ${points.map(([x, y]) => `${x}: ${y.toFixed(0)}`).join(", ")}\n`);
  }
}
