/** The examples of docs/examples, compiled as in a user's strict project, and run by node against the sandbox. */
import { execFile, execFileSync } from "node:child_process";
import { readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { cliConfig, createDirectory } from "../doubles/cli-process.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Inside the package, so that `licet` is the package itself. */
const COMPILED = join(ROOT, "dist/examples");
const COMPILER_OPTIONS = [
  "--ignoreConfig",
  "--strict",
  "--noUncheckedIndexedAccess",
  "--exactOptionalPropertyTypes",
  "--verbatimModuleSyntax",
  "--module",
  "nodenext",
  "--target",
  "es2023",
  "--types",
  "node",
];
/** The types of these libraries do not pass the strictest options. */
const WITH_OTHER_LIBRARIES = ["licet-loader.ts", "to-object-store.ts"];

let directory: Awaited<ReturnType<typeof createDirectory>>;
let sandbox: Sandbox;
beforeAll(async () => {
  const examples = join(ROOT, "docs/examples");
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const places = ["--rootDir", examples, "--outDir", COMPILED];
  const compile = (names: readonly string[], ...options: readonly string[]) => {
    const files = names.map((name) => join(examples, name));
    const args = [tsc, ...COMPILER_OPTIONS, ...options, ...places, ...files];
    execFileSync(process.execPath, args, { cwd: ROOT, stdio: "inherit" });
  };
  const names = await readdir(examples);
  compile(names.filter((name) => !WITH_OTHER_LIBRARIES.includes(name)));
  compile(WITH_OTHER_LIBRARIES, "--skipLibCheck");
  directory = await createDirectory();
  sandbox = await startSandbox({ sites: [{ kind: "demo", host: "demo.example" }] });
  const sites = [{ host: "demo.example", policy: "standard" }];
  await writeFile(join(directory.path, "licet.config.json"), JSON.stringify(cliConfig(sandbox.url, { sites })));
});
afterAll(async () => {
  await rm(COMPILED, { recursive: true });
  await sandbox.close();
  await directory.remove();
});

function runExample(
  name: string,
  own: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: tmpdir(),
    LICET_GATEWAY_URL: sandbox.url,
    LICET_API_KEY: "sandbox-key",
    ...own,
  };
  return new Promise((resolve) =>
    execFile(
      process.execPath,
      [join(COMPILED, name.replace(".ts", ".js"))],
      { cwd: directory.path, env },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    ),
  );
}

test("on-document.ts indexes each page that it buys", async () => {
  const { code, stdout, stderr } = await runExample("on-document.ts");
  expect(stderr).toBe("");
  expect(stdout).toBe("5 pages bought\n5 indexed, 0 missed and added\n");
  expect(code).toBe(0);
});

test("crawl.ts plans, runs and audits", async () => {
  const { code, stdout, stderr } = await runExample("crawl.ts");
  expect(stderr).toBe("");
  expect(stdout).toMatch(
    /^would buy \d+ pages for [\d.]+ USD\ncompleted: \d+ pages, 0 in doubt\nspent [\d.]+ USD\nevery promise is kept\n$/,
  );
  expect(code).toBe(0);
});

test("documents.ts reads what crawl.ts bought, and a second run records no use twice", async () => {
  const first = await runExample("documents.ts");
  expect(first.stderr).toBe("");
  expect(first.stdout).toMatch(
    / · ON_DEMAND_LICENSE · [\s\S]*\n[1-9]\d* pages used; [1-9]\d* uses reported, 0 pending\n$/,
  );
  const second = await runExample("documents.ts");
  expect(second.stdout).toMatch(/; 0 uses reported, 0 pending\n$/);
});

test("fetch-pages.ts buys a page once, and says why there is no other", async () => {
  const { code, stdout, stderr } = await runExample("fetch-pages.ts");
  expect(stderr).toBe("");
  expect(stdout).toMatch(
    /^\S+: (?:bought|stored) at 0\.\d+ USD\n\S+: not_configured, .*\n\S+: stored at .*\n.*\n1 text for the first question, 1 for the second\n$/,
  );
  expect(code).toBe(0);
});

test("new-documents.ts lists what was stored since the last time", async () => {
  const { stdout, stderr } = await runExample("new-documents.ts");
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^0\.\d+ USD {2}[\s\S]+\n[1-9]\d* documents since 2026-01-01\n$/);
});

test("licet-loader.ts fills a store with what is new, once", async () => {
  const first = await runExample("licet-loader.ts");
  expect(first.stderr).toBe("");
  expect(first.stdout).toMatch(/^[1-9]\d* documents are new in the store\n$/);
  expect((await runExample("licet-loader.ts")).stdout).toBe("0 documents are new in the store\n");
});

test("to-object-store.ts puts each new document under its key, signed", async () => {
  const puts: { path: string; signature: string | undefined; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
    }
    const { method, url, headers } = request;
    puts.push({ path: `${method} ${url?.split("?")[0]}`, signature: headers.authorization, body: chunks.join("") });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const own = {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "secret",
  };
  const { stdout, stderr } = await runExample("to-object-store.ts", own);
  const again = await runExample("to-object-store.ts", own);
  await new Promise((resolve) => server.close(resolve));
  expect(stderr).toBe("");
  expect(stdout).toBe(`${puts.length} documents are new in the bucket\n`);
  expect(puts.length).toBeGreaterThan(0);
  for (const { path, signature, body } of puts) {
    const { host, purchaseId, url, contentHash } = JSON.parse(body) as Record<string, unknown>;
    expect(path).toBe(`PUT /documents/${host}/${purchaseId}.json`);
    expect({ url, contentHash }).toEqual({ url: expect.stringContaining("https://"), contentHash: expect.any(String) });
    expect(signature).toMatch(/^AWS4-HMAC-SHA256 Credential=id\//);
  }
  expect(again.stdout).toBe("0 documents are new in the bucket\n");
});

test("runs.ts lists the runs, and what the newest one cost", async () => {
  const { code, stdout, stderr } = await runExample("runs.ts");
  expect(stderr).toBe("");
  expect(stdout).toMatch(
    /^run_\w+: completed, \d+ pages\nrun_\w+: max_pages, 5 pages\n2 of 2 runs\ndemo\.example cost [\d.]+ USD\n0 pages in doubt\n$/,
  );
  expect(code).toBe(0);
});

test("statement.ts prints the month that ended last", async () => {
  const { code, stdout, stderr } = await runExample("statement.ts");
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^\d{4}-\d{2}\n$/);
  expect(code).toBe(0);
});

test("gateway-client.ts shows the offers, and an error with its code", async () => {
  const { code, stdout } = await runExample("gateway-client.ts");
  expect(stdout).toMatch(/^https:\/\/demo\.example\/[\s\S]* USD {2}ON_DEMAND[\s\S]*GATEWAY_NOT_FOUND: /);
  expect(code).toBe(0);
});

test("buy-page.ts buys a page with what the rates say, and reports it", async () => {
  const { code, stdout, stderr } = await runExample("buy-page.ts");
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^.+: \d+ characters for 0\.\d+ USD\nreported: accepted\n$/);
  expect(code).toBe(0);
});

test("list.ts buys the pages that it names, and none that is stored", async () => {
  const { code, stdout, stderr } = await runExample("list.ts");
  expect(stderr).toBe("");
  expect(stdout).toBe("completed: 0 of 2 pages\n");
  expect(code).toBe(0);
});
