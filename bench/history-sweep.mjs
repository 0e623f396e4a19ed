/**
 * What a reading of the gateway's delivery records costs: how long the event loop stands still at most, and the peak of memory. Each row is a
 * process of its own, with a gateway in memory and a ledger in a temporary directory. Half of the records have a notification that arrived.
 *
 *   npm run build && node bench/history-sweep.mjs [--records 16000,100000] [--checkout DIRECTORY]
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const PAGE_RECORDS = 1000;
const HOOK = "https://agent.example/webhooks/main";
const MINUTE_MS = 60_000;
const NANOSECONDS = 1e6;
const MB = 1e6;
const NOW = Date.now();

const { values } = parseArgs({
  options: {
    records: { type: "string", default: "16000,100000" },
    checkout: { type: "string", default: resolve(import.meta.dirname, "..") },
    one: { type: "string" },
  },
});
if (values.one === undefined) {
  for (const records of values.records.split(",")) {
    for (const pages of ["one page", "many pages"]) {
      const { stdout, stderr } = spawnSync(
        process.execPath,
        ["--expose-gc", import.meta.filename, "--checkout", values.checkout, "--one", `${records} ${pages}`],
        { encoding: "utf8" },
      );
      process.stdout.write(stdout);
      process.stderr.write(stderr);
    }
  }
} else {
  const [records, kind] = values.one.split(" ");
  await measure(Number(records), kind === "one" ? 1 : Number(records));
}

async function measure(records, pages) {
  const load = (file) => import(pathToFileURL(join(values.checkout, "dist/src", file)).href);
  const { openSqliteLedger } = await load("ledger/sqlite/open.js");
  const { sweepHistory } = await load("serve/webhooks/history-sweep.js");
  // A checkout from before has none.
  const { openFileSpool } = await load("ledger/sqlite/engine/file-spool.js").catch(() => ({}));
  const directory = mkdtempSync(join(tmpdir(), "licet-sweep-"));
  const ledger = await openSqliteLedger({ path: join(directory, "licet.sqlite") });
  try {
    await fill(ledger, records, pages);
    globalThis.gc();
    const rssBefore = process.memoryUsage().rss;
    let peak = rssBefore;
    const sampling = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 5);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const from = performance.now();
    await sweepHistory(createDeps({ ledger, openFileSpool, records, pages }), new AbortController().signal);
    const took = performance.now() - from;
    delay.disable();
    clearInterval(sampling);
    const { records: read, admitted } = await ledger.readSweep();
    process.stdout.write(
      `${read} records, ${pages} pages: ${admitted} admitted in ${(took / 1000).toFixed(1)} s, event loop at most ${(delay.max / NANOSECONDS).toFixed(0)} ms, memory +${((peak - rssBefore) / MB).toFixed(0)} MB\n`,
    );
  } finally {
    await ledger.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Every second notification arrived. */
async function fill(ledger, records, pages) {
  for (let n = 0; n < records; n += PAGE_RECORDS) {
    const hints = [];
    for (let i = n; i < Math.min(n + PAGE_RECORDS, records); i += 2) {
      const { url, timestamp, at } = eventOf(i, pages);
      hints.push({
        subscription: "main",
        host: "news.example",
        url,
        wireUrl: url,
        kind: "updated",
        timestamp: `${timestamp} `,
        at,
        source: "delivery",
        state: "waiting",
      });
    }
    await ledger.recordHints({ hints, now: NOW - MINUTE_MS });
  }
}

function eventOf(i, pages) {
  const at = NOW - MINUTE_MS - i;
  return {
    url: `https://news.example/articles/2026/11/some-longer-name-of-a-page-${i % pages}`,
    timestamp: new Date(at).toISOString(),
    at,
  };
}

function createDeps({ ledger, openFileSpool, records, pages }) {
  // As text, because a gateway's answer is parsed: each record has strings of its own.
  const listHistory = async ({ nextToken }) => {
    await new Promise((done) => setImmediate(done));
    const from = Number(nextToken ?? 0);
    const to = Math.min(from + PAGE_RECORDS, records);
    const items = [];
    for (let i = from; i < to; i++) {
      const { url, timestamp } = eventOf(i, pages);
      items.push({
        subscriptionId: "sub-1",
        contentUrl: url,
        deliveryUrl: HOOK,
        eventType: "UPDATE",
        lastAttempt: timestamp,
        lastStatus: 200,
        numAttempts: 1,
      });
    }
    return { items: JSON.parse(JSON.stringify(items)), nextToken: to === records ? null : String(to) };
  };
  return {
    config: {
      sites: [{ host: "news.example", include: ["/**"], exclude: [] }],
      webhooks: [{ id: "main", path: "/webhooks/main", url: HOOK, secret: "s" }],
      history: { everyMs: 900_000, overlapMs: 3_600_000 },
    },
    resources: {
      clock: { now: () => NOW },
      ledger: async () => ledger,
      gateway: async () => ({ listHistory }),
      openSpool: openFileSpool,
    },
    log: { debug() {}, info() {}, warn() {} },
    hintSignal: { wake() {} },
  };
}
