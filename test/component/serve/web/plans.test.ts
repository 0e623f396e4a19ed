/** Saved plans over HTTP: what the pages say of them, that an approval buys what was shown, once, and that a name leads to no other file. */
import { appendFile, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Agent, createAgent, loadConfig } from "../../../../src/index.ts";
import type { Ledger } from "../../../../src/ledger/ledger.ts";
import { openSqliteLedger } from "../../../../src/ledger/sqlite/open.ts";
import { createServiceWorld, type ServiceWorld } from "../../../doubles/service-world.ts";
import { createWebClient, hidden } from "../../../doubles/web-client.ts";

const HOST = "news.example";
const TOKEN = "the-token-of-anna-000001";
const READ_TOKEN = "the-token-of-finance-01";
const WHY = "the pages of May";

let world: ServiceWorld;
let ledger: Ledger;
let agent: Agent;
let directory: string;
let cookie: string;

beforeAll(async () => {
  world = await createServiceWorld({
    sandbox: {
      sites: [{ kind: "synthetic", host: HOST, pages: 12, bodyBytes: 300 }],
      rates: { default: [{ license: "ON_DEMAND_LICENSE", price: "0.003 USD" }] },
    },
    config: {
      budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
      sites: [{ host: HOST, policy: "standard" }],
      serve: {
        port: 0,
        plans: "plans",
        tokens: [
          { name: "anna", token: TOKEN, can: "act" },
          { name: "finance", token: READ_TOKEN },
        ],
      },
    },
  });
  directory = join(world.directory, "plans");
  ledger = await openSqliteLedger({ path: world.ledgerFile });
  agent = createAgent(await loadConfig({ path: world.configFile, cwd: world.directory, env: {} }));
  cookie = await browser.logIn(TOKEN);
});
afterAll(async () => {
  await agent.close();
  await ledger.close();
  await world.close();
});

const browser = createWebClient(() => world);
const look = (path: string, as = cookie) => browser.look(path, { cookie: as });
const send = (path: string, fields: Record<string, string>, as = cookie) => browser.send(path, fields, { cookie: as });
const save = (name: string, maxPages: number) => agent.plan({ out: join(directory, name), maxPages, expires: "7d" });

/** The address of the approval of what the plan's page shows now. */
async function approvalOf(name: string): Promise<string> {
  const page = await look(`/plans/${name}`);
  expect(page.status, page.text).toBe(200);
  const path = /href="(\/plans\/[^"]+\/approve\?content=[0-9a-f]{64})"/.exec(page.text)?.[1] ?? "";
  expect(path, page.text).not.toBe("");
  return path;
}

async function fillIn(path: string): Promise<Record<string, string>> {
  const page = await look(path);
  expect(page.status, page.text).toBe(200);
  return { form: hidden(page, "form"), key: hidden(page, "key"), reason: WHY };
}

const approvals = async () =>
  (await ledger.readActs({ before: null, runId: null, limit: 100 })).filter(({ kind }) => kind === "plan_approved");

async function endOf(runId: string): Promise<void> {
  await expect.poll(async () => (await ledger.readRun(runId)).state).toBe("completed");
}

it("says what to do first, before there is a plan", async () => {
  const page = await look("/plans");
  expect(page).toMatchObject({ status: 200 });
  expect(page.text).toContain("licet plan --out plans/NAME.jsonl");
});

describe("with plans", () => {
  beforeAll(async () => {
    await mkdir(directory);
    await save("april.jsonl", 4);
    await save("may.jsonl", 6);
    await save("june.jsonl", 2);
    await writeFile(join(directory, "<b>.jsonl"), "");
    await writeFile(join(directory, "broken.jsonl"), '{"licetPlan":1}\n');
    await writeFile(join(directory, "notes.txt"), "not a plan");
    await symlink(join(world.directory, "plans", "may.jsonl"), join(directory, "link.jsonl"));
    await symlink("/etc/passwd", join(directory, "passwd.jsonl"));
    await mkdir(join(directory, "folder.jsonl"));
    await writeFile(join(world.directory, "outside.jsonl"), await readFile(join(directory, "may.jsonl")));
  });

  it("lists them with their money, and says what is wrong with what is not a plan", async () => {
    const { plans, directory: shown } = await agent.plans();
    expect(shown).toBe(directory);
    expect(Object.fromEntries(plans.map(({ name, problem }) => [name, problem]))).toEqual({
      "april.jsonl": null,
      "june.jsonl": null,
      "may.jsonl": null,
      "<b>.jsonl": expect.stringContaining("its name"),
      "broken.jsonl": expect.stringContaining("cannot be used"),
      "link.jsonl": expect.stringContaining("symbolic link"),
      "passwd.jsonl": expect.stringContaining("symbolic link"),
      "folder.jsonl": expect.stringContaining("not a file"),
    });
    expect(plans.find(({ name }) => name === "may.jsonl")?.plan).toMatchObject({
      hosts: [HOST],
      pages: 6,
      setAsideMicros: { USD: 18_000 },
      refused: null,
      runs: [],
    });
    expect((await look("/")).text).toMatch(/href="\/plans\/may\.jsonl">.*<\/a> waits for the approval/);
    const { text } = await look("/plans");
    expect(text).toContain("&lt;b&gt;.jsonl");
    expect(text).toContain('value="18000"');
    expect(text).not.toContain("root:");
    const answer = await world.call("GET", "/api/v1/plans?limit=1");
    expect(answer.json).toMatchObject({ plans: [{ name: "<b>.jsonl", plan: null }], nextCursor: "<b>.jsonl" });
    const next = await world.call("GET", `/api/v1/plans?limit=1&cursor=${encodeURIComponent("<b>.jsonl")}`);
    expect(next.json.plans).toMatchObject([{ name: "april.jsonl" }]);
  });

  it("shows one with its pages, page by page", async () => {
    const { text } = await look("/plans/may.jsonl?limit=4");
    expect(text).toContain("https://news.example/articles/0000003");
    expect(text).not.toContain("https://news.example/articles/0000004");
    const next = /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const rest = await look(next);
    expect(rest.text).toContain("https://news.example/articles/0000005");
    expect(rest.text).not.toContain('rel="next"');
  });

  it("shows what one changes since another, in money", async () => {
    const against = await world.call("GET", "/api/v1/plans/may.jsonl?against=april.jsonl");
    expect(against.json.against).toMatchObject({
      added: { pages: 2, changeMicros: { USD: 6_000 } },
      dropped: { pages: 0 },
      same: 4,
      changes: [{ change: "added" }, { change: "added" }],
    });
    const { text } = await look("/plans/may.jsonl?against=april.jsonl");
    expect(text).toContain('value="6000"');
    expect(text).toContain("Against april.jsonl");
  });

  it.each([
    "/plans/..%2Foutside.jsonl",
    "/plans/..%2F..%2Fetc%2Fpasswd",
    "/plans/.hidden.jsonl",
    "/plans/%3Cb%3E.jsonl",
    "/plans/may.jsonl%00",
    "/plans/notes.txt",
    "/plans/link.jsonl",
    "/plans/passwd.jsonl",
    "/plans/folder.jsonl",
    "/plans/missing.jsonl",
    "/plans/may.jsonl?against=..%2Foutside.jsonl",
    "/plans/may.jsonl?against=link.jsonl",
  ])("shows nothing at %s", async (path) => {
    for (const at of [path, `/api/v1${path}`]) {
      const { status, text } = await look(at);
      expect([400, 404, 409], at).toContain(status);
      expect(text).not.toContain("root:");
      expect(text).not.toContain("0000003");
    }
  });

  it("approves nothing for who may only read, and shows them no such link", async () => {
    const before = await approvals();
    const path = await approvalOf("june.jsonl");
    const reader = await browser.logIn(READ_TOKEN);
    expect((await look("/plans/june.jsonl", reader)).text).not.toContain("/approve");
    expect(await look(path, reader)).toMatchObject({ status: 403 });
    expect(await send(path, await fillIn(path), reader)).toMatchObject({ status: 403 });
    expect(await approvals()).toEqual(before);
  });

  it("approves nothing of a file that has changed since it was shown", async () => {
    const before = await approvals();
    const path = await approvalOf("june.jsonl");
    const form = await fillIn(path);
    const file = join(directory, "june.jsonl");
    const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
    await writeFile(file, `${lines.slice(0, -1).join("\n")}\n`);
    expect((await look(path)).text).toContain("The file has changed since it was shown");
    const refused = await send(path, form);
    expect(refused.status, refused.text).toBe(409);
    expect(refused.text).toContain("was changed or replaced since it was shown");
    await appendFile(file, `${lines.at(-1)}\n{"url":"https://news.example/articles/0000011"}\n`);
    expect((await send(path, form)).status).toBe(409);
    expect(await approvals()).toEqual(before);
  });

  it("approves a plan once, by any number of forms, and buys what was shown", async () => {
    const path = await approvalOf("april.jsonl");
    expect((await look(path)).text).toContain("What the budgets leave");
    const [form, other, late] = [await fillIn(path), await fillIn(path), await fillIn(path)];
    const answers = await Promise.all([send(path, form), send(path, other), send(path, form)]);
    expect(
      answers.map(({ status }) => status),
      answers[0]?.text,
    ).toEqual([303, 303, 303]);
    const [location] = new Set(answers.map(({ headers }) => headers.location));
    expect(new Set(answers.map(({ headers }) => headers.location)).size).toBe(1);
    const runId = String(location).replace("/runs/", "");
    await endOf(runId);
    expect((await send(path, late)).headers.location).toBe(location);
    const again = await look(path);
    expect(again.text).toContain("A run buys from it already");
    expect(again.text).not.toContain('name="key"');
    expect((await look("/")).text).not.toContain("/plans/april.jsonl");
    expect(await approvals()).toMatchObject([{ by: "anna", reason: WHY, runId }]);
    expect(await ledger.readRun(runId)).toMatchObject({ pages: { bought: 4 } });
    const { plans } = await agent.plans();
    expect(plans.find(({ name }) => name === "april.jsonl")?.plan?.runs).toMatchObject([
      { runId, state: "completed", approvedBy: "anna", reason: WHY },
    ]);
    const page = await look("/plans/april.jsonl");
    expect(page.text).toContain(`/runs/${runId}`);
    expect(page.text).not.toContain("/approve?");
    expect((await ledger.audit({ budgets: [], now: Date.now() })).violations).toEqual([]);
  });

  it("says that a plan cannot be bought any more when it has expired", async () => {
    await agent.plan({ out: join(directory, "short.jsonl"), expires: "1ms" });
    await expect
      .poll(async () => (await agent.planDetails("short.jsonl")).plan.refused)
      .toMatchObject({ reason: "expired" });
    const page = await look("/plans/short.jsonl");
    expect(page.text).toContain("It cannot be bought");
    expect(page.text).not.toContain("/approve?");
  });
});
