/** licet in an installation where a part is missing: each command says which part, and what to run. */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cliConfig } from "../doubles/cli-process.ts";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
/** No process of licet listens here, and none is asked. */
const NO_GATEWAY = "http://127.0.0.1:9";

let shop: string;
beforeAll(async () => {
  shop = await mkdtemp(join(tmpdir(), "licet-shop-"));
  const installed = join(shop, "node_modules/licet");
  await mkdir(installed, { recursive: true });
  await writeFile(join(shop, "package.json"), "{}");
  await writeFile(join(shop, "licet.config.json"), JSON.stringify(cliConfig(NO_GATEWAY, {})));
  for (const part of ["bin", "lib", "migrations", "package.json"]) {
    await cp(join(REPOSITORY, part), join(installed, part), { recursive: true });
  }
  for (const name of await readdir(join(REPOSITORY, "node_modules"))) {
    if (name !== "better-sqlite3" && !name.startsWith(".")) {
      await symlink(join(REPOSITORY, "node_modules", name), join(shop, "node_modules", name));
    }
  }
});
afterAll(() => rm(shop, { recursive: true }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function licet(...args: string[]): Promise<Ended> {
  const command = [join(shop, "node_modules/licet/bin/licet.js"), ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, command, { cwd: shop }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

test("a package that was not installed is named with its command, and is not called a bug", async () => {
  expect(await licet("audit")).toEqual({
    code: 1,
    stdout: "",
    stderr: `licet: the package better-sqlite3, which licet needs, is not installed\n  hint: Run \`npm install\` in ${shop}.\n`,
  });
});

test("a native part that was not installed is named, and a run leaves no empty ledger behind", async () => {
  const driver = join(shop, "node_modules/better-sqlite3");
  for (const part of ["lib", "package.json"]) {
    await cp(join(REPOSITORY, "node_modules/better-sqlite3", part), join(driver, part), { recursive: true });
  }
  const { code, stdout, stderr } = await licet("run", "--json");
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    error: {
      code: "INSTALL_INCOMPLETE",
      message: expect.stringContaining("the native part of better-sqlite3"),
      hint: expect.stringContaining(driver),
    },
  });
  expect(stderr).not.toContain("bug");
  expect(await readdir(shop)).not.toContain("data");
});

test("a clone that is not compiled says what to run", async () => {
  await rm(join(shop, "node_modules/licet/lib"), { recursive: true });
  expect(await licet("check")).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining("`npm run build`") });
});
