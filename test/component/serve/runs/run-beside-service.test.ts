import { afterEach, describe, expect, it, vi } from "vitest";
import { createResources, type Resources } from "../../../../src/agent/compose.ts";
import { EventBus } from "../../../../src/agent/events/events.ts";
import { loadConfig } from "../../../../src/config/load-config.ts";
import type { Ledger } from "../../../../src/ledger/ledger.ts";
import { ONE_PRICE } from "../../../doubles/cli-world.ts";
import { compareAccounts } from "../../../doubles/compare-accounts.ts";
import { PATIENCE } from "../../../doubles/patience.ts";
import { createServiceWorld, type ServiceWorld } from "../../../doubles/service-world.ts";

const TOKEN = "a-token-of-this-test";

let world: ServiceWorld;
let other: Resources | null = null;
afterEach(async () => {
  await other?.close();
  other = null;
  await world.close();
});

/** The ledger as another process has it. */
async function openLedger(): Promise<Ledger> {
  const config = await loadConfig({ path: world.configFile, cwd: world.directory, env: {} });
  other = createResources(config, new EventBus());
  return other.ledger("existing");
}

describe("a run of the service that another process cancels", () => {
  it("is not said to have ended as running", async () => {
    world = await createServiceWorld({
      sandbox: {
        sites: [{ kind: "synthetic", host: "news.example", pages: 60, bodyBytes: 200 }],
        rates: ONE_PRICE,
        latencyMs: 10,
      },
      config: {
        serve: { port: 0, token: TOKEN },
        gateway: { quoteBatchSize: 2, catalogPageSize: 4, concurrency: 1, timeoutMs: 10_000 },
        budgets: [{ scope: "all", per: "month", limit: "10 USD" }],
        sites: [{ host: "news.example", policy: "standard" }],
      },
    });
    const headers = { authorization: `Bearer ${TOKEN}` };
    const { runId } = (await world.call("POST", "/api/v1/runs", { headers, body: {} })).json;
    await vi.waitFor(() => expect(world.sandbox.audit().charges.length).toBeGreaterThan(2), PATIENCE);
    // The other process has it and still probes.
    const process = "other.example:1:a";
    const ledger = await openLedger();
    // An answer that is on its way now comes soon. The next one takes as long as the rest, also on a machine that stands still for a second.
    world.sandbox.setLatency(3_000);
    const { length } = world.sandbox.audit().charges;
    await vi.waitFor(() => expect(world.sandbox.audit().charges.length).toBeGreaterThan(length), PATIENCE);
    await vi.waitFor(async () => {
      const query = { now: Date.now(), aliveMs: 60_000, gone: [] };
      expect(await ledger.listUnfinished(query)).toMatchObject([{ started: 1 }]);
    }, PATIENCE);
    const cancelled = await ledger.cancelRun({ runId, process, now: Date.now(), aliveMs: 60_000, gone: [] });
    expect(cancelled).toMatchObject({ ended: false, started: 1 });
    await vi.waitFor(
      () => expect(world.logged.join("\n")).toContain(`run ${runId} is another process's now`),
      PATIENCE,
    );
    expect(world.logged.join("\n")).not.toContain("ended: running");
    const metrics = (await world.call("GET", "/metrics", { headers })).text;
    expect(metrics).not.toMatch(/licet_runs_ended_total\{[^}]*state="running"/);
    await ledger.endRun({ runId, state: "cancelled", reason: null, now: Date.now(), process });
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
  });
});

describe("licet run beside a service", () => {
  it("works, and says which service is there and where", async () => {
    world = await createServiceWorld({
      sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: 6, bodyBytes: 200 }], rates: ONE_PRICE },
      config: {
        budgets: [{ scope: "all", per: "month", limit: "10 USD" }],
        sites: [{ host: "news.example", policy: "standard" }],
      },
    });
    const report = await (await world.openAgent()).run();
    expect(report).toMatchObject({ state: "completed", pages: { bought: 6 } });
    expect(report.warnings).toContainEqual(
      expect.stringMatching(
        new RegExp(`^a service works on this ledger too \\(process .+:${process.pid} at ${world.service.url}\\)`),
      ),
    );
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
  });
});
