/** The disk of the ledger is full, or may not grow: the run ends with one clear message, and resumes when there is space. */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, type TestContext, test, vi } from "vitest";
import { ONE_PRICE } from "../doubles/cli-world.ts";
import { CRASH_TIMEOUT_MS, type CrashWorld, createCrashWorld, findImpoliteness } from "./crash-world.ts";

vi.setConfig({ testTimeout: CRASH_TIMEOUT_MS });

const PAGES = 60;
/** Content that fills small disks quickly. */
const BODY_BYTES = 30_000;

type Cleanup = Pick<TestContext, "onTestFinished">;

async function open({ onTestFinished }: Cleanup): Promise<CrashWorld> {
  const world = await createCrashWorld({
    sandbox: {
      sites: [{ kind: "synthetic", host: "news.example", pages: PAGES, bodyBytes: BODY_BYTES }],
      rates: ONE_PRICE,
      latencyMs: 4,
    },
    config: { gateway: { concurrency: 3, quoteBatchSize: 10, catalogPageSize: 20 }, reporting: { batchSize: 7 } },
  });
  onTestFinished(() => world.close());
  return world;
}

/** Whether this process may mount a small disk, as root in most containers may. */
function findMountProblem(): string | null {
  const directory = execFileSync("mktemp", ["-d"], { encoding: "utf8" }).trim();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", directory], { stdio: "ignore" });
    execFileSync("umount", [directory]);
    return null;
  } catch {
    return "no right to mount a tmpfs";
  } finally {
    execFileSync("rmdir", [directory]);
  }
}

const problem = findMountProblem();

// A process without room for its content tries again for some time: these wait together.
describe.skipIf(problem !== null)(`a small disk${problem === null ? "" : ` (skipped: ${problem})`}`, () => {
  test.concurrent("that is full ends a run with one clear message; with more space it resumes to its end", async (context) => {
    const opened = await open(context);
    const data = dirname(opened.ledgerFile);
    mkdirSync(data, { recursive: true });
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1600k", "tmpfs", data]);
    context.onTestFinished(() => void execFileSync("umount", ["-l", data]));
    const result = await opened.crawl();
    expect(findImpoliteness(result)).toEqual([]);
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining("is full") });
    execFileSync("mount", ["-o", "remount,size=64m", data]);
    await opened.settle({ charges: PAGES });
  });
});

test.concurrent("SQLite's own limit on the file ends a run with one clear message; without it, it resumes to its end", async (context) => {
  const opened = await open(context);
  const result = await opened.crawl({ maxLedgerPages: 120 });
  expect(findImpoliteness(result)).toEqual([]);
  expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining("is full") });
  await opened.settle({ charges: PAGES });
});

test.concurrent("a limit of 800 blocks on files ends a run with one clear message; without it, it resumes to its end", async (context) => {
  const opened = await open(context);
  const result = await opened.crawl({}, { shell: "ulimit -f 800" });
  expect(findImpoliteness(result)).toEqual([]);
  expect(result.code, result.stderr).toBe(1);
  expect(result.stderr).toMatch(/^licet: the disk .*\n {2}hint: /m);
  await opened.settle({ charges: PAGES });
});
