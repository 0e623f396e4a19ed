import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cliHere } from "../doubles/cli-here.ts";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE } from "../doubles/cli-world.ts";

let world: CliWorld;
let urls: string[];

beforeAll(async () => {
  world = await createCliWorld({ sites: [newsSite(3)], rates: ONE_PRICE });
  await world.cli("run");
  urls = world.sandbox.audit().charges.map(({ url }) => url);
});
afterAll(() => world.close());

const reported = () => world.sandbox.audit().totals.USD?.reportedUses;

test("a use is recorded, and is reported once although report is called several times", async () => {
  const before = reported() ?? 0;
  expect(await world.json("use", urls[0] ?? "", "--times", "3")).toMatchObject({
    code: 0,
    value: { recorded: 1, repeated: 0, refusedCount: 0, reservedMicros: { USD: 30_000 }, overBudget: false },
  });
  expect(await world.json("report")).toMatchObject({ code: 0, value: { reported: 3, pending: 0, stopped: null } });
  expect(reported()).toBe(before + 3);
  expect(await world.cli("report")).toMatchObject({ code: 0, stdout: "Reported 0 uses in 0 batches; 0 pending.\n" });
  expect(reported()).toBe(before + 3);
});

test("a use with a key is recorded once", async () => {
  const args = ["use", urls[0] ?? "", "--key", "k1", "--at", "2026-01-02T03:04:05Z"];
  expect(await world.json(...args)).toMatchObject({ code: 0, value: { recorded: 1, repeated: 0 } });
  expect(await world.json(...args)).toMatchObject({ code: 0, value: { recorded: 0, repeated: 1 } });
});

test("a key that names another use is refused with 4 and a reason", async () => {
  await world.cli("use", urls[0] ?? "", "--key", "k2", "--times", "2");
  expect(await world.json("use", urls[0] ?? "", "--key", "k2", "--times", "2")).toMatchObject({
    code: 0,
    value: { repeated: 1 },
  });
  for (const args of [
    [urls[1] ?? "", "--times", "2"],
    [urls[0] ?? "", "--times", "3"],
    [urls[0] ?? "", "--times", "2", "--at", "2026-01-02T03:04:05Z"],
  ]) {
    expect(await world.json("use", ...args, "--key", "k2")).toMatchObject({
      code: 4,
      value: {
        recorded: 0,
        repeated: 0,
        refused: [{ reason: expect.stringContaining("its key belongs to another use") }],
      },
    });
  }
});

test("a use in the future is refused", async () => {
  expect(await world.json("use", urls[0] ?? "", "--at", new Date(Date.now() + 86_400_000).toISOString())).toMatchObject(
    {
      code: 4,
      value: { recorded: 0, refused: [{ reason: expect.stringContaining("in the future") }] },
    },
  );
});

test("a use after the end of the rights is recorded, and named with their end", async () => {
  await world.configure({ policies: { standard: { rules: [{ allow: {} }], retention: "1ms", onExpiry: "keep" } } });
  const result = await world.json("use", urls[1] ?? "");
  expect(result).toMatchObject({
    code: 0,
    value: { recorded: 1, afterRights: { count: 1, pages: [{ url: urls[1], why: "retention" }] } },
  });
  expect((await world.cli("use", urls[1] ?? "", "--dry-run")).stderr).toMatch(
    /^licet: 1 use would be recorded although the rights to the page had ended[^\n]+\nlicet: \S+: used \S+ \S+ UTC, rights ended \S+ \S+ UTC/,
  );
  await world.configure({});
});

test("a page that is not stored is refused with 4", async () => {
  expect(await world.cli("use", "https://news.example/never")).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("has not stored this page"),
  });
});

describe("a file of uses", () => {
  test("is recorded except for bad lines; bad lines are listed with their numbers, and it exits with 4", async () => {
    const lines = [{ url: urls[0] }, { url: urls[1], times: 0 }, { url: urls[1], times: 2 }].map((line) =>
      JSON.stringify(line),
    );
    await writeFile(join(world.directory, "uses.jsonl"), [...lines, "{", ""].join("\n"));
    const { code, value } = await world.json("use", "--from", "uses.jsonl");
    expect(value).toMatchObject({
      recorded: 2,
      badLineCount: 2,
      badLines: [
        { line: 2, reason: expect.stringContaining("times") },
        { line: 4, reason: "it is not JSON" },
      ],
    });
    expect(code).toBe(4);
    expect((await world.cli("use", "--from", "uses.jsonl")).stderr).toMatch(
      /uses\.jsonl:2: times[\s\S]*uses\.jsonl:4: it is not JSON/,
    );
  });

  test("may come from stdin", async () => {
    const input = Array.from(
      { length: 1_200 },
      (_, index) => `${JSON.stringify({ url: urls[2], key: `line-${index}` })}\n`,
    ).join("");
    const result = await cliHere(["use", "--from", "-", "--json"], { cwd: world.directory, input });
    expect(result.code).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({ recorded: 1_200 });
  });

  test("is bad usage if it does not exist", async () => {
    expect(await world.json("use", "--from", "nope.jsonl")).toMatchObject({
      code: 2,
      value: { error: { code: "INPUT_INVALID" } },
    });
  });
});

test("a wrong key stops reporting with 1 and keeps everything", async () => {
  await world.cli("use", urls[0] ?? "");
  await world.configure({ gateway: { apiKey: "wrong-key" } });
  const { code, value } = await world.json("report");
  expect(code).toBe(1);
  expect(value).toMatchObject({ stopped: expect.any(String) });
  expect((value as { pending: number }).pending).toBeGreaterThan(0);
  await world.configure({});
  expect(await world.json("report")).toMatchObject({ code: 0, value: { pending: 0 } });
});

test("a use that exceeds a budget needs --over-budget, and then exits with 3", async () => {
  const args = ["use", urls[0] ?? "", "--times", "100000"];
  expect(await world.json(...args)).toMatchObject({
    code: 4,
    value: { recorded: 0, refused: [{ reason: expect.stringContaining("--over-budget") }] },
  });
  expect(await world.json(...args, "--over-budget", "--dry-run")).toMatchObject({
    code: 3,
    value: { dryRun: true, recorded: 1, overBudget: true, reservedMicros: { USD: 1_000_000_000 } },
  });
  expect((await world.json("status")).value).toMatchObject({ openItems: [] });
  expect(await world.json(...args, "--over-budget")).toMatchObject({
    code: 3,
    value: { recorded: 1, overBudget: true },
  });
  expect((await world.json("status")).value).toMatchObject({ openItems: [{ kind: "over_budget_use", count: 1 }] });
});
