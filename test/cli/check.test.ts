/** Every likely mistake of a new user gets a message that says what is wrong and what to do, and exit code 2 or 1. */
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cliConfig, writeConfig } from "../doubles/cli-process.ts";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE } from "../doubles/cli-world.ts";

let world: CliWorld;
beforeEach(async () => {
  world = await createCliWorld({ sites: [newsSite(5)], rates: ONE_PRICE });
});
afterEach(() => world.close());

/** A port without a listener. */
async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
  );
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** What stays of a secret in any output would be a leak. */
function expectNoStack({ stdout, stderr }: { stdout: string; stderr: string }): void {
  expect(`${stdout}${stderr}`).not.toMatch(/^\s+at .*\.(js|ts):\d+/m);
}

test("a correct configuration passes", async () => {
  const result = await world.cli("check");
  expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining("Everything works.") });
});

describe("a wrong configuration exits with 2", () => {
  test.each<[string, Record<string, unknown>, RegExp]>([
    ["an unknown key, with the nearest", { ledgr: { path: "x" } }, /ledgr.*did you mean "ledger"\?/],
    ["bad money", { budgets: [{ scope: "all", limit: "5,00 USD" }] }, /budgets\[0\]\.limit.*"5,00 USD"/],
    [
      "bad cron",
      { sites: [{ host: "news.example", policy: "standard", schedule: "0 */6 * *" }] },
      /sites\[0\]\.schedule/,
    ],
    [
      "an unknown policy",
      { sites: [{ host: "news.example", policy: "standart" }] },
      /sites\[0\]\.policy names an unknown policy; did you mean "standard"\?/,
    ],
    [
      "a duplicate site",
      {
        sites: [
          { host: "news.example", policy: "standard" },
          { host: "News.Example", policy: "standard" },
        ],
      },
      /sites\[1\]/,
    ],
  ])("%s", async (_, own, message) => {
    await world.configure(own);
    const result = await world.cli("check");
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(result.stderr).toMatch(message);
    expect(result.stderr).toMatch(/^licet: licet\.config\.json has one problem:\n/);
    expectNoStack(result);
  });

  test("a missing environment variable", async () => {
    await world.configure({ gateway: { apiKey: "$" + "{LICET_API_KEY}" } });
    expect(await world.json("run")).toMatchObject({
      code: 2,
      value: { error: { code: "ENV_MISSING", message: expect.stringContaining("LICET_API_KEY") } },
    });
  });

  test("no configuration file", async () => {
    expect(await world.json("status", "--config", "nope.yaml")).toMatchObject({
      code: 2,
      value: { error: { code: "CONFIG_NOT_FOUND", message: expect.stringContaining("nope.yaml") } },
    });
  });
});

describe("a service that cannot be reached exits with 1", () => {
  test("a gateway that does not run", async () => {
    await world.configure({ gateway: { baseUrl: `http://127.0.0.1:${await closedPort()}` } });
    const check = await world.cli("check");
    expect(check).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/FAIL +gateway: news\.example[\s\S]*gateway\.baseUrl/),
    });
    expectNoStack(check);
    const run = await world.json("run");
    expect(run.code).not.toBe(0);
  });

  test("a Redis that does not run", async () => {
    const port = await closedPort();
    await world.configure({ queue: { url: `redis://:hunter2@127.0.0.1:${port}` } });
    const run = await world.json("run");
    expect(run).toMatchObject({ code: 1, value: { error: { code: "QUEUE_UNREACHABLE" } } });
    expect(JSON.stringify(run)).not.toContain("hunter2");
  });

  test("a wrong key, which is never printed", async () => {
    await world.configure({ gateway: { apiKey: "wrong-key-4711" } });
    const check = await world.cli("check");
    expect(check).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/FAIL +gateway: news\.example[\s\S]*apiKey/),
    });
    const run = await world.json("run");
    expect(run).toMatchObject({ code: 1, value: { error: { code: "GATEWAY_UNAUTHORIZED" } } });
    expect(JSON.stringify([check, run])).not.toContain("wrong-key-4711");
  });

  test("a site that the account is not enabled for is reported once; a run of this site alone exits with 1", async () => {
    world.sandbox.setFaults({ "forbidden-site": 1 });
    const check = await world.cli("check");
    expect(check).toMatchObject({ code: 1, stdout: expect.stringMatching(/FAIL +gateway: news\.example/) });
    const run = await world.cli("run");
    expect(run.code).toBe(1);
    expect(run.stderr.match(/news\.example is stopped \(not_enabled\)/g)).toHaveLength(1);
    expect(run.stdout).toContain("not_enabled");
  });
});

test("a site that is not enabled does not stop the other sites: the run is done, and exits with 4", async () => {
  const hosts = ["a.example", "b.example", "c.example", "d.example"];
  const several = await createCliWorld(
    {
      sites: hosts.map((host) => ({ kind: "synthetic", host, pages: 3, bodyBytes: 100 })),
      rates: ONE_PRICE,
      faults: { "forbidden-site": 0.5 },
    },
    { sites: hosts.map((host) => ({ host, policy: "standard" })) },
  );
  try {
    const { code, value } = await several.json("run");
    const { sites } = value as { sites: { host: string; stop: string | null; bought: number }[] };
    const stopped = sites.filter(({ stop }) => stop === "not_enabled");
    expect(stopped.length).toBeGreaterThan(0);
    expect(stopped.length).toBeLessThan(hosts.length);
    for (const { stop, bought } of sites) {
      expect(bought).toBe(stop === null ? 3 : 0);
    }
    expect(code).toBe(4);
  } finally {
    await several.close();
  }
});

describe("a ledger that", () => {
  test("another process locks", async () => {
    await world.cli("run");
    const holder = new Database(world.ledgerFile);
    try {
      holder.pragma("locking_mode = EXCLUSIVE");
      holder.exec("BEGIN EXCLUSIVE");
      expect(await world.json("status")).toMatchObject({
        code: 1,
        value: { error: { code: "LEDGER_LOCKED", hint: expect.any(String) } },
      });
    } finally {
      holder.close();
    }
  });

  test("is not a ledger", async () => {
    await mkdir(join(world.directory, "data"), { recursive: true });
    await writeFile(world.ledgerFile, "this is not a database, whatever its name says ".repeat(100));
    const result = await world.cli("status");
    expect(result).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("not a ledger") });
    expectNoStack(result);
  });

  test("cannot be written at its path", async () => {
    await writeFile(join(world.directory, "file"), "");
    await writeConfig(world.directory, cliConfig(world.sandbox.url, { ledger: { path: "./file/licet.sqlite" } }));
    expect(await world.json("run")).toMatchObject({ code: 1, value: { error: { code: "LEDGER_UNWRITABLE" } } });
  });
});

test.runIf(process.platform === "linux")(
  "a full disk ends a run with a clear error, and the run continues when there is space again",
  async () => {
    const full = await createCliWorld({
      sites: [{ kind: "synthetic", host: "news.example", pages: 200, bodyBytes: 20_000 }],
      rates: ONE_PRICE,
    });
    try {
      const limited = await full.limited("ulimit -f 4000", "run");
      expect(limited.code).toBe(1);
      const { error } = JSON.parse(limited.stdout);
      expect(error.code).toMatch(/^(DISK_FULL|LEDGER_UNWRITABLE)$/);
      expect(error.hint).toContain("licet run --resume run_");
      const { value } = await full.json("run", "--resume");
      const { state, pages } = value as { state: string; pages: { bought: number; inDoubt: number } };
      expect(state).toBe("completed");
      // Content that came when there was no room for it was paid and cannot be had again: in doubt, never bought twice.
      expect(pages.bought + pages.inDoubt).toBe(200);
      expect(await full.json("audit")).toMatchObject({ code: 0 });
      expect(full.sandbox.audit().charges).toHaveLength(200);
    } finally {
      await full.close();
    }
  },
);

test("a largest spend in a currency without a budget is bad usage, and starts nothing", async () => {
  expect(await world.json("run", "--max-spend", "5 EUR")).toMatchObject({
    code: 2,
    value: { error: { code: "USAGE_INVALID", hint: expect.stringContaining("USD") } },
  });
  expect(existsSync(world.ledgerFile)).toBe(false);
  await world.configure({ run: { maxSpend: "5 EUR" } });
  expect(await world.cli("run")).toMatchObject({ code: 2, stderr: expect.stringMatching(/run\.maxSpend is in EUR/) });
});

test("check warns about a key that is sent unencrypted to another machine", async () => {
  await world.configure({ gateway: { baseUrl: "http://0.0.0.0:9" } });
  expect((await world.cli("check")).stdout).toMatch(
    /warning +configuration +gateway\.baseUrl begins with http:\/\/: the API key/,
  );
});

test("a plan shows what would be bought and the reasons against the rest, and spends nothing", async () => {
  await world.configure({ policies: { standard: { rules: [{ allow: { maxPrice: "0.001 USD" } }] } } });
  expect(await world.json("plan")).toMatchObject({
    code: 0,
    value: { pages: { seen: 5, quoted: 5, approved: 0, denied: 5 }, denials: { no_rule_matched: 5 } },
  });
  await world.configure({});
  const plan = await world.json("plan", "news.example");
  expect(plan).toMatchObject({
    code: 0,
    value: { pages: { approved: 5 }, cost: { USD: { setAsideMicros: 50_000, pages: 5 } } },
  });
  expect((await world.cli("plan")).stdout).toMatch(/0\.05 USD +for 5 pages[\s\S]*Nothing was reserved or spent/);
  expect(world.sandbox.audit().tokens.issued).toBe(0);
});
