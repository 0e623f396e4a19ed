import { expect, onTestFinished, test } from "vitest";
import { startSandbox } from "../../../src/sandbox/sandbox.ts";
import { cliConfig, createDirectory, writeConfig } from "../../doubles/cli-process.ts";
import { newsSite, ONE_PRICE } from "../../doubles/cli-world.ts";
import { runLocalCli } from "../../doubles/local-cli.ts";

test("a site that the gateway does not know is named, and the others go on: exit code 4", async () => {
  const directory = await createDirectory();
  onTestFinished(directory.remove);
  const sandbox = await startSandbox({ port: 0, sites: [newsSite(2)], rates: ONE_PRICE });
  onTestFinished(sandbox.close);
  const sites = ["news.example", "typo.example"].map((host) => ({ host, policy: "standard" }));
  await writeConfig(directory.path, cliConfig(sandbox.url, { sites }));
  const { code, stdout } = await runLocalCli(["run"], { cwd: directory.path });
  expect(code).toBe(4);
  expect(stdout).toMatch(/news\.example +2 .* 2 +0 +0\n/);
  expect(stdout).toContain(
    "typo.example was stopped (walk_failed): the gateway does not know the site typo.example: the gateway answered 404",
  );
});
