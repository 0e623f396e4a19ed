import { afterEach, describe, expect, it } from "vitest";
import type { Resources } from "../../../../src/agent/compose.ts";
import { MAX_RUNS_AT_ONCE } from "../../../../src/serve/runs/run-manager.ts";
import { ONE_PRICE } from "../../../doubles/cli-world.ts";
import { compareAccounts } from "../../../doubles/compare-accounts.ts";
import { createHint } from "../../../doubles/hint-driver.ts";
import { BUDGET, createRunWorld, type RunWorld, startedOf, stateOf } from "./run-world.ts";

let world: RunWorld;
let letQueuesClose = () => {};
afterEach(() => {
  letQueuesClose();
  return world.close();
});

async function open(sites: number, pages = 8, adapt?: (resources: Resources) => Resources): Promise<RunWorld> {
  const hosts = Array.from({ length: sites }, (_, index) => `site-${index}.example`);
  world = await createRunWorld({
    sandbox: {
      sites: hosts.map((host) => ({ kind: "synthetic", host, pages, bodyBytes: 200 })),
      rates: ONE_PRICE,
      latencyMs: 4,
    },
    config: {
      gateway: { quoteBatchSize: 2, catalogPageSize: 4, concurrency: 4 },
      budgets: [BUDGET],
      sites: hosts.map((host) => ({ host, policy: "standard" })),
    },
    ...(adapt === undefined ? {} : { adapt }),
  });
  return world;
}

describe("the run manager", () => {
  it("says who works on a site instead of a second run of it, and runs other sites beside it", async () => {
    const { runs, relay } = await open(2);
    // So that no run ends before somebody looks at it.
    await relay.cut();
    const first = startedOf(await runs.start({ trigger: "schedule", hosts: ["site-0.example"] }));
    expect(await runs.start({ trigger: "manual", hosts: [] })).toEqual({
      kind: "busy",
      runId: first.runId,
      detail: expect.stringContaining(`run ${first.runId} (schedule) is at work on site-0.example`),
    });
    const other = startedOf(await runs.start({ trigger: "manual", hosts: ["site-1.example"] }));
    expect(runs.live()).toEqual([first, other]);
    await relay.restore();
    expect(await Promise.all([first, other].map(stateOf))).toEqual(["completed", "completed"]);
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
  });

  it("of two starts at once begins one", async () => {
    const { runs } = await open(1);
    const both = await Promise.all([0, 1].map(() => runs.start({ trigger: "manual", hosts: [] })));
    expect(both.map(({ kind }) => kind).sort()).toEqual(["busy", "started"]);
  });

  it("waits for a run of the site that has ended in the ledger and not left yet, and refuses while it works", async () => {
    const mayClose = new Promise<void>((resolve) => {
      letQueuesClose = resolve;
    });
    const { runs, resources, relay } = await open(1, 8, (own) => ({
      ...own,
      openQueue: async (onWarning) => {
        const queue = await own.openQueue(onWarning);
        const closeNow = queue.close.bind(queue);
        return Object.assign(queue, { close: () => mayClose.then(closeNow) });
      },
    }));
    // An outage without a pause, which would close the queue.
    relay.answer(503);
    const first = startedOf(await runs.start({ trigger: "manual", hosts: [] }));
    expect(await runs.start({ trigger: "manual", hosts: [] })).toMatchObject({ kind: "busy", runId: first.runId });
    await relay.restore();
    const ledger = await resources.ledger("read");
    await expect.poll(async () => (await ledger.readRun(first.runId)).state).toBe("completed");
    expect(runs.live()).toEqual([first]);
    const next = runs.start({ trigger: "manual", hosts: [] });
    letQueuesClose();
    expect(startedOf(await next).runId).not.toBe(first.runId);
    expect(await stateOf(startedOf(await next))).toBe("completed");
  });

  it("finds a run of the same site in another process", async () => {
    const { runs, relay } = await open(1);
    const other = await world.reopen();
    await relay.cut();
    const first = startedOf(await runs.start({ trigger: "schedule", hosts: [] }));
    expect(await other.runs.start({ trigger: "webhook", hosts: [] })).toMatchObject({
      kind: "busy",
      runId: first.runId,
    });
    await relay.restore();
    expect(await stateOf(first)).toBe("completed");
  });

  it("stops a webhook run of the site for any other run, and begins after its end", async () => {
    const { runs, resources } = await open(1, 40);
    const hints = Array.from({ length: 40 }, (_, n) => `/articles/${String(n + 1).padStart(7, "0")}`).map((path) =>
      createHint(path, {
        host: "site-0.example",
        url: `https://site-0.example${path}`,
        wireUrl: `https://site-0.example${path}`,
      }),
    );
    await (await resources.ledger("existing")).recordHints({ hints, now: resources.clock.now() });
    const webhook = startedOf(await runs.start({ trigger: "webhook", hosts: [] }));
    const schedule = startedOf(await runs.start({ trigger: "schedule", hosts: [], options: { fresh: true } }));
    expect(runs.live()).toEqual([schedule]);
    expect(await stateOf(webhook)).toBe("interrupted");
    expect(await stateOf(schedule)).toBe("completed");
    expect(compareAccounts(world.sandbox, world.ledgerFile, { extraCharges: new Map() })).toEqual([]);
  });

  it("lets a webhook run wait for another run of its site", async () => {
    const { runs } = await open(1);
    const schedule = startedOf(await runs.start({ trigger: "schedule", hosts: [] }));
    const webhook = startedOf(await runs.start({ trigger: "webhook", hosts: [] }));
    expect(runs.live()).toEqual([webhook]);
    expect(await stateOf(schedule)).toBe("completed");
  });

  it("has no more runs at work than its limit, and begins the others in their order", async () => {
    const { runs } = await open(MAX_RUNS_AT_ONCE + 3, 2);
    const began: string[] = [];
    let most = 0;
    runs.onStart(({ hosts }) => {
      began.push(...hosts);
      most = Math.max(most, runs.live().length);
    });
    const { sites } = world.resources.config;
    const started = await Promise.all(
      sites.map(({ host }) => runs.start({ trigger: "schedule", hosts: [host] }).then(startedOf)),
    );
    expect(await Promise.all(started.map(stateOf))).toEqual(sites.map(() => "completed"));
    expect(most).toBeLessThanOrEqual(MAX_RUNS_AT_ONCE);
    expect(began.slice(MAX_RUNS_AT_ONCE)).toEqual(sites.slice(MAX_RUNS_AT_ONCE).map(({ host }) => host));
  });

  it("begins nothing while it stops, and stops the runs at work and those that wait", async () => {
    const { runs } = await open(1, 40);
    const first = startedOf(await runs.start({ trigger: "schedule", hosts: [] }));
    const waiting = runs.start({ trigger: "webhook", hosts: [] });
    await runs.stop();
    expect(await stateOf(first)).toBe("interrupted");
    expect(await waiting).toMatchObject({ kind: "busy", detail: expect.stringContaining("is stopping") });
    expect(await runs.start({ trigger: "manual", hosts: [] })).toMatchObject({ kind: "busy", runId: null });
    expect(runs.live()).toEqual([]);
  });

  it("throws what keeps a run from beginning, and keeps no site for it", async () => {
    const { runs } = await open(1);
    await expect(runs.start({ trigger: "manual", hosts: ["gone.example"] })).rejects.toMatchObject({
      code: "USAGE_INVALID",
    });
    await expect(runs.start({ trigger: "manual", hosts: [], options: { resume: "newest" } })).rejects.toMatchObject({
      code: "RUN_NOT_FOUND",
    });
    expect(await stateOf(startedOf(await runs.start({ trigger: "manual", hosts: [] })))).toBe("completed");
  });
});
