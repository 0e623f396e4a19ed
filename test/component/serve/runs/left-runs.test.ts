/** What a service left, because it stopped or died, goes on in the next one. */
import { afterEach, describe, expect, it } from "vitest";
import { beginRun } from "../../../../src/agent/runs/begin-run.ts";
import { createLeftRuns } from "../../../../src/serve/runs/left-runs.ts";
import type { RunManager } from "../../../../src/serve/runs/run-manager.ts";
import { ONE_PRICE } from "../../../doubles/cli-world.ts";
import { compareAccounts } from "../../../doubles/compare-accounts.ts";
import { BUDGET, createRunWorld, type RunWorld, startedOf, stateOf } from "./run-world.ts";

let world: RunWorld;
afterEach(() => world.close());

const SITES = ["news.example", "shop.example"];
const SILENT = { debug: () => {}, info: () => {}, warn: () => {} };

async function open(): Promise<RunWorld> {
  world = await createRunWorld({
    sandbox: {
      sites: SITES.map((host) => ({ kind: "synthetic", host, pages: 20, bodyBytes: 200 })),
      rates: ONE_PRICE,
      latencyMs: 4,
    },
    config: {
      gateway: { quoteBatchSize: 2, catalogPageSize: 4, concurrency: 2 },
      budgets: [BUDGET],
      sites: SITES.map((host) => ({ host, policy: "standard" })),
    },
  });
  return world;
}

/** Starts the next service, and resolves with the states of its first runs. */
async function goOn(runs: RunManager, resources: RunWorld["resources"], count: number): Promise<string[]> {
  const states: Promise<string>[] = [];
  const began = new Promise<void>((resolve) => {
    runs.onStart((run) => {
      states.push(stateOf(run).then((state) => `${run.runId} ${state}`));
      if (states.length === count) {
        resolve();
      }
    });
  });
  const part = createLeftRuns({ resources, runs, log: SILENT });
  await part.start();
  await began;
  await part.stop();
  return (await Promise.all(states)).sort();
}

describe("the next service", () => {
  it("goes on with the runs that the last one stopped, and not with one that a person interrupted", async () => {
    const { runs } = await open();
    const [news, shop] = await Promise.all(
      SITES.map(async (host) => startedOf(await runs.start({ trigger: "schedule", hosts: [host] }))),
    );
    await runs.stop();
    // A person resumes one of them and interrupts it again.
    const { resources } = world;
    const ledger = await resources.ledger("existing");
    const which = { kind: "named", runId: shop?.runId ?? "" } as const;
    await beginRun(resources, ledger, { which, sites: [], process: "person", options: {} });
    const now = resources.clock.now();
    await ledger.endRun({ runId: which.runId, state: "interrupted", reason: null, now, process: "person" });
    const next = await world.reopen();
    expect(await goOn(next.runs, next.resources, 1)).toEqual([`${news?.runId} completed`]);
    expect((await ledger.readRun(which.runId)).state).toBe("interrupted");
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
  });

  it("goes on with every site of the runs whose process died", async () => {
    await open();
    const { resources } = world;
    const ledger = await resources.ledger("existing");
    const processes = resources.config.sites.map(() => resources.processes.begin());
    for (const [index, site] of resources.config.sites.entries()) {
      const process = processes[index] ?? "";
      await beginRun(resources, ledger, { which: { kind: "fresh" }, sites: [site], process, options: {} });
    }
    processes.forEach(resources.processes.end);
    const next = await world.reopen();
    const states = await goOn(next.runs, next.resources, 2);
    expect(states.map((state) => state.split(" ")[1])).toEqual(["completed", "completed"]);
    const { charges } = world.sandbox.audit();
    expect(charges).toHaveLength(40);
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
  });
});
