/** `licet schedule` beside a ledger that has slots of every state, and without any ledger. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import type { ScheduleReport } from "../../../src/agent/reports/schedule-agent.ts";
import { openSqliteLedger } from "../../../src/ledger/sqlite/open.ts";
import { cliHere } from "../../doubles/cli-here.ts";
import { cliConfig, createDirectory, writeConfig } from "../../doubles/cli-process.ts";
import { ISO } from "../../doubles/iso-instant.ts";
import { buyPages } from "../../doubles/ledger-shop.ts";

const NEWS = "site:news.example";
const HOUR_MS = 3_600_000;
/** Long ago, so that no slot is among the next ones. */
const AT = Date.UTC(2024, 2, 1, 12);

let cwd: string;
beforeEach(async () => {
  const directory = await createDirectory();
  onTestFinished(() => directory.remove());
  cwd = directory.path;
  await writeConfig(
    cwd,
    cliConfig("http://127.0.0.1:1", {
      sites: [
        {
          host: "news.example",
          policy: "standard",
          schedule: { cron: "30 2 * * *", timeZone: "Europe/Berlin", misfire: "skip" },
        },
        { host: "manual.example", policy: "standard" },
      ],
      reporting: { every: "90s" },
    }),
  );
});

async function fillLedger(): Promise<void> {
  await mkdir(join(cwd, "data"), { recursive: true });
  const ledger = await openSqliteLedger({ path: join(cwd, "data", "licet.sqlite") });
  await buyPages(ledger, { runId: "run_1", paths: ["/a", "/b"] });
  const slot = (hours: number) => ({ schedule: NEWS, slotAt: AT + hours * HOUR_MS, process: "a.example:1:x" });
  const now = AT;
  await ledger.claimSlot({ ...slot(1), now });
  await ledger.startSlot({ ...slot(1), runId: "run_1" });
  await ledger.endSlot({ ...slot(1), state: "done", detail: null, now });
  await ledger.claimSlot({ ...slot(2), now });
  await ledger.endSlot({ ...slot(2), state: "refused", detail: "run run_9 is at work", now });
  await ledger.missSlots({ ...slot(9), firstAt: slot(3).slotAt, slots: 7, detail: "nobody watched", now });
  await ledger.close();
}

it("lists the next slots, and the last ones with their run, its cost, or why not", async () => {
  await fillLedger();
  const { code, stdout } = await cliHere(["schedule"], { cwd, columns: 120 });
  expect(code).toBe(0);
  expect(stdout).toContain("No service is running: slots come only while `licet serve` runs.");
  expect(stdout).toMatch(/news\.example +30 2 \* \* \* \(Europe\/Berlin\) +20\d\d-\d\d-\d\d \d\d:30:00, /);
  expect(stdout).toMatch(/report +every 1 min 30 s /);
  expect(stdout).not.toContain("manual.example");
  expect(stdout).toContain("skips the slots that come while no service is running");
  expect(stdout).toMatch(/2024-03-01 13:00:00 +done +run_1 +2 +0\.02 USD/);
  expect(stdout).toMatch(/2024-03-01 14:00:00 +refused[^\n]*\n +run run_9 is at work/);
  expect(stdout).toMatch(/2024-03-01 21:00:00 +missed[^\n]*\n +stands for 7 slots, the first at 2024-03-01 15:00:00/);
});

it("has a document for programs, of one site, with as many slots as asked for", async () => {
  await fillLedger();
  const { stdout } = await cliHere(["schedule", "--json", "--site", "news.example", "--limit", "2"], { cwd });
  const { service, schedules } = JSON.parse(stdout) as ScheduleReport;
  expect(service).toBeNull();
  expect(schedules).toMatchObject([
    {
      schedule: NEWS,
      host: "news.example",
      cron: "30 2 * * *",
      timeZone: "Europe/Berlin",
      everyMs: null,
      misfire: "skip",
      next: [expect.stringMatching(ISO), expect.stringMatching(ISO)],
      slots: [
        { state: "missed", slots: 7, run: null },
        { state: "refused", slots: 1, run: null },
      ],
    },
  ]);
});

it("works without a ledger, and creates none", async () => {
  const { code, stdout } = await cliHere(["schedule", "--json"], { cwd });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    service: null,
    schedules: [{ slots: [] }, { schedule: "report", slots: [] }],
  });
  expect((await cliHere(["runs"], { cwd })).stderr).toContain("there is no ledger");
});

it("says that a site is not configured", async () => {
  const { code, stderr } = await cliHere(["schedule", "--site", "other.example"], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain("other.example is not a configured site");
});
