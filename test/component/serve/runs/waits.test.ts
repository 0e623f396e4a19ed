/** What runs and the service wait for, as any other process sees it. */
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import type { Resources } from "../../../../src/agent/compose.ts";
import { runsAgent } from "../../../../src/agent/reports/runs-agent.ts";
import { statusAgent } from "../../../../src/agent/reports/status-agent.ts";
import type { StatusReport } from "../../../../src/agent/reports/status-report.ts";
import { createWaits } from "../../../../src/agent/waits/waits.ts";
import { ONE_PRICE } from "../../../doubles/cli-world.ts";
import { createCrawlWorld } from "../../../doubles/crawl-world.ts";
import { startGatewayRelay } from "../../../doubles/gateway-relay.ts";
import { createServiceWorld } from "../../../doubles/service-world.ts";
import { createOutageWorld, type OutageWorld } from "./outage-world.ts";
import { BUDGET, startedOf, stateOf } from "./run-world.ts";

let world: OutageWorld | null = null;
afterEach(async () => {
  const opened = world;
  world = null;
  await opened?.close();
});

const DEAD = "elsewhere-that-is-not-this-machine:1:x-1";
const WAIT = {
  place: "gateway",
  code: "GATEWAY_TIMEOUT",
  message: "no answer",
  hint: null,
  since: Date.UTC(2026, 10, 20),
  until: null,
} as const;

/** As another process with the same clock: it knows of waits only what the ledger says. */
function asAnother({ resources }: OutageWorld): Resources {
  const { clock, processes } = resources;
  return { ...resources, waits: createWaits({ clock, processes, ledger: () => resources.ledger("existing") }) };
}

describe("a run of the service that waits for the gateway", () => {
  it("says so in the status and the list of runs of another process, and no more when it goes on", async () => {
    world = await createOutageWorld();
    const { runs, relay, nextOutage } = world;
    const outage = nextOutage();
    world.atRequest("/rates", 3, () => void relay.cut());
    const { runId, ended } = startedOf(await runs.start({ trigger: "schedule", hosts: [] }));
    await outage;
    const other = asAnother(world);
    await expect
      .poll(async () => (await statusAgent(other)).waits)
      .toMatchObject([{ runId, place: "gateway", code: "GATEWAY_UNREACHABLE", since: expect.any(Number) }]);
    expect((await runsAgent(other, {})).runs).toMatchObject([{ runId, waits: [{ place: "gateway" }] }]);
    await relay.restore();
    await ended;
    await expect.poll(async () => (await statusAgent(other)).waits).toEqual([]);
    expect((await runsAgent(other, {})).runs).toMatchObject([{ runId, waits: [] }]);
  });

  it("tells it to those who follow the run, and when it is over", async () => {
    world = await createOutageWorld();
    const { runs, relay, nextOutage } = world;
    const outage = nextOutage();
    world.atRequest("/rates", 3, () => void relay.cut());
    const run = startedOf(await runs.start({ trigger: "schedule", hosts: [] }));
    const told: boolean[] = [];
    run.events.on("run.waiting", ({ place, isOver }) => told.push(place === "gateway" && isOver));
    await outage;
    await relay.restore();
    expect(await stateOf(run)).toBe("completed");
    expect(told).toEqual([false, true]);
  });
});

describe("what a dead process waited for", () => {
  it("is not shown", async () => {
    world = await createOutageWorld();
    const { runs, resources } = world;
    const ledger = await resources.ledger("existing");
    const run = startedOf(await runs.start({ trigger: "manual", hosts: [] }));
    await stateOf(run);
    // The run is over, and there is no service: nobody waits for anything.
    const ofDead = [WAIT, { ...WAIT, runId: run.runId }].map((wait) => ({ runId: null, ...wait }));
    await ledger.writeWaits({ process: DEAD, waits: ofDead });
    const other = await world.openAgent();
    const status: StatusReport = await other.status();
    expect(status.waits).toEqual([]);
    expect(status.runs).toMatchObject([{ runId: run.runId, waits: [] }]);
  });
});

describe("a run of a command", () => {
  it("waits as long as the gateway asked for, and another process sees until when", async () => {
    const relay = await startGatewayRelay("http://127.0.0.1:1");
    const crawl = await createCrawlWorld({
      sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: 9 }], rates: ONE_PRICE },
      config: { budgets: [BUDGET], sites: [{ host: "news.example", policy: "standard" }] },
    });
    onTestFinished(async () => {
      await crawl.close();
      await relay.close();
    });
    relay.answer(429, { "retry-after": "60" });
    await crawl.configure({
      gateway: { baseUrl: relay.url },
      budgets: [BUDGET],
      sites: [{ host: "news.example", policy: "standard" }],
    });
    const agent = await crawl.openAgent();
    const stop = new AbortController();
    const ended = agent.run({ signal: stop.signal });
    const other = await crawl.openAgent();
    await expect
      .poll(async () => (await other.status().catch(() => null))?.waits)
      .toMatchObject([{ place: "rate_limit", code: "GATEWAY_RATE_LIMITED" }]);
    const [wait] = (await other.status()).waits;
    expect((wait?.until ?? 0) - (wait?.since ?? 0)).toBeGreaterThan(50_000);
    stop.abort();
    await ended;
    expect((await other.status()).waits).toEqual([]);
  });
});

describe("a service with a wrong key", () => {
  it("is not ready, and says what it waits for", async () => {
    const service = await createServiceWorld({
      sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: 3 }], rates: ONE_PRICE },
      config: {
        gateway: { apiKey: "a-wrong-key" },
        budgets: [BUDGET],
        sites: [{ host: "news.example", policy: "standard" }],
      },
    });
    onTestFinished(() => service.close());
    expect(await service.call("GET", "/readyz")).toMatchObject({
      status: 503,
      json: { checks: { gateway: { ok: false, code: "GATEWAY_UNAUTHORIZED" }, ledger: { ok: true } } },
    });
    const other = await service.openAgent();
    await expect
      .poll(async () => (await other.status()).waits)
      .toMatchObject([
        {
          runId: null,
          place: "gateway",
          code: "GATEWAY_UNAUTHORIZED",
          hint: expect.stringContaining("gateway.apiKey"),
        },
      ]);
    expect((await service.call("GET", "/api/v1/status")).json.waits).toMatchObject([
      { place: "gateway", since: expect.stringMatching(/^2\d{3}-.*Z$/) },
    ]);
  });
});
