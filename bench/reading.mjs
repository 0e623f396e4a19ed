/**
 * What it costs to read a ledger, in processor time: loading drizzle, starting a command, and the reports over a ledger of many documents.
 * With another checkout that is built, both are measured in turns, and the last column is their ratio.
 *
 *   npm run build && node bench/reading.mjs [--other DIRECTORY] [--documents 10000] [--rounds 9]
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { fillLedger, HOST, RUN } from "./ledger-of-documents.mjs";

const HERE = resolve(import.meta.dirname, "..");
const READ_AT_ONCE = 64;
/** Calls of one report that are measured together. */
const CALLS = 200;

const { values } = parseArgs({
  options: {
    other: { type: "string" },
    documents: { type: "string", default: "10000" },
    rounds: { type: "string", default: "9" },
  },
});
const builds = values.other === undefined ? [HERE] : [resolve(values.other), HERE];
const directory = mkdtempSync(join(tmpdir(), "licet-reading-"));
const path = join(directory, "licet.sqlite");
try {
  await fillLedger(HERE, path, Number(values.documents));
  await measureLoading();
  await measureStarts();
  await measureReports();
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** The package as its two kinds of modules, in a process of its own. */
async function measureLoading() {
  const name = '"drizzle-orm/better-sqlite3/driver"';
  const programs = {
    "a process that loads nothing": "0",
    "… drizzle as ES modules": `await import(${name})`,
    "… drizzle as CommonJS": `(await import("node:module")).createRequire(${JSON.stringify(join(HERE, "package.json"))})(${name})`,
  };
  for (const [title, program] of Object.entries(programs)) {
    await report(title, [HERE], () => cpuOfProcess(["--input-type=module", "--eval", program]));
  }
}

async function measureStarts() {
  const config = {
    gateway: { baseUrl: "http://127.0.0.1:9", apiKey: "key", agentId: "bench" },
    ledger: { path },
    budgets: [{ scope: "run", limit: "1 USD" }],
    policies: { standard: { rules: [{ allow: { license: "ON_DEMAND_LICENSE" } }] } },
    sites: [{ host: HOST, policy: "standard" }],
  };
  const file = join(directory, "licet.config.json");
  writeFileSync(file, JSON.stringify(config));
  for (const args of [["--version"], ["status"], ["status", RUN]]) {
    await report(`licet ${args.join(" ")}`, builds, (build) =>
      cpuOfProcess([join(build, "bin/licet.js"), "--config", file, ...args]),
    );
  }
}

async function measureReports() {
  const ledgers = new Map();
  for (const build of builds) {
    const { openSqliteLedger } = await import(pathToFileURL(join(build, "dist/src/ledger/sqlite/open.js")).href);
    ledgers.set(build, await openSqliteLedger({ path, access: "read" }));
  }
  const works = {
    [`${CALLS} × readStatus`]: (ledger) => repeat(() => ledger.readStatus()),
    [`${CALLS} × readRun`]: (ledger) => repeat(() => ledger.readRun(RUN)),
    [`${CALLS} × readPage`]: (ledger) => repeat(() => ledger.readPage(`https://${HOST}/1`)),
    [`${values.documents} documents`]: readDocuments,
  };
  for (const [title, work] of Object.entries(works)) {
    await report(title, builds, async (build) => {
      const before = process.cpuUsage();
      await work(ledgers.get(build));
      return inMs(process.cpuUsage(before));
    });
  }
  await Promise.all([...ledgers.values()].map((ledger) => ledger.close()));
}

async function repeat(call) {
  for (let index = 0; index < CALLS; index++) {
    await call();
  }
}

async function readDocuments(ledger) {
  for (let afterPageId = 0; ; ) {
    const documents = await ledger.readDocuments({ host: null, sinceAt: null, afterPageId, limit: READ_AT_ONCE });
    if (documents.length === 0) {
      return;
    }
    afterPageId = documents.at(-1).pageId;
  }
}

/** Medians of as many measurements of each, in turns; the first one of each is not counted. */
async function report(title, of, measure) {
  const times = of.map(() => []);
  for (let round = 0; round <= Number(values.rounds); round++) {
    const order = round % 2 === 0 ? [...of.keys()] : [...of.keys()].reverse();
    for (const index of order) {
      times[index].push(await measure(of[index]));
    }
  }
  const medians = times.map(([, ...counted]) => counted.sort((a, b) => a - b)[counted.length >> 1]);
  const columns = medians.map((ms) => `${ms.toFixed(1).padStart(9)} ms`).join("");
  const ratio = medians.length === 2 ? (medians[1] / medians[0]).toFixed(2).padStart(8) : "";
  process.stdout.write(`${title.padEnd(32)}${columns}${ratio}\n`);
}

/** Processor time of a whole process of Node, told by itself at its end. */
function cpuOfProcess(args) {
  const tell = 'process.on("exit", () => process.stderr.write("\\n" + JSON.stringify(process.cpuUsage())))';
  const preload = `data:text/javascript,${encodeURIComponent(tell)}`;
  const { stderr } = spawnSync(process.execPath, ["--import", preload, ...args], { cwd: HERE, encoding: "utf8" });
  return inMs(JSON.parse(stderr.trim().split("\n").at(-1)));
}

function inMs({ user, system }) {
  return (user + system) / 1_000;
}
