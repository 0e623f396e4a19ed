/** `licet plan --show NEW --against OLD`: what a reviewer sees of two plans. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE } from "../../doubles/cli-world.ts";

const urlOf = (name: string) => `https://news.example/${name}`;

/** Two plans: of `a` to `c`, and of `b` to `d` with another price of `c`, under another fee of the policy. */
async function openTwo(): Promise<CliWorld> {
  const pages = ["a", "b", "c"].map((name) => ({
    url: urlOf(name),
    markdown: "Words.",
    rates: [{ priceMicros: 10_000 }],
  }));
  const world = await createCliWorld({ port: 0, sites: [{ kind: "pages", host: "news.example", pages }] });
  onTestFinished(world.close);
  const { cli, sandbox } = world;
  await cli("plan", "--out", "old.jsonl");
  sandbox.removePage(urlOf("a"));
  sandbox.setRates(urlOf("c"), [{ priceMicros: 12_500 }]);
  sandbox.addPage({ url: urlOf("d"), markdown: "Words.", rates: [{ priceMicros: 30_000 }] });
  await world.configure({ policies: { standard: { rules: [{ allow: { maxPrice: "1 USD" } }] } } });
  await cli("plan", "--out", "new.jsonl");
  // Neither asks anybody: it is a matter of two files.
  await writeFile(join(world.directory, "licet.config.yaml"), "not: [a configuration");
  return world;
}

test("names each page that is added, dropped or changed, in order of their addresses, and what it comes to", async () => {
  const { cli } = await openTwo();
  const { code, stdout } = await cli("plan", "--show", "new.jsonl", "--against", "old.jsonl");
  expect(code).toBe(0);
  expect(stdout.split("\n")).toEqual([
    `${"before".padStart(18)}${"now".padStart(17)}  ${"licence".padEnd(26)}  page`,
    expect.stringMatching(/^- {9}0\.01 USD {19}ON_DEMAND_LICENSE( \S+)? +https:\/\/news\.example\/a$/),
    expect.stringMatching(/^~ {9}0\.01 USD {7}0\.0125 USD {2}ON_DEMAND_LICENSE( \S+)? +https:\/\/news\.example\/c$/),
    expect.stringMatching(/^\+ {26}0\.03 USD {2}ON_DEMAND_LICENSE( \S+)? +https:\/\/news\.example\/d$/),
    "1 page added (+0.03 USD), 1 dropped (-0.01 USD), 1 changed (+0.0025 USD), 1 the same",
    "now 0.0525 USD for 3 pages, before 0.03 USD for 3 pages",
    expect.stringMatching(/^configuration: policies\.standard\.rules\[0\] was .*, is now .*1\.00 USD/),
    "",
  ]);
});

test("says the same for a program, and counts what a reviewer took out", async () => {
  const { json, directory } = await openTwo();
  const { value } = await json("plan", "--show", "new.jsonl", "--against", "old.jsonl");
  const license = { licenseType: "ON_DEMAND_LICENSE", cuid: expect.anything() };
  expect(value).toEqual({
    path: join(directory, "new.jsonl"),
    against: join(directory, "old.jsonl"),
    before: { pages: 3, setAsideMicros: { USD: 30_000 } },
    after: { pages: 3, setAsideMicros: { USD: 52_500 } },
    added: { pages: 1, changeMicros: { USD: 30_000 } },
    dropped: { pages: 1, changeMicros: { USD: -10_000 } },
    changed: { pages: 1, changeMicros: { USD: 2_500 } },
    same: 1,
    differences: [{ where: "policies.standard.rules[0]", planned: expect.any(String), now: expect.any(String) }],
    pages: [
      { change: "dropped", url: urlOf("a"), before: { maxPriceMicros: 10_000, currency: "USD", license }, after: null },
      expect.objectContaining({ change: "changed", url: urlOf("c") }),
      { change: "added", url: urlOf("d"), before: null, after: { maxPriceMicros: 30_000, currency: "USD", license } },
    ],
  });
  const lines = (await readFile(join(directory, "new.jsonl"), "utf8")).trimEnd().split("\n");
  await writeFile(
    join(directory, "approved.jsonl"),
    `${lines.filter((line) => !line.includes(urlOf("d"))).join("\n")}\n`,
  );
  expect((await json("plan", "--show", "approved.jsonl", "--against", "new.jsonl")).value).toMatchObject({
    added: { pages: 0 },
    dropped: { pages: 1, changeMicros: { USD: -30_000 } },
    differences: [],
  });
});

test("refuses what is not a plan, another option beside, and nothing to show", async () => {
  const world = await createCliWorld({ port: 0, sites: [newsSite(1)], rates: ONE_PRICE });
  onTestFinished(world.close);
  const { cli } = world;
  await cli("plan", "--out", "plan.jsonl");
  await writeFile(join(world.directory, "list"), "https://news.example/a\n");
  const refused = async (...args: string[]) => {
    const { code, stdout, stderr } = await cli("plan", ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    return stderr;
  };
  expect(await refused("--show", "plan.jsonl", "--against", "list")).toMatch(/list is not a plan of licet/);
  expect(await refused("--show", "plan.jsonl", "--against", "missing")).toMatch(/missing cannot be read \(ENOENT\)/);
  expect(await refused("--against", "plan.jsonl")).toMatch(
    /and none is shown\n {2}hint: licet plan --show NEW --against OLD/,
  );
  expect(await refused("--show", "plan.jsonl", "--against", "plan.jsonl", "--max-pages", "1")).toMatch(
    /no other options/,
  );
});
