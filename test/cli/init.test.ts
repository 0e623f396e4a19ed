import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
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

test("the written files pass check and plan against the sandbox, with .env.example copied to .env", async () => {
  sandbox = await startSandbox({ sites: [{ kind: "demo", host: "demo.example" }] });
  const cwd = directory.path;
  expect(await cliHere(["init", "shop"], { cwd })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("paid twice"),
  });
  const shop = join(cwd, "shop");
  const example = await readFile(join(shop, ".env.example"), "utf8");
  await writeFile(join(shop, ".env"), example.replace("http://127.0.0.1:8402", sandbox.url));
  const check = await cliHere(["check", "--json"], { cwd: shop });
  expect(JSON.parse(check.stdout)).toMatchObject({
    ok: true,
    checks: expect.arrayContaining([
      expect.objectContaining({ name: "environment", detail: expect.stringContaining(".env") }),
    ]),
  });
  expect(check.code).toBe(0);
  const plan = await cliHere(["plan", "--json"], { cwd: shop });
  expect(JSON.parse(plan.stdout).pages.approved).toBeGreaterThan(0);
});

test("init --policy writes a policy whose tests pass without a gateway, and say when a rule is changed", async () => {
  const cwd = directory.path;
  expect(await cliHere(["init", "--policy"], { cwd })).toMatchObject({ code: 0 });
  const check = () => cliHere(["check", "--offline", "--env", ".env.example"], { cwd });
  expect(await check()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/ok +policy: standard +its 5 tests pass/),
  });
  const file = join(cwd, "licet.config.yaml");
  await writeFile(file, (await readFile(file, "utf8")).replace("maxPrice: 0.03 USD", "maxPrice: 0.05 USD"));
  expect(await check()).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/licet\.config\.yaml:\d+ {2}standard, test 2: [\s\S]*\+ got +allow 2 at 0\.04 USD/),
  });
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
    stderr: expect.stringMatching(
      /LICET_GATEWAY_URL[\s\S]*LICET_API_KEY[\s\S]*LICET_AGENT_ID[\s\S]*`cp \.env\.example \.env`.*--env FILE/,
    ),
  });
});

test("the start that init prints is the start of the README", async () => {
  const { stdout } = await cliHere(["init"], { cwd: directory.path });
  const steps = stdout.slice(stdout.indexOf("Next:\n") + "Next:\n".length).replaceAll(/^ {2}/gm, "");
  expect(steps).toMatch(/^cp \.env\.example \.env +#/);
  expect(await readFile(new URL("../../README.md", import.meta.url), "utf8")).toContain(steps);
});

test("init makes git ignore .env and the ledger, and adds to an existing .gitignore only what it lacks", async () => {
  const cwd = directory.path;
  const first = await cliHere(["init", "new", "--json"], { cwd });
  expect(await readFile(join(cwd, "new/.gitignore"), "utf8")).toBe(".env\ndata/\n");
  expect(JSON.parse(first.stdout)).toMatchObject({
    files: ["licet.config.yaml", ".env.example", ".gitignore"].map((name) => join(cwd, "new", name)),
    added: [],
  });
  await writeFile(join(cwd, ".gitignore"), "/data\nnode_modules");
  expect((await cliHere(["init"], { cwd })).stdout).toContain("added .env to .gitignore\n");
  expect(await readFile(join(cwd, ".gitignore"), "utf8")).toBe("/data\nnode_modules\n.env\n");
});

test("an editor finds the schema that init names: in the project's licet, or in the licet that runs", async () => {
  const cwd = directory.path;
  const schemaOf = async (path: string) =>
    /\$schema=(\S+)/.exec(await readFile(join(cwd, path, "licet.config.yaml"), "utf8"))?.[1];
  await cliHere(["init", "global"], { cwd });
  expect(await schemaOf("global")).toBe(new URL("../../config/licet.schema.json", import.meta.url).href);
  await mkdir(join(cwd, "node_modules/licet/config"), { recursive: true });
  await writeFile(join(cwd, "node_modules/licet/config/licet.schema.json"), "{}");
  await cliHere(["init", "sub"], { cwd });
  await cliHere(["init"], { cwd });
  expect([await schemaOf("sub"), await schemaOf(".")]).toEqual([
    "../node_modules/licet/config/licet.schema.json",
    "./node_modules/licet/config/licet.schema.json",
  ]);
});

test("a missing --env file is named", async () => {
  expect(await cliHere(["check", "--env", "nope.env"], { cwd: directory.path })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("nope.env cannot be read"),
  });
});
