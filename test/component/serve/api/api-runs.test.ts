import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ONE_PRICE } from "../../../doubles/cli-world.ts";
import { compareAccounts } from "../../../doubles/compare-accounts.ts";
import { ISO } from "../../../doubles/iso-instant.ts";
import { createServiceWorld, type ServiceWorld } from "../../../doubles/service-world.ts";
import { type ApiClient, assertFits, createApiClient, follow, TOKEN } from "./api-client.ts";

const PAGES = 40;

let world: ServiceWorld;
let api: ApiClient;

beforeAll(async () => {
  const hosts = ["one.example", "two.example", "three.example"];
  world = await createServiceWorld({
    sandbox: {
      sites: hosts.map((host) => ({ kind: "synthetic", host, pages: PAGES, bodyBytes: 200 })),
      rates: ONE_PRICE,
      latencyMs: 4,
    },
    config: {
      serve: { port: 0, token: TOKEN },
      // Small batches, so that a run can be met at work.
      gateway: { quoteBatchSize: 2, catalogPageSize: 4, concurrency: 2 },
      budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
      sites: hosts.map((host) => ({ host, policy: "standard", schedule: "0 0 1 1 *" })),
    },
  });
  api = createApiClient(world);
});

afterAll(() => world.close());

describe("a run over HTTP", () => {
  it("is started, followed to its end, and found in the ledger as the commands show it", async () => {
    const begun = await api.post("/runs", "BegunRun", { hosts: ["one.example"], maxPages: PAGES });
    expect(begun.hosts).toEqual(["one.example"]);
    const events = await (await follow(world, begun.runId)).all();
    const places = events.slice(0, -1).map(({ id }) => Number(id.split(".")[1]));
    expect(places).toEqual(places.map((_, index) => index + 1));
    expect(events.filter(({ event }) => event === "page.bought")).toHaveLength(PAGES);
    expect(events.at(-2)).toMatchObject({ event: "run.ended", data: { runId: begun.runId } });

    const end = events.at(-1);
    const report = assertFits("RunReport", end?.data.report);
    expect(report).toEqual(end?.data.report);
    expect(report).toMatchObject({ runId: begun.runId, pages: { bought: PAGES } });

    expect((await api.get(`/runs/${begun.runId}/report`, "RunReport")).spend).toEqual(report.spend);
    const details = await api.get(`/runs/${begun.runId}?limit=1000`, "RunDetails");
    expect(details.purchases).toHaveLength(PAGES);
    expect(details.run.trigger).toBe("manual");
    const some = await api.get(`/runs/${begun.runId}?limit=3&state=settled&site=one.example`, "RunDetails");
    expect(some).toMatchObject({ purchasesTotal: PAGES, purchases: details.purchases.slice(0, 3) });
    const { runs, total } = await api.get("/runs?site=one.example&limit=1", "RunList");
    expect({ runs, total }).toEqual({ runs: [details.run], total: 1 });
    expect((await api.get("/status", "Status")).totals.runs).toBe(1);
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
  });

  it("is stopped as interrupted and resumed, and a second one of its sites is refused meanwhile", async () => {
    const { runId } = await api.post("/runs", "BegunRun", { hosts: ["two.example"] });
    const first = await follow(world, runId);
    const busy = await api.refused("POST", "/runs", { body: { hosts: ["two.example"] } });
    expect(busy).toMatchObject({ status: 409, code: "RUN_ALIVE", detail: expect.stringContaining(runId) });
    expect(await api.refused("POST", `/runs/${runId}/resume`)).toMatchObject({ status: 409, code: "RUN_ALIVE" });
    expect(await api.post(`/runs/${runId}/stop`, "StoppingRun")).toEqual({ runId, stopping: true });
    expect((await first.all()).at(-1)?.data.report.state).toBe("interrupted");
    expect(await api.refused("POST", `/runs/${runId}/stop`)).toMatchObject({ status: 409, code: "RUN_NOT_HERE" });

    const resumed = await api.post(`/runs/${runId}/resume`, "BegunRun", { maxSpend: "5 USD" });
    expect(resumed).toMatchObject({ runId, hosts: ["two.example"] });
    const events = await (await follow(world, runId)).all();
    expect(events.at(-1)?.data.report).toMatchObject({ state: "completed", resumed: true, pages: { bought: PAGES } });
    expect(await api.refused("POST", `/runs/${runId}/resume`)).toMatchObject({ status: 409, code: "RUN_OVER" });
    expect(await api.refused("POST", `/runs/${runId}/cancel`)).toMatchObject({ status: 409, code: "RUN_OVER" });
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
  });

  it("is cancelled for good while it is at work", async () => {
    const { runId } = await api.post("/runs", "BegunRun", { hosts: ["three.example"], fresh: true });
    expect(await api.post(`/runs/${runId}/cancel`, "CancelReport")).toMatchObject({ runId, state: "cancelled" });
    expect(await api.refused("POST", `/runs/${runId}/resume`)).toMatchObject({ status: 409, code: "RUN_OVER" });
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
  });
});

it("the schedules say when the next runs are due, and which service is at work", async () => {
  const { service, schedules } = await api.get("/schedule?limit=2&site=two.example", "ScheduleReport");
  expect(service).toMatchObject({ url: world.service.url, isAlive: true });
  expect(schedules).toEqual([
    expect.objectContaining({
      schedule: "site:two.example",
      slots: [],
      next: [expect.stringMatching(ISO), expect.stringMatching(ISO)],
    }),
  ]);
  expect(await api.refused("GET", "/schedule?site=other.example")).toMatchObject({
    status: 400,
    code: "USAGE_INVALID",
  });
});

describe("the followers of a run", () => {
  it("get what they missed when they come back, and one end event when it has ended", async () => {
    const { runId } = await api.post("/runs", "BegunRun", { hosts: ["three.example"], fresh: true });
    const first = await follow(world, runId);
    const seen = await first.events.next();
    first.leave();
    expect(seen.value.id).toMatch(/\.1$/);
    const rest = await (await follow(world, runId, seen.value.id)).all();
    expect(rest[0]?.id).toMatch(/\.2$/);
    expect(rest.at(-1)?.event).toBe("end");

    const late = await (await follow(world, runId)).all();
    expect(late).toEqual([{ id: "end", event: "end", data: { report: expect.objectContaining({ runId }) } }]);
    assertFits("RunReport", late[0]?.data.report);
    // An EventSource comes back by itself until it is told to stay away.
    const path = `/api/v1/runs/${runId}/events`;
    expect(await world.call("GET", path, { headers: { "last-event-id": "end" } })).toMatchObject({
      status: 204,
      text: "",
    });
  });

  it("of an unknown run get a problem", async () => {
    expect(await api.refused("GET", "/runs/run_unknown/events")).toMatchObject({ status: 404, code: "RUN_NOT_FOUND" });
  });

  it("get the end of a run that the service interrupts, before it closes", async () => {
    const other = await createServiceWorld({
      sandbox: {
        sites: [{ kind: "synthetic", host: "one.example", pages: PAGES, bodyBytes: 200 }],
        rates: ONE_PRICE,
        latencyMs: 4,
      },
      config: {
        serve: { port: 0, token: TOKEN },
        gateway: { quoteBatchSize: 2, catalogPageSize: 4, concurrency: 2 },
        budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
        sites: [{ host: "one.example", policy: "standard" }],
      },
    });
    const { runId } = await createApiClient(other).post("/runs", "BegunRun");
    const followed = await follow(other, runId);
    await followed.events.next();
    await other.close();
    expect((await followed.all()).at(-1)).toMatchObject({ event: "end", data: { report: { state: "interrupted" } } });
  });
});
