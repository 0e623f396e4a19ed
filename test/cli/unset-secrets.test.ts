/** What only works on the ledger needs no secret: a variable that is not set is an error only for whoever uses it. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE } from "../doubles/cli-world.ts";

let world: CliWorld;
let url: string;
const FILE = "unset.config.json";

/** As a configuration names a variable. */
const env = (name: string) => `\${${name}}`;

beforeAll(async () => {
  world = await createCliWorld({ sites: [newsSite(2)], rates: ONE_PRICE });
  await world.cli("run");
  const { runs } = (await world.json("runs")).value as { runs: { runId: string }[] };
  const { purchases } = (await world.json("runs", runs[0]?.runId ?? "")).value as { purchases: { url: string }[] };
  url = purchases[0]?.url ?? "";
  const config = JSON.parse(await readFile(join(world.directory, "licet.config.json"), "utf8"));
  const unset = {
    ...config,
    gateway: {
      ...config.gateway,
      baseUrl: env("UNSET_URL"),
      apiKey: env("UNSET_KEY"),
      agentId: env("UNSET_AGENT"),
      userAgent: `${env("UNSET_AGENT")}/1.0`,
    },
    queue: { url: `redis://:${env("UNSET_PASSWORD")}@127.0.0.1:6379` },
    serve: { token: env("UNSET_TOKEN"), tokens: [{ name: "finance", token: env("UNSET_TOKEN_OF_FINANCE") }] },
    webhooks: [{ id: "main", path: "/hook", url: env("UNSET_HOOK"), secret: env("UNSET_SECRET") }],
    alerts: [{ on: ["in_doubt"], webhook: env("UNSET_ALERT"), secret: env("UNSET_ALERT_SECRET") }],
  };
  await writeFile(join(world.directory, FILE), JSON.stringify(unset));
});

afterAll(() => world.close());

test("licet explain works before there is a ledger, and makes none", async () => {
  const config = JSON.parse(await readFile(join(world.directory, "licet.config.json"), "utf8"));
  const ledger = { path: "none/licet.sqlite" };
  await writeFile(join(world.directory, "new.config.json"), JSON.stringify({ ...config, ledger }));
  const explained = await world.cli("--config", "new.config.json", "explain", url);
  expect(explained).toMatchObject({ code: 0, stdout: expect.stringContaining("The ledger does not know this page.") });
  expect((await world.cli("--config", "new.config.json", "status")).stderr).toMatch(/there is no ledger|no ledger/);
});

const call = (...args: string[]) => world.cli("--config", FILE, ...args);

describe("with no variable set", () => {
  test.each([
    ["status"],
    ["runs"],
    ["schedule"],
    ["log"],
    ["audit"],
    ["statement"],
    ["export", "--format", "jsonl", "--out", "exported"],
    ["backup", "copy.sqlite"],
  ])("licet %s works", async (...args) => {
    const { code, stderr } = await call(...args);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining("UNSET") });
  });

  test("licet explain says what the ledger says, and why the gateway was not asked", async () => {
    const { code, stdout } = await call("explain", url);
    expect(code).toBe(1);
    expect(stdout).toMatch(/Stored since/);
    expect(stdout).toMatch(/UNSET_KEY, which is not set/);
  });

  test.each([["run"], ["plan"], ["fetch", "https://news.example/other"], ["check"], ["serve"], ["history"]])(
    "licet %s names every variable, and does nothing",
    async (...args) => {
      const { code, stderr } = await call(...args);
      expect(code).toBe(2);
      for (const name of ["UNSET_URL", "UNSET_KEY", "UNSET_PASSWORD", "UNSET_TOKEN_OF_FINANCE", "UNSET_ALERT_SECRET"]) {
        expect(stderr).toContain(name);
      }
    },
  );

  test("a variable that the ledger is found by is missed by every command", async () => {
    const config = JSON.parse(await readFile(join(world.directory, FILE), "utf8"));
    await writeFile(
      join(world.directory, "moved.config.json"),
      JSON.stringify({ ...config, ledger: { path: `${env("DIR")}/x` } }),
    );
    const { code, stderr } = await world.cli("--config", "moved.config.json", "status");
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("DIR, which is not set") });
  });
});
