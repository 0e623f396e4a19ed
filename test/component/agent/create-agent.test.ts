import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Agent } from "../../../src/agent/agent.ts";
import { createAgent } from "../../../src/agent/create-agent.ts";
import { openSqliteLedger } from "../../../src/ledger/sqlite/open.ts";

let directory: string;
let baseUrl: string;
/** Answers the requests of one test, when the test decides. */
let answer: (respond: (status: number, body: unknown) => void) => void;
let requests: number;
let closeServer: () => Promise<void>;
const agents: Agent[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "licet-agent-"));
  requests = 0;
  answer = (respond) => respond(404, {});
  const server = createServer((_request, response) => {
    requests++;
    answer((status, body) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  closeServer = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
});

afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.close()));
  await closeServer();
  await rm(directory, { recursive: true, force: true });
});

function openAgent(): Agent {
  const agent = createAgent(
    {
      gateway: { baseUrl, apiKey: "key-1234", agentId: "acme-agent" },
      ledger: { path: join(directory, "licet.sqlite") },
      budgets: [{ scope: "all", limit: "1 USD" }],
      policies: { standard: { rules: [{ allow: {} }] } },
      sites: [{ host: "news.example", policy: "standard" }],
    },
    { cwd: directory, env: {} },
  );
  agents.push(agent);
  return agent;
}

/** An empty one, as a run that was killed at its very beginning leaves it. */
async function makeLedger(): Promise<void> {
  await (await openSqliteLedger({ path: join(directory, "licet.sqlite") })).close();
}

describe("an agent", () => {
  it("refuses a host that is not configured and names the configured hosts", async () => {
    const agent = openAgent();
    for (const call of [agent.run({ hosts: ["other.example"] }), agent.plan({ hosts: ["other.example"] })]) {
      await expect(call).rejects.toMatchObject({
        code: "USAGE_INVALID",
        hint: expect.stringContaining("news.example"),
      });
    }
    await expect(agent.status()).rejects.toMatchObject({ code: "LEDGER_MISSING" });
    expect(requests).toBe(0);
  });

  it("creates no ledger for a call that only reads, or that needs stored pages", async () => {
    const agent = openAgent();
    const calls = [
      () => agent.status(),
      () => agent.runStatus("run_nowhere"),
      () => agent.explain("https://news.example/a", { needsLedger: true }),
      () => agent.audit(),
      () => agent.documents().next(),
      () => agent.resolve(7, true),
      () => agent.report(),
      () => agent.prune(),
      () => agent.use([{ url: "https://news.example/a" }]),
      () => agent.run({ resume: "newest" }),
    ];
    for (const call of calls) {
      await expect(call(), call.toString()).rejects.toMatchObject({
        code: "LEDGER_MISSING",
        hint: expect.stringContaining("ledger.path"),
      });
    }
    expect(await readdir(directory)).toEqual([]);
  });

  it("finds a ledger that was created after a call had missed it", async () => {
    const agent = openAgent();
    await expect(agent.status()).rejects.toMatchObject({ code: "LEDGER_MISSING" });
    await makeLedger();
    expect((await agent.status()).runs).toEqual([]);
  });

  it("has nothing to resume in a ledger without runs", async () => {
    await makeLedger();
    await expect(openAgent().run({ resume: "newest" })).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
  });

  it("does not know a run that was never started", async () => {
    await makeLedger();
    await expect(openAgent().runStatus("run_nowhere")).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
  });

  it("refuses a second run while one is in progress", async () => {
    await makeLedger();
    const agent = openAgent();
    const first = agent.run({ resume: "newest" });
    await expect(agent.run()).rejects.toMatchObject({ code: "USAGE_INVALID" });
    await expect(first).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
    // The failed one is over: another may begin.
    await expect(agent.run({ resume: "newest" })).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
  });

  it("waits on close for work in progress, and the ledger stays open until then", async () => {
    const agent = openAgent();
    let respond = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = (give) => {
        respond = () => give(200, { pages: [] });
        resolve();
      };
    });
    const plan = agent.plan();
    await asked;
    let closed = false;
    const close = agent.close().then(() => {
      closed = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(closed).toBe(false);
    respond();
    expect(await plan).toMatchObject({ pages: { seen: 0 } });
    await close;
  });

  it("can be closed twice, and without being opened", async () => {
    const agent = openAgent();
    await agent.close();
    await agent.close();
  });

  it("leaves no plan behind, also when it fails", async () => {
    const agent = openAgent();
    answer = (respond) => respond(401, { title: "no such key" });
    await makeLedger();
    await expect(agent.plan()).rejects.toMatchObject({ code: "GATEWAY_UNAUTHORIZED" });
    expect((await agent.status()).runs).toEqual([]);
    expect((await agent.audit()).ok).toBe(true);
  });

  it("opens nothing until a call needs it", () => {
    openAgent();
    expect(requests).toBe(0);
  });
});
