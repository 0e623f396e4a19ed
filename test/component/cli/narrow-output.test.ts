/** What `status` and `runs` print for people, at 60 and at 120 columns: `-u` writes the golden files, whose diff is to be read. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { widthOf } from "../../../src/cli/output/text-table.ts";
import { createOutputWorld, IDN_HOST, ON_DEMAND, type OutputWorld, RUNS } from "./output-world.ts";

let world: OutputWorld;
beforeAll(async () => {
  world = await createOutputWorld();
});
afterAll(() => world.close());

const GOLDEN = "../../golden/cli";
const COMMANDS: readonly (readonly [name: string, args: readonly string[]])[] = [
  ["status", ["status"]],
  ["status-run", ["status", RUNS.dear]],
  ["runs", ["runs"]],
  ["runs-doubtful", ["runs", RUNS.doubtful, "--limit", "2"]],
  ["runs-dear", ["runs", RUNS.dear]],
  ["runs-denied", ["runs", RUNS.denied]],
];
const PLAIN = { NO_COLOR: "1" };

describe.each([60, 120])("at %i columns", (columns) => {
  it.each(COMMANDS)("%s is readable", async (name, args) => {
    const { code, stdout, stderr } = await world.licet(args, columns, PLAIN);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    // The day is that of the test.
    const printed = stdout.replace(/^Today, [\d-]{10}/, "Today, 2026-11-20");
    await expect(printed).toMatchFileSnapshot(`${GOLDEN}/${name}/${columns}.txt`);
    // Only a single word, such as an address, may be longer than the line.
    const lines = stdout.split("\n");
    const long = lines.filter((line) => widthOf(line) > columns && line.trim().includes(" "));
    expect(long).toEqual([]);
  });

  it("no id, amount or address is cut", async () => {
    const status = (await world.licet(["status", "--all"], columns, PLAIN)).stdout;
    for (const whole of [...Object.values(RUNS), "24,691.84 USD", `bücher.example (${IDN_HOST})`]) {
      expect(status.replace(/\s+/g, " ")).toContain(whole);
    }
    expect(status).toContain(`https://${IDN_HOST}/doubt-12`);
  });
});

describe("status", () => {
  it("lists the first ten of a kind, and names the command that lists all", async () => {
    const few = (await world.licet(["status", "--config", "licet.config.json"], 120, PLAIN)).stdout;
    expect(few).toContain("  and 2 more: licet status --all --config licet.config.json\n");
    expect(few).not.toContain("/doubt-11");
    expect((await world.licet(["status", "--all"], 120, PLAIN)).stdout).toContain("/doubt-12");
  });

  it("gives everything to programs, with the warning of the budget that is nearly used up", async () => {
    const { stdout } = await world.licet(["status", "--json"], 60);
    const report = JSON.parse(stdout);
    expect(report.inDoubt).toHaveLength(12);
    expect(report.totals).toEqual({ runs: 5, inDoubt: 12, openItems: 0 });
    expect(report.budgetWarnings).toEqual([
      { label: "all (USD)", countedMicros: 24_691_960_000, percent: 82, limitMicros: 30_000_000_000, currency: "USD" },
    ]);
    expect(report.runs[0]).toMatchObject({
      runId: RUNS.dead,
      state: "running",
      trigger: "manual",
      died: { process: "crawler-2:77:b" },
    });
  });
});

describe("runs", () => {
  const list = async (...args: string[]) => {
    const { code, stdout } = await world.licet(["runs", ...args, "--json"], null);
    expect(code).toBe(0);
    return JSON.parse(stdout);
  };

  it("takes only a site, a state, and the newest so many", async () => {
    const idsOf = async (...args: string[]) =>
      (await list(...args)).runs.map(({ runId }: { readonly runId: string }) => runId);
    expect(await idsOf("--state", "died")).toEqual([RUNS.dead, RUNS.left]);
    expect(await idsOf("--state", "failed")).toEqual([RUNS.doubtful]);
    expect(await idsOf("--site", "bücher.example")).toEqual([RUNS.dead, RUNS.left, RUNS.doubtful]);
    expect(await idsOf("--limit", "1")).toEqual([RUNS.dead]);
    const { stdout } = await world.licet(["runs", "--limit", "1", "--state", "died"], 120, PLAIN);
    expect(stdout).toContain("  and 1 more: licet runs --state died --limit 2\n");
    expect((await world.licet(["runs", "--site", "never.example"], 120)).stdout).toBe("No run matches.\n");
  });

  it("of one run takes only a site, a licence, a state, or denied pages, and adds up what each site cost", async () => {
    const dear = await list(RUNS.dear);
    expect(dear.purchases).toHaveLength(2);
    expect(dear.sites).toEqual([
      {
        host: "news.example",
        purchases: { reserved: 0, started: 0, settled: 2, released: 0, in_doubt: 0 },
        spend: {
          USD: { settledMicros: 24_691_340_000, inDoubtMicros: 0, reservedMicros: 0, feeMicros: 500_000 },
        },
      },
    ]);
    expect(dear).toMatchObject({ usesSpend: {}, run: { spend: dear.sites[0].spend }, denied: [] });
    expect(await list(RUNS.dear, "--license", ON_DEMAND.cuid ?? "")).toMatchObject({ purchasesTotal: 2 });
    expect(await list(RUNS.dear, "--license", "OTHER")).toMatchObject({ purchasesTotal: 0, purchases: [] });
    expect(await list(RUNS.dear, "--site", IDN_HOST)).toMatchObject({ purchasesTotal: 0, purchases: [] });
    expect(await list(RUNS.doubtful, "--state", "in_doubt", "--limit", "5")).toMatchObject({
      purchasesTotal: 12,
      purchases: { length: 5 },
    });
    expect(await list(RUNS.denied, "--state", "denied")).toMatchObject({
      purchases: [],
      denials: { no_rule_matched: 1, not_licensable: 1 },
      denied: [{ url: "https://news.example/dear" }, { reason: "not_licensable" }],
      deniedTotal: 2,
    });
  });

  it.each([
    [["--state", "dead"], 2, /Allowed choices are running, .*, died, reserved, .*, denied/],
    [["--state", "settled"], 2, /--state settled is not a state of this list/],
    [[RUNS.dear, "--state", "failed"], 2, /--state failed is not a state of this list/],
    [["--license", "x"], 2, /name the run/],
    [["--limit", "0"], 2, /whole number, 1 or more/],
    [["run_never"], 1, /there is no run run_never/],
  ])("%j is refused", async (args, code, message) => {
    expect(await world.licet(["runs", ...args], 120)).toMatchObject({
      code,
      stdout: "",
      stderr: expect.stringMatching(message),
    });
  });
});

describe("colours", () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: to find them is the point
  const GREEN_OR_RED = /\u001b\[3[12]m/;
  it.each<[name: string, columns: number | null, env: Readonly<Record<string, string>>, isColored: boolean]>([
    ["a terminal", 120, {}, true],
    ["a terminal with NO_COLOR", 120, { NO_COLOR: "1" }, false],
    ["a dumb terminal", 120, { TERM: "dumb" }, false],
    ["a pipe", null, {}, false],
    ["a pipe with FORCE_COLOR", null, { FORCE_COLOR: "1", NO_COLOR: "1" }, true],
    ["a terminal with FORCE_COLOR=0", 120, { FORCE_COLOR: "0" }, false],
  ])("on %s", async (_name, columns, env, isColored) => {
    const { stdout } = await world.licet(["runs"], columns, env);
    expect(GREEN_OR_RED.test(stdout)).toBe(isColored);
    const json = await world.licet(["runs", "--json"], columns, env);
    expect(json.stdout).not.toContain("\u001b");
  });

  it("change no column, and nothing else of a terminal comes from the network", async () => {
    for (const args of [
      ["status", "--all"],
      ["runs", RUNS.doubtful],
    ]) {
      const colored = (await world.licet(args, 120, { FORCE_COLOR: "1" })).stdout;
      const plain = (await world.licet(args, 120, PLAIN)).stdout;
      expect(plain).toContain("401 token spent");
      // biome-ignore lint/suspicious/noControlCharactersInRegex: taking the colours out is the point
      expect(colored.replace(/\u001b\[\d+m/g, "")).toBe(plain);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is the point
      expect(plain).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    }
  });

  it("a pipe has rows of one line, whatever their width, unless COLUMNS is set", async () => {
    const row = new RegExp(`^ +1 .* https://${IDN_HOST}/doubt-1 .*$`.replace("+1", "+3"), "m");
    expect((await world.licet(["status"], null)).stdout).toMatch(row);
    expect((await world.licet(["status"], null, { COLUMNS: "60" })).stdout).not.toMatch(row);
  });
});
