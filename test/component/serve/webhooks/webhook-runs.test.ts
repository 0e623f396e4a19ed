import Database from "better-sqlite3";
import { afterEach, describe, expect, it } from "vitest";
import type { ServiceLog } from "../../../../src/serve/log/service-log.ts";
import type { LiveRun } from "../../../../src/serve/runs/run-manager.ts";
import type { ServicePart } from "../../../../src/serve/service-part.ts";
import { createHintSignal } from "../../../../src/serve/webhooks/hint-signal.ts";
import { createWebhookRuns } from "../../../../src/serve/webhooks/webhook-runs.ts";
import { ONE_PRICE } from "../../../doubles/cli-world.ts";
import { compareAccounts } from "../../../doubles/compare-accounts.ts";
import { createHint } from "../../../doubles/hint-driver.ts";
import { BUDGET, createRunWorld, type RunWorld, stateOf } from "../runs/run-world.ts";

let world: RunWorld;
let part: ServicePart;
const hintSignal = createHintSignal();
const lines: string[] = [];
const write = (message: string) => void lines.push(message);
const log: ServiceLog = { debug: () => {}, info: write, warn: write };

afterEach(async () => {
  await part.stop();
  await world.close();
  lines.length = 0;
});

async function open(site: { readonly maxPages?: number } = {}): Promise<void> {
  world = await createRunWorld({
    sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: 30, bodyBytes: 200 }], rates: ONE_PRICE },
    config: { budgets: [BUDGET], sites: [{ host: "news.example", policy: "standard", exclude: ["/tag/**"], ...site }] },
  });
  const { resources, runs } = world;
  part = createWebhookRuns({ config: resources.config, resources, runs, log, hintSignal });
}

async function receive(...pages: number[]): Promise<void> {
  const ledger = await world.resources.ledger("existing");
  const now = world.resources.clock.now();
  const hints = pages.map((page) => createHint(`/articles/${String(page).padStart(7, "0")}`, { at: now - 1_000 }));
  await ledger.recordHints({ hints, now });
}

/** The next run that begins, with its end. */
function nextRun(): Promise<LiveRun> {
  return new Promise((resolve) => {
    const ignore = world.runs.onStart((run) => {
      ignore();
      resolve(run);
    });
  });
}

describe("webhook runs", () => {
  it("buy at the start what was left waiting, and reopen the run of the day for what comes later", async () => {
    await open();
    await receive(1, 2, 3);
    const first = nextRun();
    await part.start();
    expect(await stateOf(await first)).toBe("completed");
    const second = nextRun();
    await receive(3, 4);
    hintSignal.wake();
    expect(await stateOf(await second)).toBe("completed");
    expect((await second).runId).toBe((await first).runId);
    const report = await (await world.resources.ledger("read")).readRun((await first).runId);
    expect(report).toMatchObject({ pages: { seen: 4, approved: 4, bought: 4 } });
    expect(await (await world.resources.ledger("read")).readHintWork()).toEqual([]);
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
    expect(lines).toEqual([]);
  });

  it("begin for hints that a clock which was ahead put off for longer than any hint waits", async () => {
    await open();
    await receive(1, 2);
    const database = new Database(world.ledgerFile);
    database.prepare("UPDATE hint SET not_before = ?").run(Date.now() + 400 * 86_400_000);
    database.close();
    const first = nextRun();
    await part.start();
    expect(await stateOf(await first)).toBe("completed");
    expect(await (await world.resources.ledger("read")).readHintWork()).toEqual([]);
  });

  it("say once that they could not decide everything, and keep what is left waiting", async () => {
    await open({ maxPages: 2 });
    await receive(1, 2, 3);
    const first = nextRun();
    await part.start();
    await stateOf(await first);
    const [work] = await (await world.resources.ledger("read")).readHintWork();
    expect(work).toMatchObject({ host: "news.example", waiting: 1, entered: 0 });
    await expect.poll(() => lines).toEqual([expect.stringContaining("could not decide everything")]);
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
  });
});
