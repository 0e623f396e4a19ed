/** The thread of a ledger as a whole: how it begins and ends. What it answers is that of the contract (test/contract/ledger-messages.test.ts). */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { openSqliteLedger } from "../../../src/ledger/sqlite/open.ts";
import { PATIENCE } from "../../doubles/patience.ts";
import { standStill } from "../../doubles/stand-still.ts";

const OPEN = pathToFileURL(join(import.meta.dirname, "../../../src/ledger/sqlite/open.ts")).href;

const LEASE = { now: 1_000, leaseMs: 60_000 };

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "licet-thread-"));
  path = join(directory, "licet.sqlite");
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
});

/** A process that opens the ledger in a thread, `worker`, and does this with it. */
function runProcess(body: string) {
  const program = `import threads from "node:worker_threads";
    import { syncBuiltinESMExports } from "node:module";
    let worker;
    threads.Worker = class extends threads.Worker { constructor(...of) { super(...of); worker = this; } };
    syncBuiltinESMExports();
    const { openSqliteLedger } = await import(${JSON.stringify(OPEN)});
    const ledger = await openSqliteLedger({ path: ${JSON.stringify(path)}, inThread: true });
    ${body}`;
  return spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
    timeout: PATIENCE.timeout,
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
  });
}

it("commits the calls in flight when it is closed, and refuses later ones", async () => {
  const ledger = await openSqliteLedger({ path, inThread: true });
  const [leased] = await Promise.all([ledger.leaseFlusher(LEASE), ledger.close()]);
  expect(leased).toEqual({ fence: 1 });
  await expect(ledger.readCopy()).rejects.toMatchObject({ code: "INTERRUPTED", details: { path } });
  await ledger.close();
  const again = await openSqliteLedger({ path, access: "existing" });
  onTestFinished(() => again.close());
  expect(await again.leaseFlusher(LEASE)).toBeNull();
});

it.each([
  ["LEDGER_MISSING", "existing", null],
  ["LEDGER_CORRUPT", "create", "This is a text, and not a database. It is long enough to be taken for one."],
] as const)("gives %s as a ledger in this thread does", async (code, access, text) => {
  if (text !== null) {
    await writeFile(path, text);
  }
  const failures = await Promise.all(
    [true, false].map((inThread) => openSqliteLedger({ path, access, inThread }).catch((error: unknown) => error)),
  );
  const [inThread, inPlace] = failures.map((failure) => JSON.stringify(failure));
  expect(failures[0]).toMatchObject({ name: "LicetError", code });
  expect(inThread).toBe(inPlace);
});

it("says why it cannot be opened although the process stood still while its thread began and ended", async () => {
  const opening = openSqliteLedger({ path, access: "existing", inThread: true }).catch((error: unknown) => error);
  for (let turn = 0; turn < 12; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    standStill(250);
  }
  expect(await opening).toMatchObject({ code: "LEDGER_MISSING" });
});

it("keeps no process alive that waits for nothing, and ends with it without a word", () => {
  const { status, stderr } = runProcess("console.log(await ledger.readCopy());");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

it("keeps a process alive that waits for an answer", () => {
  const { status, stdout } = runProcess("ledger.readCopy().then((copy) => console.log('answered', copy));");
  expect({ status, stdout }).toEqual({ status: 0, stdout: "answered null\n" });
});

it.each([
  [
    "throws, here because it is asked for what the port does not have",
    `worker.postMessage('[[[1,"nothing",[]]],[]]')`,
    "the ledger has no nothing",
  ],
  ["ends by itself", "worker.terminate()", "the ledger's thread ended with 1 before the ledger was closed"],
])("ends the process, with calls unanswered, when the thread %s", (_, crash, message) => {
  const { status, stdout, stderr } = runProcess(
    `${crash}; await ledger.audit({ budgets: [], now: 1 }); console.log("answered");`,
  );
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toContain(message);
});
