/** What a service left, because it stopped or died, goes on in the next one; so does what died beside it. Nobody is asked to look twice. */
import { afterEach, describe, expect, it, vi } from "vitest";
import type { RunCall } from "../../../../src/agent/calls/buying-calls.ts";
import { EventBus } from "../../../../src/agent/events/events.ts";
import { beginRun } from "../../../../src/agent/runs/begin-run.ts";
import { createLeftRuns } from "../../../../src/serve/runs/left-runs.ts";
import type { RunManager } from "../../../../src/serve/runs/run-manager.ts";
import type { ServicePart } from "../../../../src/serve/service-part.ts";
import { ONE_PRICE } from "../../../doubles/cli-world.ts";
import { compareAccounts } from "../../../doubles/compare-accounts.ts";
import { PATIENCE } from "../../../doubles/patience.ts";
import { BUDGET, createRunWorld, type RunWorld, startedOf, stateOf } from "./run-world.ts";

const PRICE_MICROS = 10_000;
const PAGES = 20;
// A look comes every 15 seconds, and the machine may do other work.
vi.setConfig({ testTimeout: 120_000 });

let world: RunWorld;
const parts: ServicePart[] = [];
afterEach(async () => {
  await Promise.all(parts.splice(0).map((part) => part.stop()));
  await world.close();
});

const SITES = ["news.example", "shop.example", "third.example"];

async function open(): Promise<RunWorld> {
  world = await createRunWorld({
    sandbox: {
      sites: SITES.map((host) => ({ kind: "synthetic", host, pages: PAGES, bodyBytes: 200 })),
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

type Service = { readonly resources: RunWorld["resources"]; readonly runs: RunManager };

/** The part of a service, and the runs that it began, with their ends. */
async function watch({ resources, runs }: Service) {
  const began: string[] = [];
  const ended: string[] = [];
  const logged: string[] = [];
  runs.onStart((run) => {
    began.push(run.runId);
    void stateOf(run).then((state) => ended.push(`${run.runId} ${state}`));
  });
  const write = (message: string) => void logged.push(message);
  const log = { debug: () => {}, info: write, warn: write };
  let hasRuns = () => false;
  const workers = {
    awaitRuns: (asked: () => boolean) => {
      hasRuns = asked;
    },
  };
  const part = createLeftRuns({ config: resources.config, resources, bus: new EventBus(), runs, log, workers });
  parts.push(part);
  const hadRuns = hasRuns();
  await part.start();
  return { began, ended, logged, hadRuns, hasRuns: () => hasRuns(), stop: () => part.stop() };
}

/** A run whose process died when it had begun. */
async function beginAndDie(hosts: readonly string[], options: Pick<RunCall, "maxSpend"> = {}): Promise<string> {
  const { resources } = world;
  const ledger = await resources.ledger("existing");
  const process = resources.processes.begin();
  const sites = resources.config.sites.filter(({ host }) => hosts.includes(host));
  const begun = await beginRun(resources, ledger, {
    which: { kind: "fresh" },
    checksClock: true,
    sites,
    process,
    options,
  });
  resources.processes.end(process);
  if (begun.kind !== "begun") {
    throw new Error("the run did not begin");
  }
  return begun.spec.runId;
}

const chargesOf = (host: string) =>
  world.sandbox.audit().charges.filter(({ url }) => new URL(url).host === host).length;

describe("the next service", () => {
  it("goes on with the runs that the last one stopped, and not with one that a person interrupted", async () => {
    const { runs } = await open();
    const [news, shop] = await Promise.all(
      SITES.slice(0, 2).map(async (host) => startedOf(await runs.start({ trigger: "schedule", hosts: [host] }))),
    );
    await runs.stop();
    // A person resumes one of them and interrupts it again.
    const { resources } = world;
    const ledger = await resources.ledger("existing");
    const which = { kind: "named", runId: shop?.runId ?? "" } as const;
    await beginRun(resources, ledger, { which, checksClock: true, sites: [], process: "person", options: {} });
    const now = resources.clock.now();
    const end = { state: "interrupted", reason: null, endedBy: "person", now, process: "person" } as const;
    await ledger.endRun({ runId: which.runId, ...end });
    const next = await watch(await world.reopen());
    await vi.waitFor(() => expect(next.ended).toEqual([`${news?.runId} completed`]), PATIENCE);
    expect((await ledger.readRun(which.runId)).state).toBe("interrupted");
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
  });

  it("tells workers that drain that there are runs, until none is at work and none is left", async () => {
    const { resources, runs } = await open();
    const first = await watch({ resources, runs });
    expect(first.hadRuns).toBe(true);
    await vi.waitFor(() => expect(first.hasRuns()).toBe(false), PATIENCE);
    startedOf(await runs.start({ trigger: "manual", hosts: ["news.example"] }));
    expect(first.hasRuns()).toBe(true);
    await Promise.all([first.stop(), runs.stop()]);
    expect(runs.live()).toEqual([]);
    expect(first.hasRuns()).toBe(true);
    const next = await watch(await world.reopen());
    await vi.waitFor(() => expect(next.ended).toHaveLength(1), PATIENCE);
    await vi.waitFor(() => expect(next.hasRuns()).toBe(false), PATIENCE);
    await next.stop();
    expect(next.hasRuns()).toBe(false);
  });

  it("tells them so while the start of one that was left takes longer than the looks", async () => {
    const { runs: first } = await open();
    startedOf(await first.start({ trigger: "manual", hosts: ["news.example"] }));
    await first.stop();
    const { resources, runs } = await world.reopen();
    let begin = () => {};
    const mayBegin = new Promise<void>((resolve) => {
      begin = resolve;
    });
    let looks = 0;
    const next = await watch({
      resources: {
        ...resources,
        ledger: (access) => {
          looks += 1;
          return resources.ledger(access);
        },
      },
      runs: { ...runs, start: (request) => mayBegin.then(() => runs.start(request)) },
    });
    // The second look is over when the third begins.
    await vi.waitFor(() => expect(looks).toBeGreaterThan(2), PATIENCE);
    expect(next.hasRuns()).toBe(true);
    begin();
    await vi.waitFor(() => expect(next.ended).toHaveLength(1), PATIENCE);
    await vi.waitFor(() => expect(next.hasRuns()).toBe(false), PATIENCE);
  });

  it("leaves a run that a person stopped over HTTP", async () => {
    const { runs } = await open();
    const run = startedOf(await runs.start({ trigger: "manual", hosts: ["news.example"] }));
    run.stop({ by: "anna", reason: null });
    expect(await stateOf(run)).toBe("interrupted");
    await runs.stop();
    const bought = chargesOf("news.example");
    const dead = await beginAndDie(["shop.example"]);
    const next = await watch(await world.reopen());
    await vi.waitFor(() => expect(next.ended).toEqual([`${dead} completed`]), PATIENCE);
    expect(chargesOf("news.example")).toBe(bought);
  });

  it("goes on with each run that died as itself, and under its own limits", async () => {
    await open();
    const limited = await beginAndDie(["news.example"], {
      maxSpend: { micros: 2 * PRICE_MICROS, currency: "USD" } as NonNullable<RunCall["maxSpend"]>,
    });
    const unlimited = await beginAndDie(["shop.example"]);
    const next = await watch(await world.reopen());
    await vi.waitFor(() => expect(next.ended).toHaveLength(2), PATIENCE);
    expect([...next.ended].sort()).toEqual([`${limited} max_spend`, `${unlimited} completed`].sort());
    expect([chargesOf("news.example"), chargesOf("shop.example")]).toEqual([2, PAGES]);
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
  });

  it("forgets none of several that died while it works on another of them", async () => {
    await open();
    const dead = [await beginAndDie(["news.example", "shop.example"]), await beginAndDie(["shop.example"])];
    dead.push(await beginAndDie(["third.example"]));
    const next = await watch(await world.reopen());
    await vi.waitFor(() => expect(next.ended).toHaveLength(3), PATIENCE);
    expect([...next.ended].sort()).toEqual(dead.map((runId) => `${runId} completed`).sort());
    expect(world.sandbox.audit().charges).toHaveLength(3 * PAGES);
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
  });
});

describe("a service at work", () => {
  it("goes on with the run that another one put down when it had lost its lease", async () => {
    const { runs } = await open();
    const run = startedOf(await runs.start({ trigger: "schedule", hosts: ["news.example"] }));
    const other = await watch(await world.reopen());
    expect(other.began).toEqual([]);
    await runs.stop();
    expect(await stateOf(run)).toBe("interrupted");
    await vi.waitFor(() => expect(other.ended).toEqual([`${run.runId} completed`]), PATIENCE);
    expect(chargesOf("news.example")).toBe(PAGES);
  });

  it("finishes what a fetch had started when its process died, and buys nothing more of it", async () => {
    const { resources } = await open();
    const ledger = await resources.ledger("existing");
    const process = resources.processes.begin();
    const [site] = resources.config.sites;
    const list = { kind: "list", source: "fetch", path: null } as const;
    const sites = site === undefined ? [] : [site];
    const begun = await beginRun(resources, ledger, { which: list, checksClock: true, sites, process, options: {} });
    resources.processes.end(process);
    const runId = begun.kind === "begun" ? begun.spec.runId : "";
    const service = await watch(await world.reopen());
    await vi.waitFor(async () => expect((await ledger.readRun(runId)).state).toBe("cancelled"), PATIENCE);
    expect(service.began).toEqual([]);
    expect(world.sandbox.audit().charges).toEqual([]);
    // The row comes first.
    await vi.waitFor(() => expect(service.logged.join("\n")).toContain(`run ${runId} (fetch) was left`), PATIENCE);
  });
});
