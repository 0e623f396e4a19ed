import { expect, onTestFinished, test } from "vitest";
import { startSandbox } from "../../../src/sandbox/sandbox.ts";
import { cliConfig, createDirectory, writeConfig } from "../../doubles/cli-process.ts";
import { newsSite, ONE_PRICE } from "../../doubles/cli-world.ts";
import { runLocalCli } from "../../doubles/local-cli.ts";

test("plan and run warn about a glob that matches no page of the catalog, on stderr and in JSON", async () => {
  const directory = await createDirectory();
  onTestFinished(directory.remove);
  const sandbox = await startSandbox({ port: 0, sites: [newsSite(3)], rates: ONE_PRICE });
  onTestFinished(sandbox.close);
  const sites = [{ host: "news.example", policy: "standard", exclude: ["/tag/**"] }];
  await writeConfig(directory.path, cliConfig(sandbox.url, { sites }));
  const warning = "exclude /tag/** of news.example matched none of 3 pages";
  const plan = await runLocalCli(["plan", "--json"], { cwd: directory.path });
  expect(JSON.parse(plan.stdout)).toMatchObject({ warnings: [warning] });
  const run = await runLocalCli(["run"], { cwd: directory.path });
  expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining(warning) });
});
