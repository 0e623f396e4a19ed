/**
 * `npm run nightly`: what takes too long for each change. One job after the other, and one report at the end.
 *
 *   npm run nightly -- [--only soak,crawls] [--seeds 10000] [--from SEED] [--mutants 2/6] [--report nightly.md]
 *
 * Fails when a job fails. The output of each job goes to a file beside the report.
 */
import { spawn } from "node:child_process";
import { mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    seeds: { type: "string", default: "10000" },
    from: { type: "string", default: String(Math.floor(Date.now() / 1_000)) },
    mutants: { type: "string", default: "1/1" },
    report: { type: "string", default: "nightly/report.md" },
  },
});
/** Of its output: what says how a job went. */
const LAST_LINES = 12;

const world = (which, seeds) => [
  "npm",
  [
    "run",
    "--silent",
    "simulate",
    "--",
    "--class",
    which,
    "--seeds",
    String(seeds),
    "--from",
    values.from,
    "--keep-going",
  ],
];
const seeds = Number(values.seeds);
/** By name: the program, its arguments, and what is set for it. The longest comes last. */
const JOBS = {
  bench: ["npm", ["run", "--silent", "bench", "--", "--pages", "20000,100000", "--rounds", "3"]],
  work: ["npm", ["run", "--silent", "bench", "--", "--pages", "20000", "--latency", "0", "--work"]],
  nth: ["npx", ["vitest", "run", "test/fail-nth"], { LICET_NTH_ALL: "1" }],
  // What the suite plays in part for each change.
  all: [
    "npx",
    [
      "vitest",
      "run",
      "test/browser/pages",
      "test/cli/image",
      "test/contract/ledger-http",
      "test/component/content/corpus-pages",
    ],
    { LICET_TEST_ALL: "1" },
  ],
  // The suite has its files in memory otherwise.
  disk: ["npx", ["vitest", "run"], { TMPDIR: tmpdir() }],
  kills: ["npx", ["vitest", "run", "test/crash/named-steps.test.ts"], { LICET_KILLS: "1000" }],
  lifecycle: ["node", ["--expose-gc", "test/lifecycle/open-close.ts", "1000"]],
  thread: ["npx", ["vitest", "run", "test/crawl", "test/promises", "test/crash"], { LICET_TEST_LEDGER: "thread" }],
  // Not the soak: it counts timers, and each request that waits is one.
  jitter: [
    "npx",
    ["vitest", "run", "--exclude", "test/soak/**"],
    { NODE_OPTIONS: `--import ${join(import.meta.dirname, "doubles/jitter.mjs")}` },
  ],
  // A machine that is too slow: what takes longer than the interval of something else. A service that is so slow never holds too many answers.
  loaded: [
    "bash",
    [
      "-ec",
      `trap 'kill $(jobs -p)' EXIT
      for core in {1..8}; do node -e 'for (;;);' & done
      npx vitest run test/crash test/browser test/component/worker test/component/serve \\
        --exclude test/component/serve/http/untaken-answers.test.ts`,
    ],
  ],
  // Other examples each time.
  examples: [
    "bash",
    ["-ec", "for time in {1..30}; do npx vitest run test/unit test/component/content; done"],
    { CI: "" },
  ],
  frozen: ["npx", ["vitest", "run", "test/component/serve/runs/outages.test.ts"], { LICET_FROZEN_REDIS: "1" }],
  partitions: ["npx", ["vitest", "run", "test/crash/partitions.test.ts"], { LICET_PARTITIONS: "60" }],
  packed: [".ci/packed", [join(import.meta.dirname, "../node_modules/node/bin")]],
  oldest: [".ci/on-node", ["22.19.0", "full"]],
  newest: [".ci/on-node", ["26", "full"]],
  soak: ["npm", ["run", "--silent", "soak"]],
  crawls: world("crawls", Math.round(seeds * 0.8)),
  meetings: world("meetings", Math.round(seeds * 0.2)),
  mutants: ["npm", ["run", "--silent", "mutants", "--", "--part", values.mutants]],
};

const names = values.only?.split(",") ?? Object.keys(JOBS);
const unknown = names.filter((name) => !(name in JOBS));
if (unknown.length > 0) {
  process.stderr.write(`there is no job ${unknown.join(", ")}: there are ${Object.keys(JOBS).join(", ")}\n`);
  process.exit(2);
}
const directory = dirname(values.report);
mkdirSync(directory, { recursive: true });
const rows = [];
for (const name of names) {
  process.stdout.write(`${name} …\n`);
  const { code, minutes, log } = await run(name, JOBS[name]);
  rows.push({ name, code, minutes, log });
  process.stdout.write(`${name}: ${code === 0 ? "passed" : "FAILED"} in ${minutes} minutes\n`);
  // After each job, so that a night that is cut short leaves what it found.
  writeFileSync(values.report, toReport(rows));
}
process.exit(rows.every(({ code }) => code === 0) ? 0 : 1);

async function run(name, [program, args, own = {}]) {
  const log = join(directory, `${name}.log`);
  const output = openSync(log, "w");
  const startedAt = performance.now();
  const child = spawn(program, args, { stdio: ["ignore", output, output], env: { ...process.env, ...own } });
  const code = await new Promise((resolve) => child.once("exit", (status) => resolve(status ?? 1)));
  return { code, minutes: ((performance.now() - startedAt) / 60_000).toFixed(1), log };
}

function toReport(done) {
  const table = done.map(
    ({ name, code, minutes }) => `| ${name} | ${code === 0 ? "passed" : "**failed**"} | ${minutes} |`,
  );
  const ends = done.map(({ name, log }) => {
    const lines = readFileSync(log, "utf8").trimEnd().split("\n").slice(-LAST_LINES);
    return `## ${name}\n\n\`\`\`text\n${lines.join("\n")}\n\`\`\`\n`;
  });
  return ["# Nightly", "", "| job | | minutes |", "|---|---|---|", ...table, "", ...ends].join("\n");
}
