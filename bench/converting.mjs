/**
 * Conversion of HTML to Markdown: pages a second of turndown alone, in the thread that would buy, and of licet's converter with one and two
 * threads; how long the buying thread stands still meanwhile; and what a page of 10 MB does to the pages beside it.
 *
 *   npm run build && node bench/converting.mjs [--corpus DIRECTORY] [--rounds 5]
 *
 * The corpus is a directory with HTML files, at any depth.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { gfm } from "@joplin/turndown-plugin-gfm";
import TurndownService from "turndown";
import { createMarkdownConverter } from "../dist/src/content/markdown-converter.js";

const BASE_URL = "https://news.example/";
const LARGE_BYTES = 10_000_000;

const { values } = parseArgs({
  options: {
    corpus: { type: "string", default: join(import.meta.dirname, "../test/corpus/articles") },
    rounds: { type: "string", default: "5" },
  },
});
const pages = readPages(values.corpus);
const bytes = pages.reduce((sum, html) => sum + Buffer.byteLength(html), 0);
print(
  `${pages.length} pages, ${Math.round(bytes / pages.length)} bytes each; medians of ${values.rounds} rounds, in turns`,
);

const plain = new TurndownService();
plain.use(gfm);
const converters = [1, 2].map((threads) => ({
  name: `licet, ${threads} thread${threads === 1 ? "" : "s"}`,
  converter: createMarkdownConverter({
    threads,
    maxQueued: pages.length + 1,
    limits: { timeMs: 60_000, inputBytes: 2 * LARGE_BYTES, outputBytes: 2 * LARGE_BYTES },
  }),
}));
const ways = [
  { name: "turndown alone", convertAll: async () => pages.map((html) => plain.turndown(html)) },
  ...converters.map(({ name, converter }) => ({
    name,
    convertAll: () => Promise.all(pages.map((html) => convert(converter, html))),
  })),
];
const measured = new Map(ways.map(({ name }) => [name, []]));
for (let round = 0; round <= Number(values.rounds); round++) {
  for (const { name, convertAll } of ways) {
    const figures = await measure(convertAll);
    // The first round starts the threads and compiles the code.
    if (round > 0) {
      measured.get(name).push(figures);
    }
  }
}
const alone = median(measured.get("turndown alone").map(({ seconds }) => seconds));
for (const [name, figures] of measured) {
  const seconds = median(figures.map((one) => one.seconds));
  const stall = median(figures.map((one) => one.stallMs));
  print(
    `${name}: ${(pages.length / seconds).toFixed(0)} pages/s, ${(alone / seconds).toFixed(2)} of turndown alone, the event loop stood still for ${stall.toFixed(0)} ms at most`,
  );
}
const large = `<html><body>${"<p>Words of a very long page, with <b>some</b> markup.</p>".repeat(LARGE_BYTES / 55)}</body></html>`;
for (const { name, converter } of converters) {
  const without = await measure(() => Promise.all(pages.map((html) => convert(converter, html))));
  const beside = await measure(async () => {
    void converter.convert(large, BASE_URL);
    await Promise.all(pages.map((html) => convert(converter, html)));
  });
  print(
    `${name}, beside a page of ${LARGE_BYTES / 1e6} MB: the others took ${beside.seconds.toFixed(2)} s instead of ${without.seconds.toFixed(2)} s`,
  );
}
await Promise.all(converters.map(({ converter }) => converter.close()));

async function convert(converter, html) {
  const outcome = await converter.convert(html, BASE_URL);
  if (!outcome.ok) {
    throw new Error(`${outcome.reason}: ${outcome.detail}`);
  }
}

async function measure(work) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await turns();
  const started = performance.now();
  await work();
  const seconds = (performance.now() - started) / 1000;
  await turns();
  delay.disable();
  return { seconds, stallMs: delay.max / 1e6 };
}

/** Some turns of the event loop, so that the delay is measured from the first work to the last. */
function turns() {
  return new Promise((resolve) => setTimeout(resolve, 5));
}

function readPages(directory) {
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));
  if (files.length === 0) {
    throw new Error(`${directory} has no HTML files: name a directory with --corpus`);
  }
  return files.map((name) => readFileSync(join(directory, name), "utf8"));
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
