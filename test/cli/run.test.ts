import { existsSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import type { SandboxOptions } from "../../src/sandbox/options.ts";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE, PRICE_MICROS } from "../doubles/cli-world.ts";

let world: CliWorld;
afterEach(() => world.close());

async function open(pages: number, sandbox: Partial<SandboxOptions> = {}, own: Record<string, unknown> = {}) {
  world = await createCliWorld({ sites: [newsSite(pages)], rates: ONE_PRICE, ...sandbox }, own);
  return world;
}

const spent = () => world.sandbox.audit().tokens.spent;

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe("a run", () => {
  test("that completes exits with 0 and prints one JSON document", async () => {
    const { json, sandbox } = await open(30);
    const { code, value } = await json("run");
    expect(code).toBe(0);
    expect(value).toMatchObject({
      runId: expect.stringMatching(/^run_/),
      state: "completed",
      sites: [{ host: "news.example", bought: 30 }],
      pages: {
        seen: 30,
        unchanged: 0,
        excluded: 0,
        quoted: 30,
        approved: 30,
        denied: 0,
        bought: 30,
        failed: 0,
        inDoubt: 0,
      },
      denials: {},
      spend: { USD: { settledMicros: 30 * PRICE_MICROS, inDoubtMicros: 0, reservedMicros: 0 } },
      usage: { recorded: 30, reported: 30, pending: 0 },
      durationMs: expect.any(Number),
    });
    expect(sandbox.audit().totals.USD).toMatchObject({ chargeCount: 30, chargedMicros: 30 * PRICE_MICROS });
  });

  test("prints a summary for people", async () => {
    const { cli } = await open(5);
    const { code, stdout } = await cli("run");
    expect(code).toBe(0);
    expect(stdout).toMatch(/is complete[\s\S]*news\.example +5 [\s\S]*Spend: 0\.05 USD spent/);
  });

  test("that reaches --max-spend exits with 3 and spends no more", async () => {
    const { json, sandbox } = await open(30);
    const { code, value } = await json("run", "--max-spend", "0.1 USD");
    expect(value).toMatchObject({ state: "max_spend" });
    expect(code).toBe(3);
    expect(sandbox.audit().totals.USD?.chargedMicros).toBe(100_000);
  });

  test("whose budget is exhausted exits with 3", async () => {
    const { json } = await open(30, {}, { budgets: [{ scope: "run", limit: "0.07 USD" }] });
    const { code, value } = await json("run");
    expect(value).toMatchObject({ state: "budget_exhausted", pages: { bought: 7 } });
    expect(code).toBe(3);
  });

  test("that reaches --max-pages exits with 0", async () => {
    const { json } = await open(30);
    const { code, value } = await json("run", "--max-pages", "4");
    expect(value).toMatchObject({ state: "max_pages", pages: { bought: 4 } });
    expect(code).toBe(0);
  });

  test("with money in doubt exits with 4, also with an exhausted budget; status lists the purchase and resolve ends it", async () => {
    const { json, cli } = await open(
      12,
      { faults: { "content:reset-after-charge": 1 } },
      { budgets: [{ scope: "run", limit: "0.03 USD" }] },
    );
    const { code, value } = await json("run");
    expect(value).toMatchObject({ pages: { inDoubt: 3 }, state: "budget_exhausted" });
    expect(code).toBe(4);

    const status = (await json("status")).value as { inDoubt: { purchaseId: number }[] };
    expect(status.inDoubt).toHaveLength(3);
    const [first, second] = status.inDoubt.map(({ purchaseId }) => String(purchaseId));
    expect((await cli("status")).stdout).toMatch(/In doubt[\s\S]*token_spent/);
    expect(await json("resolve", first ?? "", "--charged")).toMatchObject({
      code: 0,
      value: { state: "settled", spentMicros: PRICE_MICROS, currency: "USD" },
    });
    expect(await cli("resolve", second ?? "", "--not-charged")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("is released"),
    });
    expect(await json("resolve", first ?? "", "--charged")).toMatchObject({
      code: 1,
      value: { error: { code: "PURCHASE_NOT_IN_DOUBT" } },
    });
    expect(await json("resolve", "4711", "--charged")).toMatchObject({
      code: 1,
      value: { error: { code: "PURCHASE_NOT_FOUND" } },
    });
    expect(await json("audit")).toMatchObject({ code: 0, value: { ok: true } });
  });

  test("for a site that is not configured is bad usage", async () => {
    const { json } = await open(1);
    expect(await json("run", "other.example")).toMatchObject({
      code: 2,
      value: { error: { code: "USAGE_INVALID", hint: expect.stringContaining("news.example") } },
    });
  });

  test("without a run to resume says so", async () => {
    const { json, ledgerFile } = await open(1);
    expect(await json("run", "--resume")).toMatchObject({ code: 1, value: { error: { code: "LEDGER_MISSING" } } });
    expect(existsSync(ledgerFile)).toBe(false);

    const { code, value } = await json("run");
    expect({ code, value }).toMatchObject({ code: 0, value: { state: "completed" } });
    expect(await json("run", "--resume")).toMatchObject({
      code: 1,
      value: {
        error: {
          code: "RUN_NOT_FOUND",
          message: "there is no unfinished run to resume",
          hint: expect.stringContaining("licet run"),
        },
      },
    });
    const { runId } = value as { runId: string };
    expect(await json("run", "--resume", runId)).toMatchObject({
      code: 1,
      value: { error: { code: "RUN_NOT_FOUND", message: `run ${runId} is over: completed` } },
    });
    expect(spent()).toBe(1);
  });
});

describe("Ctrl-C", () => {
  test.each(["SIGINT", "SIGTERM"] as const)(
    "once (%s): finishes started work, exits with 130, and the run can be resumed",
    async (signal) => {
      await open(60, { latencyMs: 30 }, { gateway: { concurrency: 2 } });
      const running = world.start("run");
      await until(() => spent() >= 3);
      running.child.kill(signal);
      const { code, stdout, stderr } = await running.result;
      expect(code).toBe(130);
      expect(stdout).toContain("was interrupted");
      expect(stderr).toContain("Ctrl-C again stops at once");
      const [, runId = ""] = /licet run --resume (run_\w+)/.exec(stderr) ?? [];
      expect(spent()).toBeLessThan(60);

      const resumed = await world.json("run", "--resume", runId);
      expect(resumed).toMatchObject({
        code: 0,
        value: { runId, state: "completed", pages: { bought: 60, inDoubt: 0 } },
      });
      expect(world.sandbox.audit().charges).toHaveLength(60);
    },
  );

  test("twice: exits at once with 130 and says how to resume, and nothing is paid twice", async () => {
    await open(8, { latencyMs: 0 });
    const running = world.start("run");
    await until(() => spent() >= 1 || world.sandbox.audit().tokens.issued >= 1);
    // Now no answer comes, so a gentle stop would have to wait.
    world.sandbox.setLatency(600_000);
    running.child.kill("SIGINT");
    await running.waitFor(/Ctrl-C again stops at once/);
    running.child.kill("SIGINT");
    const { code, stderr, stdout } = await running.result;
    expect(code).toBe(130);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/licet run --resume run_\w+/);

    world.sandbox.setLatency(0);
    const resumed = await world.json("run", "--resume");
    const { pages } = resumed.value as { pages: { bought: number; inDoubt: number } };
    expect(pages.bought + pages.inDoubt).toBe(8);
    expect(world.sandbox.audit().charges).toHaveLength(8);
    expect(await world.json("audit")).toMatchObject({ code: 0 });
  });
});
