/** What the package has: few files, none that only developers read, and all that the command and the library need. */
import { execFile, execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { cliConfig } from "../doubles/cli-process.ts";
import { PATIENCE } from "../doubles/patience.ts";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
const MAX_FILES = 900;
const MAX_BYTES = 3_850_000;

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
  // What npm installs with it, and not what its developers have: their packages of types would hide a missing one.
  const { dependencies } = JSON.parse(await readFile(join(REPOSITORY, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies)) {
    await mkdir(dirname(join(installed, "node_modules", name)), { recursive: true });
    await symlink(join(REPOSITORY, "node_modules", name), join(installed, "node_modules", name));
  }
});
afterAll(() => rm(shop, { recursive: true }));

test("the package is small", () => {
  expect(packed.entryCount).toBeLessThanOrEqual(MAX_FILES);
  expect(packed.unpackedSize).toBeLessThanOrEqual(MAX_BYTES);
});

test("the package has no source map, snapshot, demonstration, picture, promise or decision", () => {
  const paths = packed.files.map(({ path }) => path);
  expect(paths.filter((path) => /\.map$|\.png$|_snapshot\.json|demo\/|promises|decisions/.test(path))).toEqual([]);
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
      const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: shop, timeout: PATIENCE.timeout });
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
    const { stdout } = await promisify(execFile)(process.execPath, ["run.mjs"], {
      cwd: shop,
      timeout: PATIENCE.timeout,
    });
    expect(stdout).toBe("completed true\n");
  } finally {
    await sandbox.close();
  }
});

const PROGRAM = `import { createAgent, defineConfig, type Evidence, GatewayClient, isLicetError, loadConfig, verifyDocuments } from "licet";
const agent = createAgent(await loadConfig({ unset: "later" }));
const evidence: Evidence = await agent.evidence("https://news.example/a");
export const hashes: readonly string[] = evidence.versions.map(({ hash }) => hash);
for await (const { markdown } of agent.documents()) markdown satisfies string | null;
await agent.run({ maxSpend: "5 USD", signal: AbortSignal.timeout(9), onDocument: async ({ url }) => url });
export default defineConfig({ gateway: { baseUrl: "x", apiKey: "y", agentId: "z" }, policies: {}, sites: [] });
export { GatewayClient, isLicetError, verifyDocuments };
`;
const STRICT = {
  target: "ES2022",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
  types: [],
};

test.each([
  ["NodeNext", { module: "NodeNext", moduleResolution: "NodeNext" }],
  ["a bundler", { module: "ESNext", moduleResolution: "Bundler" }],
])("its declarations compile in a strict project that checks them too, under %s", async (_name, modules) => {
  const project = join(shop, "strict");
  await mkdir(project, { recursive: true });
  await writeFile(join(project, "package.json"), JSON.stringify({ type: "module" }));
  await writeFile(join(project, "use.ts"), PROGRAM);
  const config = { compilerOptions: { ...STRICT, ...modules }, files: ["use.ts"] };
  await writeFile(join(project, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(REPOSITORY, "node_modules/.bin/tsc");
  const compiled = promisify(execFile)(tsc, ["-p", project], { cwd: shop, timeout: PATIENCE.timeout });
  expect(await compiled.catch(({ stdout }: { stdout: string }) => ({ stdout }))).toMatchObject({ stdout: "" });
});

test("no document in it links to a file that it does not have", async () => {
  const paths = new Set(packed.files.map(({ path }) => path));
  const dead: string[] = [];
  for (const path of [...paths].filter((one) => one.endsWith(".md"))) {
    const text = await readFile(join(REPOSITORY, path), "utf8");
    for (const [, target = ""] of text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)/g)) {
      const file = join(dirname(path), target).replace(/\/$/, "");
      // The pictures of the README are those of the repository, where npm's page of a package finds them too.
      const isPicture = path === "README.md" && /^docs\/images\/[\w-]+\.png$/.test(file);
      if (!isPicture && !paths.has(file) && ![...paths].some((one) => one.startsWith(`${file}/`))) {
        dead.push(`${path}: ${target}`);
      }
    }
  }
  expect(dead).toEqual([]);
});
