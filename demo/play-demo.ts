import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent } from "../src/agent/agent.ts";
import { createAgent } from "../src/agent/create-agent.ts";
import { formatCheck } from "../src/cli/commands/check.ts";
import { formatAmount } from "../src/cli/output/format-values.ts";
import { formatPlan } from "../src/cli/reports/plan-summary.ts";
import { formatRun } from "../src/cli/reports/run-summary.ts";
import { loadConfig } from "../src/config/load-config.ts";
import { isLicetError } from "../src/errors.ts";
import { type Sandbox, startSandbox } from "../src/sandbox/sandbox.ts";
import { systemClock } from "../src/time/clock.ts";
import { giveVerdict, resolveDoubts } from "./close-books.ts";
import { DEMO_HOST, demoConfig } from "./demo-config.ts";

/** The wait before each answer of the gateway. */
const LATENCY_MS = 40;
/** The run is killed after this many charges. */
const CHARGES_BEFORE_KILL = 12;
const WATCH_MS = 10;
const SHOWN_LINES = 8;

export interface DemoDeps {
  readonly say: (text: string) => void;
  /** The path of the command, because the killed run is a separate process. */
  readonly program: string;
}

/** @returns whether ledger and gateway agree at the end */
export async function playDemo(deps: DemoDeps): Promise<boolean> {
  const dir = await mkdtemp(join(tmpdir(), "licet-demo-"));
  const sandbox = await startSandbox({ sites: [{ kind: "demo", host: DEMO_HOST }], latencyMs: LATENCY_MS });
  try {
    const configFile = join(dir, "licet.config.json");
    await writeFile(configFile, JSON.stringify(demoConfig(sandbox.url, dir)));
    return await play(deps, sandbox, configFile, dir);
  } finally {
    await sandbox.close();
    await rm(dir, { recursive: true, force: true });
  }
}

async function play({ say, program }: DemoDeps, sandbox: Sandbox, configFile: string, dir: string): Promise<boolean> {
  const step = (title: string) => say(`\n── ${title}`);
  const openAgent = async () => createAgent(await loadConfig({ path: configFile, cwd: dir, env: {} }));
  say(`A local gateway sells the pages of ${DEMO_HOST} at ${sandbox.url}. No money is real.`);

  const before = await openAgent();
  try {
    step("licet check: is everything ready?");
    say(formatCheck(await before.check()));
    step("licet plan: what would be bought?");
    say(formatPlan(await before.plan()));
  } finally {
    await before.close();
  }

  step("licet run, killed (SIGKILL) in the middle");
  await runAndKill(program, sandbox, configFile);
  const { charges } = sandbox.audit();
  say(`The gateway had charged ${charges.length} pages when the run was killed.`);

  const agent = await openAgent();
  try {
    step("licet run --resume");
    say(formatRun(await resume(agent)));
    step("A page that it bought");
    say(await showPage(agent));
    step("licet audit, and the gateway's own account");
    await resolveDoubts({ agent, sandbox, say });
    return await giveVerdict({ agent, sandbox, say });
  } finally {
    await agent.close();
  }
}

async function runAndKill(program: string, sandbox: Sandbox, configFile: string): Promise<void> {
  const child = spawn(process.execPath, [program, "run", "--json", "--config", configFile], { stdio: "ignore" });
  const exited = new Promise<void>((resolve, reject) => {
    child.once("exit", () => resolve());
    child.once("error", reject);
  });
  const over = new AbortController();
  const watch = async () => {
    while (!over.signal.aborted && sandbox.audit().tokens.spent < CHARGES_BEFORE_KILL) {
      await systemClock.sleep(WATCH_MS, over.signal);
    }
    child.kill("SIGKILL");
  };
  const watching = watch();
  try {
    await exited;
  } finally {
    over.abort();
    await watching;
  }
}

/** On a very fast machine the run may end before the kill. There is nothing to resume then, so a new run is made. */
async function resume(agent: Agent): ReturnType<Agent["run"]> {
  try {
    return await agent.run({ resume: "newest" });
  } catch (error) {
    if (isLicetError(error, "RUN_NOT_FOUND")) {
      return agent.run();
    }
    throw error;
  }
}

async function showPage(agent: Agent): Promise<string> {
  for await (const { url, title, markdown, license, priceMicros, currency } of agent.documents()) {
    if (markdown !== null && priceMicros !== null && priceMicros > 0) {
      const lines = markdown.split("\n").slice(0, SHOWN_LINES);
      return [
        `${url} (${license?.licenseType}, ${formatAmount(priceMicros, currency)})`,
        "",
        `# ${title ?? ""}`,
        ...lines,
      ].join("\n");
    }
  }
  return "none";
}
