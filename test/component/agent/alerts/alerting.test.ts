/** Alerts of `agent.run`, `agent.report` and the service, over a sandbox. */
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { type ConfigFile, type CrawlWorld, createCrawlWorld } from "../../../doubles/crawl-world.ts";
import { createServiceWorld } from "../../../doubles/service-world.ts";
import { startReceiver } from "../../notify/alert-world.ts";

const SITES = [{ kind: "synthetic" as const, host: "news.example", pages: 5, bodyBytes: 500 }];

function toConfig(url: string, more: ConfigFile = {}): ConfigFile {
  return {
    budgets: [{ scope: "all", per: "day", limit: "0.03 USD" }],
    sites: [{ host: "news.example", policy: "standard" }],
    alerts: [{ on: ["budget_80", "budget_exhausted", "run_failed", "in_doubt", "open_item"], webhook: url }],
    ...more,
  };
}

async function open(config: ConfigFile): Promise<CrawlWorld> {
  const world = await createCrawlWorld({ sandbox: { sites: SITES }, config });
  onTestFinished(() => world.close());
  return world;
}

describe("agent.run", () => {
  it("tells of a used budget when the run has ended, and a later run does not tell again", async () => {
    const receiver = await startReceiver();
    const world = await open(toConfig(receiver.url));
    expect((await (await world.openAgent()).run()).state).toBe("budget_exhausted");
    const kinds = () => receiver.documents().map(({ kind }) => kind);
    expect(kinds()).toContain("budget_exhausted");
    const sent = kinds().length;
    await (await world.openAgent()).run({ fresh: true });
    expect(kinds()).toHaveLength(sent);
  });

  it("ends as it would without a receiver that is away, warns, and leaves the alert for the next process", async () => {
    const world = await open(toConfig("http://127.0.0.1:1/hush"));
    const agent = await world.openAgent();
    const warnings: string[] = [];
    agent.on("warning", ({ message }) => warnings.push(message));
    const report = await agent.run();
    expect(report.state).toBe("budget_exhausted");
    const { alerts } = await agent.status();
    expect(alerts.undelivered[0]).toMatchObject({ to: "webhook 127.0.0.1:1", state: "pending", attempts: 1 });
    expect(alerts.pending).toBe(alerts.undelivered.length);
    expect(warnings.filter((text) => text.includes("did not reach webhook 127.0.0.1:1"))).toHaveLength(alerts.pending);
    expect(warnings.join()).not.toContain("hush");
  });

  it("tells nothing when no run began", async () => {
    const receiver = await startReceiver();
    const world = await open(toConfig(receiver.url));
    await expect((await world.openAgent()).run({ resume: "newest" })).rejects.toThrow();
    expect(receiver.received).toEqual([]);
  });
});

describe("agent.check", () => {
  it("says whether a receiver can be reached, and with `alerts` sends it a test", async () => {
    const receiver = await startReceiver();
    const agent = await (await open(toConfig(receiver.url))).openAgent();
    const checkOf = async (options: { alerts?: boolean } = {}) =>
      (await agent.check(options)).checks.find(({ name }) => name.startsWith("alerts: webhook 127.0.0.1:"));
    expect(await checkOf()).toMatchObject({ ok: true });
    expect(receiver.received).toEqual([]);
    expect(await checkOf({ alerts: true })).toMatchObject({ ok: true, detail: "took a test" });
    expect(receiver.documents()).toMatchObject([{ kind: "test" }]);
    receiver.answer(403);
    expect(await checkOf({ alerts: true })).toMatchObject({ ok: false, detail: "HTTP 403" });
  });

  it("has what was given up for a receiver that takes the test delivered again", async () => {
    const receiver = await startReceiver();
    receiver.answer(500);
    const world = await open(toConfig(receiver.url));
    const agent = await world.openAgent();
    await agent.run();
    const db = new Database(world.ledgerFile);
    const { changes } = db.prepare("UPDATE alert_delivery SET state = 'given_up', attempts = 18, ended_at = 1").run();
    db.close();
    expect(changes).toBeGreaterThan(0);
    const checkOf = async () =>
      (await agent.check({ alerts: true })).checks.find(({ name }) => name.startsWith("alerts: webhook"));
    expect(await checkOf()).toMatchObject({ ok: false });
    expect((await agent.status()).alerts.pending).toBe(0);
    receiver.answer(200);
    expect(await checkOf()).toMatchObject({
      ok: true,
      detail: `took a test; what was given up for it (${changes}) is delivered again`,
    });
    await agent.report();
    expect((await agent.status()).alerts.undelivered).toEqual([]);
    expect(receiver.documents().map(({ kind }) => kind)).toContain("budget_exhausted");
  });
});

describe("the service", () => {
  it("tells of what happens in another process", async () => {
    const receiver = await startReceiver();
    const world = await createServiceWorld({ sandbox: { sites: SITES }, config: toConfig(receiver.url) });
    onTestFinished(() => world.close());
    const agent = await world.openAgent();
    await agent.run();
    await receiver.arrived(1);
    expect(receiver.documents().map(({ id }) => id)).toEqual([...new Set(receiver.documents().map(({ id }) => id))]);
  });
});
