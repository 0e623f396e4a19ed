/** What the package has: few files, none that only developers read, and all that the command and the library need. */
import { execFile, execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { cliConfig } from "../doubles/cli-process.ts";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
const MAX_FILES = 900;
const MAX_BYTES = 3_000_000;

interface Packed {
  readonly entryCount: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

let packed: Packed;
let shop: string;
beforeAll(async () => {
  const output = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: REPOSITORY,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  packed = Object.values(JSON.parse(output) as Packed[] | Record<string, Packed>)[0] as Packed;
  shop = await mkdtemp(join(tmpdir(), "licet-package-"));
  const installed = join(shop, "node_modules/licet");
  for (const { path } of packed.files) {
    await mkdir(dirname(join(installed, path)), { recursive: true });
    await cp(join(REPOSITORY, path), join(installed, path));
  }
  await symlink(join(REPOSITORY, "node_modules"), join(installed, "node_modules"));
});
afterAll(() => rm(shop, { recursive: true }));

test("the package is small", () => {
  expect(packed.entryCount).toBeLessThanOrEqual(MAX_FILES);
  expect(packed.unpackedSize).toBeLessThanOrEqual(MAX_BYTES);
});

test("the package has no source map, snapshot, demonstration, promise or decision", () => {
  const paths = packed.files.map(({ path }) => path);
  expect(paths.filter((path) => /\.map$|snapshot|demo\/|promises|decisions/.test(path))).toEqual([]);
  expect(paths).toContain("docs/commands.md");
});

test("its command and its library plan, and load a configuration in TypeScript that imports licet", async () => {
  const sandbox = await startSandbox({ sites: [{ kind: "demo", host: "demo.example" }] });
  try {
    const config = cliConfig(sandbox.url, { sites: [{ host: "demo.example", policy: "standard" }] });
    const text = `import { defineConfig } from "licet";\nexport default defineConfig(${JSON.stringify(config)});\n`;
    await writeFile(join(shop, "licet.config.ts"), text);
    const library = `import { createAgent, loadConfig } from "licet";
      const agent = createAgent(await loadConfig());
      console.log((await agent.plan()).sites[0].host);
      await agent.close();`;
    await writeFile(join(shop, "plan.mjs"), library);
    for (const command of [["node_modules/licet/bin/licet.js", "plan"], ["plan.mjs"]]) {
      // Not the synchronous form: the sandbox answers in this process.
      const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: shop, timeout: 30_000 });
      expect(stdout).toContain("demo.example");
    }
  } finally {
    await sandbox.close();
  }
});

test("a program that runs its library ends by itself, also with the ledger's thread and without a close", async () => {
  const sandbox = await startSandbox({ sites: [{ kind: "demo", host: "demo.example" }] });
  try {
    const config = cliConfig(sandbox.url, { sites: [{ host: "demo.example", policy: "standard" }] });
    const library = `import { createAgent } from "licet";
      const agent = createAgent(${JSON.stringify(config)});
      const { state, pages } = await agent.run();
      console.log(state, pages.bought > 0);`;
    await writeFile(join(shop, "run.mjs"), library);
    const { stdout } = await promisify(execFile)(process.execPath, ["run.mjs"], { cwd: shop, timeout: 30_000 });
    expect(stdout).toBe("completed true\n");
  } finally {
    await sandbox.close();
  }
});
