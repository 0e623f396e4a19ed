/**
 * `npm run mutants`: breaks the product in one place at a time, each in a way that breaks a promise, and sees which suite notices.
 * Works on a copy; the first suite that notices ends a mutant. A mutant that no suite notices is a hole in the suites. A mutant that names
 * its suite has to be noticed there: no other is asked. A suite that fails in the copy also without a mutant notices nothing, and is said.
 *
 *   npm run mutants -- [--only TEXT] [--part 2/6] [--suites simulation,promises,…] [--places]
 *
 * `--only` takes a part of a mutant's name, of its source file or of its suite. `--part 2/6` takes the second of six parts, for several machines or
 * nights. `--places` only looks whether each mutant still has its place in the source, and is still code. A job for a night a week.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { MUTANTS } from "./mutants.mjs";
import { findUnknownNames } from "./unknown-names.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
/** Many more than CI plays: what a mutant breaks may be rare. */
const SEEDS = 250;
const SUITE_TIMEOUT_MS = 600_000;

/** Test files that need no compiled licet, when they are asked alone. */
const IN_PROCESS = /^test\/(?:unit|component|contract)\/.*\.test\.ts$/;

/** In the order in which they are asked: the broadest first. */
const SUITES = {
  simulation: (copy) => runSimulation(copy),
  promises: (copy) => runTests(copy, ["test/promises", "test/fail-nth"]),
  contract: (copy) => runTests(copy, ["test/contract/ledger-", "test/contract/queue-redis"]),
  unit: (copy) => runTests(copy, ["test/unit", "test/component", "test/crawl/whole-run"]),
};

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    part: { type: "string", default: "1/1" },
    suites: { type: "string", default: Object.keys(SUITES).join(",") },
    places: { type: "boolean", default: false },
  },
});

const suites = values.suites.split(",");
const [part, parts] = readPart(values.part);
// One of every six for each part: those beside each other ask the same suites, so all parts take as long.
const chosen = MUTANTS.filter(({ name, file, suite = "" }) =>
  [name, file, suite].some((text) => text.includes(values.only)),
).filter((_, index) => index % parts === part - 1);
const misplaced = chosen.filter(({ file, find }) => !hasPlace(readFileSync(join(ROOT, file), "utf8"), find));
for (const { name, file } of misplaced) {
  console.log(`NO PLACE  ${name}: what it replaces does not stand exactly once in ${file}`);
}
if (misplaced.length > 0) {
  process.exit(1);
}
const copy = mkdtempSync(join(tmpdir(), "licet-mutants-"));
const survivors = [];
let unknown = [];
/** Whether a suite passes without a mutant, by its name. */
const passing = new Map();
try {
  for (const path of listFiles()) {
    cpSync(join(ROOT, path), join(copy, path));
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  unknown = findUnknownNames(copy, chosen);
  for (const problem of unknown) {
    console.log(`NO CODE   ${problem}`);
  }
  for (const mutant of values.places || unknown.length > 0 ? [] : chosen) {
    const noticed = tryMutant(mutant);
    console.log(
      `${noticed === null ? "SURVIVED" : "caught  "}  promise ${mutant.promise}  ${mutant.name}  ${noticed ?? ""}`,
    );
    if (noticed === null) {
      survivors.push(mutant.name);
    }
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
if (unknown.length === 0) {
  const how = values.places ? "have their place, and are code" : "were caught";
  console.log(`${chosen.length - survivors.length} of ${chosen.length} mutants ${how}`);
}
process.exitCode = survivors.length + unknown.length === 0 ? 0 : 1;

/** All of the project, also what is not committed yet. */
function listFiles() {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
  return listed
    .toString()
    .split("\0")
    .filter((path) => path !== "" && existsSync(join(ROOT, path)));
}

function hasPlace(source, find) {
  return source.split(find).length === 2;
}

/** @returns which suite noticed, and how; null when none did */
function tryMutant({ file, find, replace, suite: own }) {
  const path = join(copy, file);
  const source = readFileSync(path, "utf8");
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
  let found = null;
  try {
    found = askInTurn(own === undefined ? suites : [own]);
  } finally {
    writeFileSync(path, source);
  }
  if (found === null || passesAlone(found.suite)) {
    return found === null ? null : `${found.suite}: ${found.noticed}`;
  }
  console.log(`BROKEN    ${found.suite} fails without a mutant too: ${found.noticed}`);
  return null;
}

/** @returns the first suite that fails, and how; null when none does */
function askInTurn(names) {
  for (const suite of names) {
    const noticed = ask(suite);
    if (noticed !== null) {
      return { suite, noticed };
    }
  }
  return null;
}

/** Called while no mutant is in the copy. */
function passesAlone(suite) {
  if (!passing.has(suite)) {
    passing.set(suite, ask(suite) === null);
  }
  return passing.get(suite);
}

/** @param suite one of all, or the path of a mutant's own. @returns how it failed; null when it passed */
function ask(suite) {
  return Object.hasOwn(SUITES, suite) ? SUITES[suite](copy) : runTests(copy, [suite]);
}

function runSimulation(directory) {
  const { status, stdout, stderr } = run(directory, process.execPath, [
    "test/simulation/main.ts",
    "--seeds",
    String(SEEDS),
    "--no-shrinking",
  ]);
  return status === 0 ? null : (stdout.split("\n").find((line) => line.startsWith("seed ")) ?? lastLine(stderr));
}

function readPart(text) {
  const [, part, parts] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (!(part >= 1 && part <= parts)) {
    process.stderr.write(`--part is ${text}, and must be as 2/6: the second of six\n`);
    process.exit(2);
  }
  return [part, parts];
}

function runTests(directory, paths) {
  // The suites that start real processes start the compiled mutant.
  if (!paths.every((path) => IN_PROCESS.test(path))) {
    const compiled = run(directory, "node_modules/.bin/tsc", ["-p", "tsconfig.build.json"]);
    if (compiled.status !== 0) {
      return `compiler: ${lastLine(compiled.stdout)}`;
    }
    const bundled = run(directory, process.execPath, ["bundle.ts"]);
    if (bundled.status !== 0) {
      return `bundler: ${lastLine(bundled.stderr)}`;
    }
  }
  const { status, stdout } = run(directory, "node_modules/.bin/vitest", [
    "run",
    "--bail",
    "1",
    "--reporter",
    "verbose",
    ...paths,
  ]);
  return status === 0
    ? null
    : (stdout
        .split("\n")
        .find((line) => /^\s*(?:×|FAIL)/.test(line))
        ?.trim() ?? "failed");
}

function run(cwd, command, commandArguments) {
  // The same samples in each run, so that two runs can be compared.
  const seeds = { LICET_NTH_SEED: "1", LICET_KILL_SEED: "1" };
  const env = { ...seeds, ...process.env, LICET_TEST_NO_BUILD: "1", NO_COLOR: "1" };
  return spawnSync(command, commandArguments, {
    cwd,
    env,
    encoding: "utf8",
    timeout: SUITE_TIMEOUT_MS,
    maxBuffer: 2 ** 28,
  });
}

function lastLine(text) {
  return text.trim().split("\n").at(-1) ?? "it failed";
}
