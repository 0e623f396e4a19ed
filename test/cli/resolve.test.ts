/** A person's decisions, by number and by invoice, about purchases in doubt that the gateway has charged. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE } from "../doubles/cli-world.ts";

let world: CliWorld;
afterEach(() => world.close());

interface Doubt {
  readonly purchaseId: number;
  readonly runId: string;
  readonly url: string;
}

/** Pages whose answer was lost after the charge. */
async function leaveDoubts(pages: number): Promise<readonly Doubt[]> {
  world = await createCliWorld({ sites: [newsSite(pages)], rates: ONE_PRICE, faults: { "reset-after-charge": 1 } });
  expect((await world.cli("run")).code).toBe(4);
  world.sandbox.setFaults({});
  const { value } = await world.json("status");
  const { inDoubt } = value as { inDoubt: Doubt[] };
  expect(inDoubt).toHaveLength(pages);
  return inDoubt;
}

const inDoubt = async () => ((await world.json("status")).value as { inDoubt: Doubt[] }).inDoubt.length;

describe("resolve", () => {
  test("says that a charged page is bought again, and keeps the page off when it is told to", async () => {
    const [first, second] = await leaveDoubts(2);
    const { code, stdout } = await world.cli("resolve", String(first?.purchaseId), "--charged");
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /is settled at 0\.01 USD[\s\S]*the next run buys this page again, unless .*--keep-off/,
      ),
    });
    expect(await world.json("resolve", String(second?.purchaseId), "--charged", "--keep-off")).toMatchObject({
      code: 0,
      value: { purchaseId: second?.purchaseId, state: "settled", keptOff: true },
    });
    const { value } = await world.json("run");
    expect(value).toMatchObject({ pages: { bought: 1, denied: 1 }, denials: { kept_off: 1 } });
    expect(world.sandbox.audit().charges.filter(({ url }) => url === second?.url)).toHaveLength(1);
    expect(await world.json("audit")).toMatchObject({ code: 0 });
  });

  test("does not call a page failed that a person resolved as not charged", async () => {
    const [first] = await leaveDoubts(1);
    await world.cli("resolve", String(first?.purchaseId), "--not-charged");
    const { stdout } = await world.cli("status", first?.runId ?? "");
    expect(stdout).toContain("Resolved: 1 not charged, as a person said of a doubt");
    expect(stdout).not.toContain("Failed");
  });

  test("resolves all purchases in doubt of a run", async () => {
    const [first] = await leaveDoubts(3);
    expect(await world.json("resolve", "--run", first?.runId ?? "", "--not-charged")).toMatchObject({
      code: 0,
      value: {
        resolved: [{ state: "released" }, { state: "released" }, { state: "released" }],
        unmatched: [],
        inDoubt: 0,
      },
    });
    expect(await world.json("resolve", "--run", "run_nope", "--charged")).toMatchObject({
      code: 1,
      value: { error: { code: "RUN_NOT_FOUND" } },
    });
  });

  test.each([
    [
      "CSV",
      (doubts: readonly Doubt[]) =>
        [
          "date,URL,Amount,Currency",
          `2026-11-21,"${doubts[0]?.url}",0.01,USD`,
          `2026-11-21,${doubts[1]?.url},0.02,USD`,
          "2026-11-21,https://news.example/never,0.01,USD",
        ].join("\n"),
    ],
    [
      "JSON lines",
      (doubts: readonly Doubt[]) =>
        [
          { purchaseId: doubts[0]?.purchaseId },
          { url: doubts[1]?.url, amount: "0.02 USD" },
          { url: "https://news.example/never" },
        ]
          .map((line) => JSON.stringify(line))
          .join("\n"),
    ],
  ])("resolves what an invoice names in %s, says what did not match, and exits with 4", async (_name, write) => {
    const doubts = await leaveDoubts(3);
    await writeFile(join(world.directory, "invoice"), write(doubts));
    const { code, value } = await world.json("resolve", "--from", "invoice", "--charged");
    expect(value).toMatchObject({
      resolved: [{ purchaseId: doubts[0]?.purchaseId, state: "settled" }],
      unmatched: [
        { reason: expect.stringContaining("was quoted at a different amount") },
        { reason: expect.stringContaining("is not in doubt") },
      ],
      inDoubt: 2,
    });
    expect(code).toBe(4);
    expect(await inDoubt()).toBe(2);
    expect((await world.cli("resolve", "--from", "invoice")).stderr).toMatch(/line \d: .* is not in doubt/);
  });

  test("accounts for the settled purchases of a page before those in doubt, and changes nothing when it is applied again", async () => {
    world = await createCliWorld({ sites: [newsSite(1)], rates: ONE_PRICE });
    await world.configure({ sites: [{ host: "news.example", policy: "standard", refresh: { when: "always" } }] });
    expect((await world.cli("run")).code).toBe(0);
    world.sandbox.setFaults({ "reset-after-charge": 1 });
    expect((await world.cli("run")).code).toBe(4);
    world.sandbox.setFaults({});
    const [charge] = world.sandbox.audit().charges;
    await writeFile(join(world.directory, "first.csv"), `url,amount\n${charge?.url},0.01 USD\n`);
    await writeFile(join(world.directory, "both.jsonl"), `{"url":"${charge?.url}"}\n`.repeat(2));
    const apply = async (file: string) => (await world.json("resolve", "--from", file)).value;

    const nothing = { resolved: [], unmatched: [], badLines: [] };
    expect(await apply("first.csv")).toMatchObject({
      ...nothing,
      lines: { settled: 1, inDoubt: 0, unmatched: 0 },
      accounted: [{ line: 2, purchaseId: 1, state: "settled" }],
      inDoubt: 1,
    });
    expect(await apply("both.jsonl")).toMatchObject({
      resolved: [{ purchaseId: 2, state: "settled" }],
      lines: { settled: 1, inDoubt: 1, unmatched: 0 },
      inDoubt: 0,
    });
    expect(await apply("both.jsonl")).toMatchObject({ ...nothing, lines: { settled: 2, inDoubt: 0, unmatched: 0 } });
    expect((await world.cli("resolve", "--from", "both.jsonl")).stdout).toBe(
      "0 purchases resolved; 0 still in doubt.\n0 lines for purchases in doubt, 2 for settled ones; 0 without a match.\n",
    );
    expect(await world.json("audit")).toMatchObject({
      code: 0,
      value: { totals: { spend: { USD: { settledMicros: 20_000 } } } },
    });
  });

  test("says what has the number if the kind is wrong", async () => {
    const [first] = await leaveDoubts(1);
    const id = String(first?.purchaseId);
    expect(await world.json("resolve", id, "--taken")).toMatchObject({
      code: 1,
      value: { error: { code: "REPORT_NOT_FOUND", hint: expect.stringContaining("a purchase in doubt (--charged") } },
    });
    expect(await world.json("resolve", id, "--close")).toMatchObject({
      code: 1,
      value: { error: { code: "OPEN_ITEM_NOT_FOUND" } },
    });
    expect(await inDoubt()).toBe(1);
  });
});
