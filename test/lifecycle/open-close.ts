/**
 * Opens and closes what the library opens, again and again in one process, and collects garbage between: `open-close.ts ROUNDS`.
 * A native module that is freed wrongly aborts the process, and what is not freed makes it grow; both end with an exit code that is not 0.
 *
 * It runs on whichever Node starts it, with `--expose-gc`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMarkdownConverter } from "../../src/content/markdown-converter.ts";
import { createAgent } from "../../src/index.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open.ts";

/** Memory is compared after this part of the rounds, when every cache is filled, with the end. */
const WARM_UP_PART = 0.4;
/**
 * What the rounds after that may add, in MB. V8 keeps the young generation of a thread that has ended, in one step of some 50 MB, in some round or
 * other. A ledger that is not freed takes some 400 kB: in a thousand rounds that is 240 MB.
 */
const MAX_GROWTH_MB = 80;
/** A thread costs fifty times what a ledger does. A converter starts one, and so does the ledger of a run. */
const ROUNDS_PER_THREAD = 10;
/** A full collection takes as long as a round; several ledgers are freed in each. */
const ROUNDS_PER_COLLECTION = 5;

const rounds = Number(process.argv[2]);
const { gc } = globalThis;
if (!(rounds >= 10) || gc === undefined) {
  throw new Error("usage: node --expose-gc open-close.ts ROUNDS (10 or more)");
}

const directory = mkdtempSync(join(tmpdir(), "licet-open-close-"));
try {
  let warmMb = 0;
  for (let round = 1; round <= rounds; round++) {
    await openAll(round);
    if (round % ROUNDS_PER_COLLECTION === 0) {
      gc();
    }
    if (round === Math.floor(rounds * WARM_UP_PART)) {
      warmMb = memoryMb();
    }
  }
  const grownMb = memoryMb() - warmMb;
  console.log(`${rounds} rounds on Node ${process.versions.node}: ${grownMb.toFixed(1)} MB more than after warming up`);
  process.exitCode = grownMb > MAX_GROWTH_MB ? 1 : 0;
} finally {
  rmSync(directory, { recursive: true });
}

async function openAll(round: number): Promise<void> {
  const ledger = await openSqliteLedger({ path: join(directory, "ledger.sqlite") });
  await ledger.readStatus();
  await ledger.close();

  const agent = createAgent({
    gateway: { baseUrl: "http://127.0.0.1:9", apiKey: "key", agentId: "agent" },
    // The one that was just closed: only a run makes a ledger.
    ledger: { path: join(directory, "ledger.sqlite") },
    budgets: [{ scope: "run", limit: "1 USD" }],
    policies: { standard: { rules: [{ allow: { license: "ON_DEMAND_LICENSE" } }] } },
    sites: [{ host: "news.example", policy: "standard" }],
  });
  await agent.use([]);
  await agent.status();
  await agent.close();

  if (round % ROUNDS_PER_THREAD === 0) {
    const inThread = await openSqliteLedger({ path: join(directory, "ledger.sqlite"), inThread: true });
    await inThread.readStatus();
    await inThread.close();
    const converter = createMarkdownConverter({ threads: 1 });
    await converter.convert("<p>One <b>page</b>.</p>", "https://news.example/");
    await converter.close();
  }
}

/** Without what V8 keeps of its heap for later: it makes room for young objects in one step of 64 MB, in some round or other. */
function memoryMb(): number {
  const { rss, heapTotal, heapUsed } = process.memoryUsage();
  return (rss - heapTotal + heapUsed) / 1024 / 1024;
}
