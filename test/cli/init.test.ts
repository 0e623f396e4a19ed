import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { cliHere } from "../doubles/cli-here.ts";
import { createDirectory } from "../doubles/cli-process.ts";

let directory: Awaited<ReturnType<typeof createDirectory>>;
let sandbox: Sandbox | null = null;
beforeEach(async () => {
  directory = await createDirectory();
});
afterEach(async () => {
  await sandbox?.close();
  sandbox = null;
  await directory.remove();
});

test("the written files pass check and plan against the sandbox, with the variables of .env.example", async () => {
  sandbox = await startSandbox({ sites: [{ kind: "demo", host: "demo.example" }] });
  const cwd = directory.path;
  expect(await cliHere(["init", "shop"], { cwd })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("paid twice"),
  });
  const shop = join(cwd, "shop");
  const example = await readFile(join(shop, ".env.example"), "utf8");
  await writeFile(join(shop, ".env"), example.replace("http://127.0.0.1:8402", sandbox.url));
  const check = await cliHere(["check", "--env", ".env", "--json"], { cwd: shop });
  expect(JSON.parse(check.stdout)).toMatchObject({ ok: true });
  expect(check.code).toBe(0);
  const plan = await cliHere(["plan", "--env", ".env", "--json"], { cwd: shop });
  expect(JSON.parse(plan.stdout).pages.approved).toBeGreaterThan(0);
});

test("the variables of the environment have priority over those of the file", async () => {
  sandbox = await startSandbox({ sites: [{ kind: "demo", host: "demo.example" }] });
  const cwd = directory.path;
  await cliHere(["init"], { cwd });
  const env = { LICET_GATEWAY_URL: sandbox.url };
  const plan = await cliHere(["plan", "--env", ".env.example", "--json"], { cwd, env });
  expect(plan.code).toBe(0);
});

test("init never overwrites, and writes nothing if one of its files exists", async () => {
  const cwd = directory.path;
  await writeFile(join(cwd, ".env.example"), "mine");
  const result = await cliHere(["init", "--json"], { cwd });
  expect(result.code).toBe(2);
  expect(JSON.parse(result.stdout).error).toMatchObject({
    code: "USAGE_INVALID",
    message: expect.stringContaining("not overwritten"),
  });
  expect(await readFile(join(cwd, ".env.example"), "utf8")).toBe("mine");
  await expect(stat(join(cwd, "licet.config.yaml"))).rejects.toThrow("ENOENT");
});

test("a directory that cannot be created is a clear error", async () => {
  const cwd = directory.path;
  await writeFile(join(cwd, "taken"), "a file");
  expect(await cliHere(["init", "taken"], { cwd })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^licet: cannot write to .*taken \(E[A-Z]+\)\n {2}hint: /),
  });
});

test("without the variables, check says which are missing and how to set them", async () => {
  const cwd = directory.path;
  await cliHere(["init"], { cwd });
  expect(await cliHere(["check"], { cwd })).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(/LICET_GATEWAY_URL[\s\S]*LICET_API_KEY[\s\S]*LICET_AGENT_ID[\s\S]*--env \.env/),
  });
});

test("a missing --env file is named", async () => {
  expect(await cliHere(["check", "--env", "nope.env"], { cwd: directory.path })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("nope.env cannot be read"),
  });
});
