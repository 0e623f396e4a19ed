import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cliHere } from "../doubles/cli-here.ts";
import { honestRate } from "./hostile-gateway.ts";
import { anyJson, NASTY_NUMBERS, nastyText, rawNumber, SEED, toRawJson } from "./hostile-values.ts";
import { API_KEY, createHostileWorld, type HostileWorld, pageUrls } from "./hostile-world.ts";
import { isPlainError } from "./plain-error.ts";

const [PAGE = ""] = pageUrls(1);
/** Nothing was used before. */
const FIRST_INSTANT = Date.UTC(1971, 0, 1);
const ENV = { LICET_API_KEY: API_KEY };

interface UseJson {
  readonly recorded: number;
  readonly repeated: number;
  readonly refusedCount: number;
  readonly badLineCount: number;
  readonly refused: readonly { readonly reason: string }[];
  readonly badLines: readonly { readonly line: number; readonly reason: string }[];
}

let world: HostileWorld;
let file: string;
beforeEach(async () => {
  world = await createHostileWorld({ pages: [PAGE] });
  file = join(world.directory, "uses.jsonl");
  await world.run();
});
afterEach(() => world.close());

/** Uses recorded by hand, past licet's own code. */
const recordedUses = () =>
  world.query<{ times: number; usedAt: number }>(
    "SELECT times, used_at AS usedAt FROM use WHERE kind = 'use' ORDER BY id",
  );

async function use(
  lines: string | Uint8Array,
  ...options: string[]
): Promise<{ readonly code: number; readonly value: UseJson }> {
  await writeFile(file, lines);
  const { code, stdout } = await cliHere(["use", "--from", "uses.jsonl", "--json", ...options], {
    cwd: world.directory,
    env: ENV,
  });
  return { code, value: JSON.parse(stdout) as UseJson };
}

const good = (rest: object = {}) => toRawJson({ url: PAGE, ...rest });

/** Lines that are not uses that can be recorded, each with words of its reason. */
const BAD: readonly (readonly [name: string, line: string, reason: RegExp])[] = [
  ["a billion and one times", good({ times: 1_000_000_001 }), /1 to 1000000000/],
  ["as often as can be counted", good({ times: Number.MAX_SAFE_INTEGER }), /1 to 1000000000/],
  ["no times", good({ times: 0 }), /times/],
  ["fewer than none", good({ times: -1 }), /times/],
  ...NASTY_NUMBERS.filter((digits) => digits !== "-0").map(
    (digits) => [`${digits} times`, good({ times: rawNumber(digits) }), /times/] as const,
  ),
  ["a text of times", good({ times: "2" }), /times/],
  ["an instant that no date can name", good({ usedAt: 8_640_000_000_000_001 }), /usedAt/],
  ["the last instant that can be counted", good({ usedAt: -Number.MAX_SAFE_INTEGER }), /usedAt/],
  ["the last instant that a date can name", good({ usedAt: 8_640_000_000_000_000 }), /dates are of the years/],
  ["an instant of next century", good({ usedAt: Date.UTC(2150, 0) }), /in the future/],
  ["seconds for milliseconds", good({ usedAt: 1e9 }), /not seconds/],
  ["a date that is none", good({ usedAt: "2026-02-30" }), /usedAt/],
  ["a date of escapes", good({ usedAt: "\u001b[2J" }), /usedAt/],
  ["a page that is not stored", toRawJson({ url: "https://evil.example/" }), /not stored/],
  ["a script", toRawJson({ url: "javascript:alert(1)" }), /not the URL/],
  ["a URL of NUL", toRawJson({ url: "https://news.example/\u0000" }), /not the URL/],
  ["half a character", toRawJson({ url: "https://news.example/\ud800" }), /not the URL/],
  ["an unknown key", good({ tiems: 2 }), /tiems/],
  ["a prototype", `{"url": ${JSON.stringify(PAGE)}, "__proto__": {"times": 2}}`, /__proto__/],
  ["a list", "[]", /object/],
  ["null", "null", /object/],
  ["brackets without end", "[".repeat(60_000), /JSON/],
  ["JSON cut short", '{"url": "https:', /JSON/],
  ["NUL", "\u0000", /JSON/],
  ["a mark in the middle", `\ufeff${good()}`, /JSON/],
  ["more than a line may be", good({ key: "k".repeat(70_000) }), /longer/],
];

describe("a bad line affects only itself", () => {
  test("each kind, between good ones, is reported with its number and its reason", async () => {
    const lines = BAD.flatMap(([, line], index) => [good({ key: `before-${index}` }), line]);
    const { code, value } = await use(`\ufeff${lines.join("\r\n")}\r\n\r\n${good({ key: "last" })}`);
    expect(code).toBe(4);
    expect(value).toMatchObject({ recorded: BAD.length + 1, repeated: 0 });
    expect(value.refusedCount + value.badLineCount).toBe(BAD.length);
    const reasons = [...value.refused, ...value.badLines].map(({ reason }) => reason);
    for (const [name, , reason] of BAD) {
      expect([name, reasons.some((said) => reason.test(said))]).toEqual([name, true]);
    }
    expect(value.badLines.every(({ line }) => line % 2 === 0)).toBe(true);
    expect(recordedUses()).toHaveLength(BAD.length + 1);
    expect(await world.audit()).toEqual([]);
  });

  test("whatever the line contains", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).filter((byte) => byte !== 0x0a)),
            anyJson.map((value) => Buffer.from(toRawJson(value).replaceAll("\n", " "))),
            fc
              .record({ url: nastyText, times: anyJson, usedAt: anyJson, key: nastyText }, { requiredKeys: [] })
              .map((value) => Buffer.from(JSON.stringify(value))),
          ),
          { maxLength: 30 },
        ),
        async (lines) => {
          const before = recordedUses().length;
          const { code, value } = await use(
            Buffer.concat(lines.flatMap((line) => [line, Buffer.from("\n"), Buffer.from(good()), Buffer.from("\n")])),
          );
          expect(code === 0 || code === 4).toBe(true);
          expect(value).toMatchObject({ recorded: lines.length, repeated: 0 });
          expect(recordedUses().length - before).toBe(lines.length);
        },
      ),
      { ...SEED, numRuns: 30 },
    ));
});

test("times and instants at their limits are recorded unchanged", async () => {
  // A billion uses pass the budget: they are refused until it is said that they have happened.
  const most = good({ times: 1_000_000_000 });
  const refused = await use(most);
  expect([refused.code, refused.value.recorded]).toEqual([4, 0]);
  expect(refused.value.refused).toMatchObject([{ reason: expect.stringContaining("exceeds a budget") }]);
  expect(recordedUses()).toEqual([]);

  const instants = [FIRST_INSTANT, FIRST_INSTANT + 1, 1e12, Date.now() - 1, Date.now()];
  const { code, value } = await use([...instants.map((usedAt) => good({ usedAt })), most].join("\n"), "--over-budget");
  expect([code, value.recorded, value.refusedCount]).toEqual([3, instants.length + 1, 0]);
  expect(
    recordedUses()
      .map(({ usedAt }) => usedAt)
      .slice(0, -1),
  ).toEqual(instants);
  expect(recordedUses().at(-1)?.times).toBe(1_000_000_000);
  expect(await world.report()).toMatchObject({ stopped: null, pending: 0 });
  expect(await world.audit()).toEqual([]);
});

test("uses that cost more than can be counted are refused, and the others are recorded, reported and settled", async () => {
  // At ten units a page, a billion uses are more than a budget, a balance or a receipt can hold.
  const dear = await createHostileWorld({ pages: [PAGE], config: { reporting: { billed: ["use"] } } });
  try {
    dear.gateway.twists.rates = (_, { json }) =>
      (json as { urls: string[] }).urls.map((url) => ({ url, rates: [honestRate(9_000_000)] }));
    await dear.run();
    const outcome = await dear.use(
      [{ url: PAGE, times: 1_000_000_000 }, { url: PAGE, times: 1_000_000_000 }, { url: PAGE }],
      { overBudget: true },
    );
    expect(outcome).toMatchObject({ recorded: 2, refused: [{ reason: expect.stringContaining("counted exactly") }] });
    // A receipt for far more than that would fill the balance: it is not plausible.
    dear.gateway.twists.report = (honest) =>
      (honest as object[]).map((receipt) => ({
        ...receipt,
        perUnitPriceMicros: 9_000_000,
        totalUsePriceMicros: Number.MAX_SAFE_INTEGER,
      }));
    expect(await dear.report()).toMatchObject({ stopped: null, pending: 0 });
    const [balance] = dear.query(
      "SELECT reserved_micros AS reserved, settled_micros AS settled FROM balance WHERE scope = 'all' AND period = 'total'",
    );
    expect(balance).toEqual({ reserved: 0, settled: 9_000_000 * 1_000_000_002 });
    expect((await dear.audit()).filter((violation) => !/^[15]: /.test(violation))).toEqual([]);
  } finally {
    await dear.close();
  }
});

test("uses that are not billed, of a page whose price makes their sum too large to count, are reported too", async () => {
  const dear = await createHostileWorld({ pages: [PAGE], config: { reporting: { billed: [] } } });
  try {
    dear.gateway.twists.rates = (_, { json }) =>
      (json as { urls: string[] }).urls.map((url) => ({ url, rates: [honestRate(9_000_000)] }));
    await dear.run();
    const billion = { url: PAGE, times: 1_000_000_000 };
    expect(await dear.use([billion, billion, billion])).toMatchObject({ recorded: 3 });
    expect(await dear.report()).toMatchObject({ stopped: null, pending: 0 });
    const reported = [...dear.gateway.reports.values()].flatMap(
      ([body = ""]) => (JSON.parse(body) as { usage: { timesUsed: number }[] }).usage,
    );
    expect(reported.reduce((sum, { timesUsed }) => sum + timesUsed, 0)).toBe(3_000_000_001);
    expect((await dear.audit()).filter((violation) => !violation.startsWith("5: "))).toEqual([]);
  } finally {
    await dear.close();
  }
});

describe("a file that is not a file of uses is one clear error", () => {
  test.each([
    ["a directory", "."],
    ["nothing", "none.jsonl"],
    ["a name with an escape", "a\u001b[31m.jsonl"],
  ])("%s", async (_, from) => {
    const end = await cliHere(["use", "--from", from], { cwd: world.directory, env: ENV });
    expect(end.code).toBe(2);
    expect(isPlainError(end)).toBe(true);
    expect(end.stderr).not.toContain("\u001b");
  });
});
