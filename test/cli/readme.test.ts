/** The Start of the README with the README's configuration, as a reader would type it: real processes, and a real `licet sandbox`. */
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { FullAudit } from "../../src/sandbox/books/audit.ts";
import { createDirectory, runCli, startCli } from "../doubles/cli-process.ts";
import { compareAccounts, compareReports } from "../doubles/compare-accounts.ts";
import { readPurchases } from "../doubles/crawl-world.ts";
import { codeBlocks, read } from "../tidy/repository.ts";

const ADDRESS = "http://127.0.0.1:8402";
const blocks = codeBlocks(read("README.md"));

test("the README's configuration buys from licet sandbox as it stands, and the accounts agree", async () => {
  const directory = await createDirectory();
  const cwd = directory.path;
  const sandbox = startCli(["sandbox", "--port", "0", "--json"], { cwd });
  onTestFinished(async () => {
    sandbox.child.kill("SIGTERM");
    await sandbox.result;
    await directory.remove();
  });
  // The port is the only change: 8402 may be in use on the machine of a test.
  const { url, auditUrl } = JSON.parse(await sandbox.waitFor(/^\{[\s\S]*\n\}\n/)) as { url: string; auditUrl: string };
  const configuration = blocks.find(({ language }) => language === "yaml")?.text ?? "";
  expect(configuration).toContain(ADDRESS);
  await runCli(["init"], { cwd });
  await writeFile(join(cwd, "licet.config.yaml"), configuration.replace(ADDRESS, url));

  const steps = blocks.find(({ text }) => text.includes("cp .env.example .env"))?.text ?? "";
  const commands = [...steps.matchAll(/^npx licet (\w+) +#/gm)].map(([, command = ""]) => command);
  expect(commands).toEqual(["sandbox", "check", "plan", "run", "audit"]);
  await copyFile(join(cwd, ".env.example"), join(cwd, ".env"));
  for (const command of commands.slice(1)) {
    expect(await runCli([command], { cwd }), command).toMatchObject({ code: 0 });
  }

  const ledger = join(cwd, "data/licet.sqlite");
  const audit = (await (await fetch(auditUrl)).json()) as FullAudit;
  const account = { audit: () => audit };
  expect(compareAccounts(account, ledger, { extraCharges: new Map() })).toEqual([]);
  expect(compareReports(account, ledger)).toEqual([]);
  expect(readPurchases(ledger).length).toBeGreaterThan(20);
  expect(await readFile(join(cwd, ".gitignore"), "utf8")).toContain(".env");
});
