/**
 * The Containerfile, played without a container: its copies are made in two directories, its build runs in the first one, and its command in the second,
 * which has nothing but what the image has. By day, what the suite has built already stands for its build.
 */
import { execFileSync } from "node:child_process";
import { cp, mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cliConfig, createDirectory, startCli, writeConfig } from "../doubles/cli-process.ts";
import { PLAYS_ALL } from "../doubles/whole-suite.ts";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
const PACKAGES = "node_modules";
/** They would load the packages anew. A link to those of the clone stands in their place. */
const INSTALLS = /^npm (?:ci|prune) /;

let directory: Awaited<ReturnType<typeof createDirectory>>;
let image: string;
beforeAll(async () => {
  directory = await createDirectory();
  const build = join(directory.path, "build");
  image = join(directory.path, "image");
  await Promise.all([mkdir(build), mkdir(image)]);
  await symlink(join(REPOSITORY, PACKAGES), join(build, PACKAGES));
  for (const line of (await readFile(join(REPOSITORY, "config/deploy/Containerfile"), "utf8")).split("\n")) {
    const [instruction, ...words] = line.split(" ");
    if (instruction === "COPY" && words[0] === "--from=build") {
      const name = basename(words[1] ?? "");
      await cp(join(build, name), join(image, name), { recursive: true });
    } else if (instruction === "COPY") {
      for (const name of words.slice(0, -1)) {
        await cp(join(REPOSITORY, name), join(build, name), { recursive: true });
      }
    } else if (instruction === "RUN" && line.includes("npm ")) {
      const commands = words.join(" ").split(" && ");
      for (const command of commands.filter((one) => !INSTALLS.test(one))) {
        if (command === "npm run build" && !PLAYS_ALL) {
          await cp(join(REPOSITORY, "lib"), join(build, "lib"), { recursive: true });
        } else {
          execFileSync("sh", ["-c", command], { cwd: build, stdio: ["ignore", "ignore", "inherit"] });
        }
      }
    }
  }
});
afterAll(() => directory.remove());

test("has no source, and all that the service shows", async () => {
  expect(await readdir(image)).toEqual(["bin", "config", "lib", "migrations", PACKAGES, "package.json", "web"]);
  const token = "t".repeat(40);
  const serve = { port: 0, token };
  await writeConfig(directory.path, cliConfig("http://127.0.0.1:9", { serve }));
  const service = startCli(["serve"], { cwd: directory.path, main: join(image, "bin/licet.js") });
  try {
    const line = await service.waitFor(/the service listens on http:\S+\d/);
    const url = line.split(" ").at(-1) ?? "";
    const page = await fetch(url, { headers: { authorization: `Bearer ${token}`, accept: "text/html" } });
    expect(page.status).toBe(200);
    const shown = [...(await page.text()).matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(shown).toHaveLength(3);
    for (const path of shown) {
      expect((await fetch(url + path)).status, path).toBe(200);
    }
    service.child.kill("SIGTERM");
    expect(await service.result).toMatchObject({ code: 0 });
  } finally {
    service.child.kill("SIGKILL");
  }
});
