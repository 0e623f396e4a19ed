/** What a run does with the work that earlier runs left, and while another run is alive. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { startCliHere } from "../doubles/cli-here.ts";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE, PRICE_MICROS } from "../doubles/cli-world.ts";

/** Each test starts several processes, on a machine that may do other work too. */
vi.setConfig({ testTimeout: 300_000 });

const PAGES = 40;
/** Small batches, so that a run which is stopped halfway has something reserved. */
const SLOW = { gateway: { concurrency: 2, quoteBatchSize: 10, catalogPageSize: 20 } };

let world: CliWorld;
afterEach(() => world.close());

async function open(own: Record<string, unknown> = {}): Promise<CliWorld> {
  const { gateway, ...rest } = own as { gateway?: object };
  world = await createCliWorld(
    { sites: [newsSite(PAGES)], rates: ONE_PRICE, latencyMs: 15 },
    { gateway: { ...SLOW.gateway, ...gateway }, ...rest },
  );
  return world;
}

const charges = () => world.sandbox.audit().charges.length;

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Starts a run, and kills its process when it has bought a few pages. */
async function runAndKill(): Promise<void> {
  const running = world.start("run");
  await until(() => charges() >= 5);
  running.child.kill("SIGKILL");
  await running.result;
}

/** Starts a run in this process, and interrupts it when it has bought a few pages. */
async function runAndInterrupt(...args: string[]): Promise<void> {
  const running = startCliHere(["run", ...args], { cwd: world.directory });
  await until(() => charges() >= 5);
  running.interrupt("SIGINT");
  await running.over;
}

async function expectMatchingAccounts(): Promise<void> {
  expect(await world.json("audit")).toMatchObject({ code: 0, value: { ok: true } });
}

async function newestRun(): Promise<string> {
  const { value } = await world.json("status");
  return (value as { runs: { runId: string }[] }).runs[0]?.runId ?? "";
}

/** Pages of runs that are not over that were sent: they may still be charged, when they are asked for with their own tokens. */
async function countSent(): Promise<number> {
  const { value } = await world.json("status");
  return (value as { unfinished: { started: number }[] }).unfinished.reduce((sum, { started }) => sum + started, 0);
}

describe("after a killed run", () => {
  test("a plain run takes it over, says so, and buys the rest", async () => {
    const { json } = await open();
    await runAndKill();
    const dead = await newestRun();
    const status = await json("status");
    expect(status.value).toMatchObject({ unfinished: [{ runId: dead, state: "running", isAlive: false }] });
    const { code, value, stderr } = await json("run");
    const { pages, takenOver } = value as { pages: Record<string, number>; takenOver: { inDoubt: number }[] };
    expect(value).toMatchObject({ state: "completed", resumed: false, takenOver: [{ runId: dead }] });
    expect(stderr).toContain(`run ${dead} ended unexpectedly and is taken over`);
    expect(code).toBe((takenOver[0]?.inDoubt ?? 0) > 0 ? 4 : 0);
    expect(pages.failed).toBe(0);
    expect(charges()).toBe(PAGES);
    expect(await json("status", dead)).toMatchObject({ value: { state: "interrupted" } });
    expect((await json("status")).value).toMatchObject({ unfinished: [] });
    await expectMatchingAccounts();
    expect(await json("run", "--resume", dead)).toMatchObject({ code: 1, value: { error: { code: "RUN_NOT_FOUND" } } });
  });

  test("a resume buys nothing that the present policy forbids, and probes what was sent", async () => {
    const { json, configure } = await open();
    await runAndKill();
    const most = charges() + (await countSent());
    await configure({ ...SLOW, policies: { standard: { rules: [{ deny: {} }] } } });
    const { value } = await json("run", "--resume");
    expect(value).toMatchObject({ state: "completed", resumed: true, pages: { failed: 0 } });
    expect(charges()).toBeLessThanOrEqual(most);
    await expectMatchingAccounts();
  });

  test("a resume does not buy from a site that is not configured any more", async () => {
    const { json, configure } = await open();
    await runAndKill();
    const most = charges() + (await countSent());
    await configure({ ...SLOW, sites: [{ host: "other.example", policy: "standard" }] });
    const { value } = await json("run", "--resume");
    expect(value).toMatchObject({ sites: [{ host: "news.example", stop: "not_configured" }] });
    expect(charges()).toBeLessThanOrEqual(most);
    await expectMatchingAccounts();
  });
});

describe("after an interrupted run", () => {
  test("a plain run continues it, and --fresh begins a new one", async () => {
    const { json } = await open();
    await runAndInterrupt("--max-pages", "20");
    const first = await newestRun();
    expect((await json("status")).value).toMatchObject({ unfinished: [{ runId: first, reserved: 0, started: 0 }] });
    expect(await json("run")).toMatchObject({ value: { runId: first, resumed: true, state: "max_pages" } });
    expect(charges()).toBe(20);
    const { code, value } = await json("run", "--fresh");
    expect(code).toBe(0);
    expect(value).toMatchObject({ resumed: false, state: "completed", pages: { bought: PAGES - 20 } });
    await expectMatchingAccounts();
  });

  test("a limit counts what was bought before, and a limit that is already exceeded buys nothing", async () => {
    const { json } = await open();
    await runAndInterrupt();
    const bought = charges();
    const spent = `${((bought - 1) * PRICE_MICROS) / 1_000_000} USD`;
    for (const limit of [
      ["--max-spend", spent],
      ["--max-pages", String(bought - 1)],
    ]) {
      expect(await json("run", "--resume", ...limit)).toMatchObject({ value: { pages: { bought: bought } } });
    }
    expect(charges()).toBe(bought);
    const more = await json("run", "--resume", "--max-spend", "9 USD", "--max-pages", String(bought + 3));
    expect(more).toMatchObject({ value: { state: "max_pages", pages: { bought: bought + 3, failed: 0 } } });
    await expectMatchingAccounts();
  });

  test("--resume and --fresh together are bad usage", async () => {
    const { json } = await open();
    expect(await json("run", "--resume", "--fresh")).toMatchObject({
      code: 2,
      value: { error: { code: "USAGE_INVALID" } },
    });
  });
});

describe("while a run is alive", () => {
  test("another run of its sites says so and does nothing: it is an error, or none with --skip-if-running", async () => {
    const { json } = await open();
    const running = world.start("run", "--json");
    await until(() => charges() >= 3);
    world.sandbox.setLatency(600_000);
    const refused = await json("run");
    expect(refused).toMatchObject({ code: 1, value: { error: { code: "RUN_ALIVE" } } });
    expect(await json("run", "--resume")).toMatchObject({ code: 1, value: { error: { code: "RUN_ALIVE" } } });
    const skipped = await json("run", "--skip-if-running");
    expect(skipped).toMatchObject({ code: 0, value: { skipped: true, state: "running" } });
    running.child.kill("SIGKILL");
    await running.result;
    world.sandbox.setLatency(0);
  });

  test("of two runs that begin at once, one starts", async () => {
    await open();
    const results = await Promise.all([world.cli("run"), world.cli("run", "--skip-if-running")]);
    expect(results.map(({ code }) => code).filter((code) => code === 0).length).toBeGreaterThanOrEqual(1);
    expect(charges()).toBe(PAGES);
    await expectMatchingAccounts();
  });
});

describe("a cancelled run", () => {
  test("has no reservation, is over, and blocks no page, after it was killed", async () => {
    const { json } = await open();
    await runAndKill();
    const dead = await newestRun();
    const { code, value } = await json("cancel", dead);
    expect(value).toMatchObject({ runId: dead, state: "cancelled", spend: { USD: { reservedMicros: 0 } } });
    expect(code).toBe((value as { pages: { inDoubt: number } }).pages.inDoubt > 0 ? 4 : 0);
    await expectMatchingAccounts();
    expect(await json("run", "--resume", dead)).toMatchObject({ code: 1, value: { error: { code: "RUN_NOT_FOUND" } } });
    expect((await json("cancel", dead)).value).toMatchObject({ state: "cancelled" });
    await json("run");
    expect(charges()).toBe(PAGES);
  });

  test("stops gracefully in its process, and is not resumed, while it is alive", async () => {
    const { json } = await open();
    const running = world.start("run", "--json");
    await until(() => charges() >= 5);
    world.sandbox.setLatency(1_500);
    const runId = await newestRun();
    expect(await json("cancel", runId)).toMatchObject({
      code: 0,
      value: { state: "cancelled", pages: { inDoubt: 0 } },
    });
    expect((await running.result).code).toBe(130);
    const bought = charges();
    expect(bought).toBeLessThan(PAGES);
    expect(await json("status", runId)).toMatchObject({ value: { state: "cancelled", pages: { bought: bought } } });
    await expectMatchingAccounts();
  });

  test("is refused if it is complete or unknown", async () => {
    const { json } = await open();
    await json("run");
    for (const runId of [await newestRun(), "run_0"]) {
      expect(await json("cancel", runId)).toMatchObject({ code: 1, value: { error: { code: "RUN_NOT_FOUND" } } });
    }
  });
});
