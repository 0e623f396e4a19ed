/** `npm run simulate`: seeds one after the other; the first that breaks a promise is shrunk, printed, and can be replayed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import pLimit from "p-limit";
import { FAULT_KINDS, type FaultKind } from "./faults.ts";
import { shrink } from "./shrink.ts";
import {
  ALL,
  createSimulator,
  type Limits,
  type Outcome,
  type Simulator,
  WORLD_CLASSES,
  type WorldClass,
} from "./simulate.ts";

const TRACE_LINES = 80;
/** What the dead processes of a world listen to keeps all of it in memory, up to 10 MB. */
const SEEDS_A_PROCESS = 200;

const { values } = parseArgs({
  options: {
    class: { type: "string", default: "crawls" },
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    "max-sites": { type: "string", default: String(ALL.maxSites) },
    "max-pages": { type: "string", default: String(ALL.maxPages) },
    "max-faults": { type: "string", default: String(ALL.maxFaults) },
    "max-rounds": { type: "string", default: String(ALL.maxRounds) },
    without: { type: "string", default: "" },
    "without-traits": { type: "string", default: "" },
    "without-actors": { type: "string", default: "" },
    "no-disturbances": { type: "boolean", default: false },
    "no-user-changes": { type: "boolean", default: false },
    "keep-going": { type: "boolean", default: false },
    "no-shrinking": { type: "boolean", default: false },
  },
});

const limits: Limits = {
  maxSites: Number(values["max-sites"]),
  maxPages: Number(values["max-pages"]),
  maxFaults: Number(values["max-faults"]),
  maxRounds: Number(values["max-rounds"]),
  without: new Set(values.without.split(",").filter(isFaultKind)),
  withoutTraits: new Set(values["without-traits"].split(",")),
  withoutActors: new Set(values["without-actors"].split(",")),
  disturbances: !values["no-disturbances"],
  userChanges: ALL.userChanges && !values["no-user-changes"],
};

const worldClass = WORLD_CLASSES.find((name) => name === values.class);
if (worldClass === undefined) {
  throw new Error(`--class is one of ${WORLD_CLASSES.join(", ")}`);
}
process.exitCode =
  values.seed === undefined && Number(values.seeds) > SEEDS_A_PROCESS
    ? await runInProcesses()
    : await runHere(worldClass);

async function runHere(worldClass: WorldClass): Promise<number> {
  const simulator = await createSimulator(worldClass);
  try {
    return values.seed === undefined ? await runMany(simulator) : await replay(simulator, Number(values.seed));
  } finally {
    simulator.close();
  }
}

/** One on each core. */
async function runInProcesses(): Promise<number> {
  const first = Number(values.from);
  const end = first + Number(values.seeds);
  let failed = 0;
  const runPart = async (from: number) => {
    if (failed > 0 && !values["keep-going"]) {
      return;
    }
    const part = ["--from", String(from), "--seeds", String(Math.min(SEEDS_A_PROCESS, end - from))];
    const args = [import.meta.filename, ...process.argv.slice(2), ...part];
    const [status] = await once(spawn(process.execPath, args, { stdio: "inherit" }), "exit");
    failed += status === 0 ? 0 : 1;
  };
  const starts = Array.from(
    { length: Math.ceil((end - first) / SEEDS_A_PROCESS) },
    (_, n) => first + n * SEEDS_A_PROCESS,
  );
  await pLimit(availableParallelism()).map(starts, runPart);
  console.log(`${end - first} seeds from ${first}: ${failed} processes of ${SEEDS_A_PROCESS} seeds failed`);
  return failed === 0 ? 0 : 1;
}

async function runMany(simulator: Simulator): Promise<number> {
  const first = Number(values.from);
  const count = Number(values.seeds);
  const totals = { events: 0, commits: 0, charges: 0, kills: 0, faults: 0 };
  const failures: Outcome[] = [];
  for (let seed = first; seed < first + count; seed += 1) {
    const outcome = await simulator.run(seed, limits);
    totals.events += outcome.events;
    totals.commits += outcome.commits;
    totals.charges += outcome.charges;
    totals.kills += outcome.kills;
    totals.faults += [...outcome.struck.values()].reduce((sum, struck) => sum + struck, 0);
    if (outcome.violation !== null) {
      failures.push(outcome);
      console.log(
        `seed ${seed}: promise ${outcome.violation.promise}, ${outcome.violation.rule}: ${outcome.violation.detail}`,
      );
      if (!values["keep-going"]) {
        break;
      }
    }
  }
  console.log(`${count} seeds from ${first}: ${JSON.stringify(totals)}, ${failures.length} failed`);
  const [failure] = failures;
  return failure === undefined ? 0 : explain(simulator, failure);
}

async function explain(simulator: Simulator, { seed, violation }: Outcome): Promise<number> {
  if (violation !== null && !values["keep-going"] && !values["no-shrinking"]) {
    const shrunk = await shrink(simulator, seed, violation);
    printTrace(await simulator.run(seed, shrunk, true), TRACE_LINES);
    console.log(`replay: npm run simulate -- --class ${simulator.worldClass} ${toArguments(seed, shrunk)}`);
  }
  return 1;
}

async function replay(simulator: Simulator, seed: number): Promise<number> {
  const outcome = await simulator.run(seed, limits, true);
  printTrace(outcome, Number.POSITIVE_INFINITY);
  return outcome.violation === null ? 0 : 1;
}

function printTrace({ seed, violation, trace, events, struck }: Outcome, lines: number): void {
  for (const line of trace.slice(-lines)) {
    console.log(line);
  }
  console.log(`seed ${seed}: ${events} events, faults ${JSON.stringify(Object.fromEntries(struck))}`);
  console.log(
    violation === null
      ? "every promise was kept"
      : `promise ${violation.promise}, ${violation.rule}: ${violation.detail}`,
  );
}

function toArguments(seed: number, limits: Limits): string {
  const { maxSites, maxPages, maxFaults, maxRounds, without, withoutTraits, withoutActors } = limits;
  return [
    `--seed ${seed} --max-sites ${maxSites} --max-pages ${maxPages} --max-faults ${maxFaults} --max-rounds ${maxRounds}`,
    ...(without.size === 0 ? [] : [`--without ${[...without].join(",")}`]),
    ...(withoutTraits.size === 0 ? [] : [`--without-traits ${[...withoutTraits].join(",")}`]),
    ...(withoutActors.size === 0 ? [] : [`--without-actors ${[...withoutActors].join(",")}`]),
    ...(limits.disturbances ? [] : ["--no-disturbances"]),
    ...(limits.userChanges ? [] : ["--no-user-changes"]),
  ].join(" ");
}

function isFaultKind(text: string): text is FaultKind {
  return (FAULT_KINDS as readonly string[]).includes(text);
}
