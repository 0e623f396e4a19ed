import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

/** Imports that run when the file is loaded. Types are erased, and `import()` runs later. */
const STATIC_IMPORT = /^(?:import|export) (?!type )[^;]*?from "([^"]+)"|^import "([^"]+)"/gm;
const SERVICE_PACKAGES = ["fastify", "prom-client"];

/** The files and packages that loading a file loads. */
function loadedBy(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) {
    return seen;
  }
  seen.add(file);
  for (const [, from, alone] of readFileSync(file, "utf8").matchAll(STATIC_IMPORT)) {
    const name = from ?? alone ?? "";
    if (name.startsWith(".")) {
      loadedBy(join(dirname(file), name), seen);
    } else {
      seen.add(name);
    }
  }
  return seen;
}

const commands = readdirSync("src/cli/commands").map((name) => `src/cli/commands/${name}`);

it.each(["src/index.ts", "src/cli/licet.ts", ...commands])("%s loads nothing of the service", (file) => {
  const loaded = [...loadedBy(file)];
  expect(loaded.length).toBeGreaterThan(1);
  expect(loaded.filter((name) => SERVICE_PACKAGES.includes(name) || name === "src/serve/service.ts")).toEqual([]);
});

it("the service itself loads them, so that this test sees what it looks for", () => {
  expect([...loadedBy("src/serve/service.ts")]).toEqual(expect.arrayContaining(SERVICE_PACKAGES));
});
