/** `licet fetch`: what it prints, and its exit codes. What it buys is tested with `agent.fetch`. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cliHere } from "../../doubles/cli-here.ts";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE } from "../../doubles/cli-world.ts";

const urlOf = (number: number) => `https://news.example/articles/${String(number).padStart(7, "0")}`;
const [FIRST, SECOND] = [urlOf(0), urlOf(1)];

let world: CliWorld;
beforeEach(async () => {
  const budgets = [{ scope: "all", per: "month", limit: "0.02 USD" }];
  world = await createCliWorld({ sites: [newsSite(4)], rates: ONE_PRICE }, { budgets });
});
afterEach(() => world.close());

const charges = () => world.sandbox.audit().charges.map(({ url }) => url);

test("prints the Markdown of one page alone on stdout, and what it cost on stderr", async () => {
  const bought = await world.cli("fetch", FIRST);
  expect(bought.code).toBe(0);
  expect(bought.stdout).toMatch(/^# Article 0\n\n[^<]+\n$/);
  expect(bought.stderr).toMatch(
    /^licet: new ledger: .*\nlicet: https:\/\/news\.example\/\S+: bought, ON_DEMAND_LICENSE, 0\.01 USD, stored \d{4}-\S+Z\n$/,
  );
  const held = await world.cli("fetch", FIRST, "--quiet");
  expect(held).toEqual({ code: 0, stdout: bought.stdout, stderr: "" });
  expect(charges()).toEqual([FIRST]);
});

test("puts the URL before each of several texts, and reads URLs from stdin", async () => {
  const input = `${FIRST}\n\n  ${SECOND}  \r\n`;
  const { code, stdout } = await cliHere(["fetch", "-"], { cwd: world.directory, input });
  expect(code).toBe(0);
  expect(stdout.match(/^<!-- .* -->$/gm)).toEqual([`<!-- ${FIRST} -->`, `<!-- ${SECOND} -->`]);
});

test("prints one document with --json: a result for each URL", async () => {
  const { code, value, stderr } = await world.json("fetch", FIRST, "no url");
  expect([code, stderr]).toEqual([4, expect.stringContaining("new ledger: nothing was ever recorded")]);
  expect(value).toMatchObject({
    results: [
      { url: FIRST, outcome: "bought", document: { markdown: expect.stringContaining("# Article 0") } },
      { url: "no url", outcome: "invalid", reason: "not_a_url" },
    ],
    spend: { USD: { settledMicros: 10_000 } },
    budgetExhausted: false,
  });
});

describe("ends with", () => {
  test("1 when the gateway cannot be reached, and still answers what is held", async () => {
    await world.cli("fetch", FIRST);
    await world.configure({ gateway: { baseUrl: "http://127.0.0.1:1" } });
    const { code, stderr } = await world.cli("fetch", SECOND);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/GATEWAY_UNREACHABLE[\s\S]*hint: /)]);
    expect((await world.cli("fetch", FIRST)).code).toBe(0);
    expect((await world.cli("fetch", FIRST, SECOND)).code).toBe(4);
  });

  test.each([
    [["fetch"], "no URL was given"],
    [["fetch", "-", FIRST], "- stands alone"],
    [["fetch", "-"], "stdin has no URL"],
    [["fetch", "no url"], "not the URL of a page"],
    [["fetch", FIRST, "--max-price", "cheap"], "cheap"],
    [["fetch", FIRST, "--max-spend", "1 EUR"], "EUR"],
  ])("2 for what cannot be meant: %j", async (args, message) => {
    const { code, stdout, stderr } = await world.cli(...args);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(message)]);
    expect(charges()).toEqual([]);
  });

  test("2 for more URLs than a call takes, as arguments and on stdin", async () => {
    const urls = Array.from({ length: 101 }, (_, page) => urlOf(page));
    expect(await world.cli("fetch", ...urls)).toMatchObject({ code: 2, stderr: expect.stringContaining("--list") });
    const piped = await cliHere(["fetch", "-"], { cwd: world.directory, input: urls.join("\n") });
    expect(piped).toMatchObject({ code: 2, stderr: expect.stringContaining("--list") });
  });

  test("3 when only a budget or --max-spend left pages unbought", async () => {
    const capped = await world.cli("fetch", FIRST, SECOND, "--max-spend", "0.01 USD");
    expect([capped.code, capped.stderr]).toEqual([3, expect.stringMatching(/denied \(max_spend\)/)]);
    expect((await world.cli("fetch", SECOND, urlOf(2))).code).toBe(3);
    expect((await world.cli("fetch", urlOf(2))).code).toBe(3);
    expect(charges()).toHaveLength(2);
  });

  test("4 when a page was denied, is not held, or is not of a configured site", async () => {
    expect((await world.cli("fetch", FIRST, "--held")).code).toBe(4);
    expect((await world.cli("fetch", FIRST, "--max-price", "0.001 USD")).code).toBe(4);
    expect((await world.cli("fetch", FIRST, "https://other.example/a")).code).toBe(4);
    expect(charges()).toEqual([FIRST]);
  });
});

test("begins one run at most for a page whose text a person took out, and says that the rights ended", async () => {
  await world.cli("fetch", FIRST);
  await world.cli("purge", "--url", FIRST, "--reason", "asked by the publisher", "--yes");
  const { code, value } = await world.json("fetch", FIRST);
  const { runIds, results } = value as { runIds: string[]; results: object[] };
  expect([code, runIds.length]).toEqual([4, 1]);
  expect(results).toMatchObject([{ outcome: "denied", reason: "rights_ended" }]);
  const { value: listed } = await world.json("runs");
  expect((listed as { runs: object[] }).runs).toHaveLength(2);
  expect(charges()).toEqual([FIRST]);
});
