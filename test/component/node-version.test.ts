import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { findNodeProblem, OLDEST_NODE } from "../../src/node-version.ts";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

describe("a Node", () => {
  it.each(["22.19.0", "22.19.1", "22.23.3", "24.0.0", "26.10.0", "100.0.0", "23.0.0"])(
    "%s is new enough",
    (version) => {
      expect(findNodeProblem(version)).toBeNull();
    },
  );

  it.each(["22.18.9", "22.9.0", "20.20.2", "18.0.0", "4.9.1"])(
    "%s is too old, and both versions are named",
    (version) => {
      expect(findNodeProblem(version)).toContain(`needs Node ${OLDEST_NODE} or newer, and this is Node ${version}`);
    },
  );
});

test("the oldest Node is the one that package.json names, and the pinned one is not older", () => {
  expect(`>=${OLDEST_NODE}`).toMatch(new RegExp(`^${manifest.engines.node}(\\.0)?$`));
  expect(findNodeProblem(manifest.devDependencies.node)).toBeNull();
  expect(manifest.devEngines.runtime.version).toBe(manifest.devDependencies.node);
});

describe("on a Node that is too old", () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "licet-old-node-"));
    await writeFile(
      join(directory, "pretend.cjs"),
      'Object.defineProperty(process.versions, "node", { value: "20.20.2" });',
    );
  });
  afterEach(() => rm(directory, { recursive: true }));

  function run(file: string): Promise<{ code: number; stdout: string; stderr: string }> {
    return new Promise((resolve) => {
      execFile(process.execPath, ["--require", join(directory, "pretend.cjs"), file], (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
      );
    });
  }

  test("the command says so in one sentence, and loads nothing else of licet", async () => {
    // The rest of the package is not there: whatever else were loaded would fail.
    await cp(join(REPOSITORY, "dist/src/cli/licet.js"), join(directory, "src/cli/licet.js"));
    await cp(join(REPOSITORY, "dist/src/node-version.js"), join(directory, "src/node-version.js"));
    await writeFile(join(directory, "package.json"), '{ "type": "module" }');
    expect(await run(join(directory, "src/cli/licet.js"))).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^licet needs Node 22\.19\.0 or newer, and this is Node 20\.20\.2: .+\n$/),
    });
  });

  test("importing the library fails with the same sentence", async () => {
    const { code, stderr } = await run(join(REPOSITORY, "dist/src/index.js"));
    expect(code).toBe(1);
    expect(stderr).toContain("licet needs Node 22.19.0 or newer, and this is Node 20.20.2");
  });
});
