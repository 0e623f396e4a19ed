/** `licet plan --out` and `--show`: the file, and the text that people compare. */
import { lstat, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE, PRICE_MICROS } from "../../doubles/cli-world.ts";

async function open(own: Readonly<Record<string, unknown>> = {}, pages = 3): Promise<CliWorld & { plan: string }> {
  const world = await createCliWorld({ port: 0, sites: [newsSite(pages)], rates: ONE_PRICE }, own);
  onTestFinished(world.close);
  return { ...world, plan: join(world.directory, "plan.jsonl") };
}

async function readJsonLines(file: string): Promise<Record<string, unknown>[]> {
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

const LINE = {
  url: expect.stringMatching(/^https:\/\/news\.example\//),
  maxPrice: "0.01 USD",
  license: { licenseType: "ON_DEMAND_LICENSE", cuid: expect.anything() },
  price: "0.01 USD",
  policy: "standard",
  rule: 1,
  check: expect.stringMatching(/^[0-9a-f]{16}$/),
};

test("saves what would be bought, for its owner alone, and says where, until when and what it comes to", async () => {
  const { json, cli, plan, directory } = await open();
  const { code, value } = await json("plan", "--out", "plan.jsonl", "--expires", "7d");
  expect(code).toBe(0);
  const { file } = value as { file: { createdAt: string; expiresAt: string; digest: string } };
  const { mode, size } = await lstat(plan);
  expect(file).toMatchObject({ path: plan, bytes: size, pages: 3, setAsideMicros: { USD: 3 * PRICE_MICROS } });
  expect(Date.parse(file.expiresAt) - Date.parse(file.createdAt)).toBe(7 * 86_400_000);
  expect(mode & 0o777).toBe(0o600);
  const [header, ...lines] = await readJsonLines(plan);
  expect(header).toMatchObject({ licetPlan: 1, pages: 3, cost: { USD: "0.03 USD" }, linesDigest: file.digest });
  expect(lines).toEqual([LINE, LINE, LINE]);
  expect((await cli("plan", "--out", "plan.jsonl")).stdout).toMatch(
    /Saved 3 pages, until [\d-]+ [\d:]+ UTC:\n.*plan\.jsonl/,
  );
  expect((await readdir(directory)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  expect((await json("plan")).value).toMatchObject({ file: null });
});

test("the cap of a page has the fee in it, and the price of its report where that is billed", async () => {
  const { cli, plan } = await open({
    gateway: { fee: { percent: 10 } },
    reporting: { kinds: ["fetch", "use"], billed: ["fetch", "use"] },
  });
  await cli("plan", "--out", "plan.jsonl");
  const [header, line] = await readJsonLines(plan);
  expect(line).toMatchObject({ maxPrice: "0.021 USD", price: "0.01 USD", setAside: "0.021 USD" });
  expect(header).toMatchObject({
    cost: { USD: "0.063 USD" },
    configuration: {
      gateway: { fee: { percent: "10" } },
      sites: { "news.example": { reporting: { billed: ["fetch", "use"] } } },
    },
  });
});

test("a page that is only indexed has no price", async () => {
  const { cli, plan } = await open({ policies: { standard: { intent: "indexing", rules: [{ allow: {} }] } } }, 1);
  await cli("plan", "--out", "plan.jsonl");
  const [, line] = await readJsonLines(plan);
  expect(Object.keys(line ?? {})).toEqual(["url", "policy", "rule", "check"]);
  expect((await cli("plan", "--show", "plan.jsonl")).stdout).toMatch(
    /- {2}indexing +standard, rule 1 +https:.*\n1 page of/,
  );
});

test("saves only what the budget has room for, and a plan of nothing too", async () => {
  const { cli, configure, plan } = await open({ budgets: [{ scope: "all", per: "month", limit: "0.02 USD" }] });
  await cli("plan", "--out", "plan.jsonl");
  expect(await readJsonLines(plan)).toHaveLength(1 + 2);
  await configure({ policies: { standard: { rules: [{ deny: {} }] } } });
  await cli("plan", "--out", "plan.jsonl");
  expect(await readJsonLines(plan)).toMatchObject([{ pages: 0, cost: {} }]);
});

test("two plans of the same world are the same text for diff, and a page more is a line more", async () => {
  const pages = ["a", "b", "c"].map((name) => ({ url: `https://news.example/${name}`, markdown: "Some words." }));
  const site = { kind: "pages", host: "news.example", pages } as const;
  const { cli, sandbox, close } = await createCliWorld({ port: 0, sites: [site], rates: ONE_PRICE });
  onTestFinished(close);
  const show = async (file: string) => {
    await cli("plan", "--out", file);
    const { stdout, stderr, code } = await cli("plan", "--show", file);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^made [\d-]+ [\d:]+ UTC, counts until [\d-]+ [\d:]+ UTC\n$/);
    return stdout;
  };
  const first = await show("a.jsonl");
  expect(await show("b.jsonl")).toBe(first);
  expect(first.split("\n")).toEqual([
    ...Array.from({ length: 3 }, () =>
      expect.stringMatching(
        /^ {8}0\.01 USD {2}ON_DEMAND_LICENSE( \S+)? +standard, rule 1 {6}https:\/\/news\.example\/\S+$/,
      ),
    ),
    "3 pages of news.example: 0.03 USD",
    "",
  ]);
  sandbox.addPage({ url: "https://news.example/one-more", markdown: "More words." });
  const more = await show("c.jsonl");
  expect(more.split("\n").filter((line) => !first.includes(line))).toEqual([
    expect.stringMatching(/https:\/\/news\.example\/one-more$/),
    "4 pages of news.example: 0.04 USD",
  ]);
});

test("shows what a person did to a plan, without a configuration", async () => {
  const { json, cli, plan, directory } = await open();
  await json("plan", "--out", "plan.jsonl");
  const [header, first, second] = await readJsonLines(plan);
  const lines = [header, { ...first, maxPrice: "0.005 USD" }, second].map((line) => JSON.stringify(line));
  await writeFile(plan, `${lines.join("\r\n")}\r\n\r\n`);
  await writeFile(join(directory, "licet.config.yaml"), "not: [a configuration");
  expect((await cli("plan", "--show", "plan.jsonl")).stderr).toContain(
    "; edited after it was made: 1 page taken out, 1 price lowered\n",
  );
  expect((await json("plan", "--show", "plan.jsonl")).value).toMatchObject({
    ...{
      path: plan,
      pages: 2,
      setAsideMicros: { USD: 15_000 },
      planned: { pages: 3, setAsideMicros: { USD: 30_000 } },
    },
    ...{ edited: true, removed: 1, lowered: 1, configuration: { order: "catalog" } },
  });
});

test.each<[string, (plan: string) => Promise<unknown>, string, RegExp]>([
  ["that is not there", async () => {}, "unreadable", /cannot be read \(ENOENT\)/],
  ["that is a list", (plan) => writeFile(plan, "https://news.example/a\n"), "not_a_plan", /is not a plan of licet/],
  [
    "that is cut off",
    async (plan) => writeFile(plan, (await readFile(plan, "utf8")).slice(0, -40)),
    "changed",
    /line 4 .*cut off/,
  ],
  [
    "with a line twice",
    async (plan) =>
      writeFile(plan, `${await readFile(plan, "utf8")}${(await readFile(plan, "utf8")).split("\n").at(-2)}\n`),
    "changed",
    /more than the 3 pages/,
  ],
])("refuses a file %s", async (_, damage, reason, message) => {
  const { json, plan } = await open();
  if (reason === "changed") {
    await json("plan", "--out", "plan.jsonl");
  }
  await damage(plan);
  const { code, value } = await json("plan", "--show", "plan.jsonl");
  expect(code).toBe(2);
  expect(value).toMatchObject({
    error: { code: "PLAN_REFUSED", message: expect.stringMatching(message), details: { path: plan, reason } },
  });
});

test("never replaces a file that is not a plan, and says so before it asks the gateway", async () => {
  const { json, plan, sandbox } = await open();
  await writeFile(plan, "my notes\n");
  expect(await json("plan", "--out", "plan.jsonl")).toMatchObject({
    code: 1,
    value: { error: { code: "PLAN_UNWRITABLE", details: { path: plan } } },
  });
  expect(await readFile(plan, "utf8")).toBe("my notes\n");
  expect(await json("plan", "--out", "missing/plan.jsonl")).toMatchObject({
    value: { error: { code: "PLAN_UNWRITABLE", details: { code: "ENOENT" } } },
  });
  expect(sandbox.audit().requests).toEqual({});
});

test("a symbolic link is replaced, and its target stays as it is", async () => {
  const { cli, plan, directory } = await open();
  const notes = join(directory, "notes");
  await writeFile(notes, "my notes\n");
  await symlink(notes, plan);
  expect((await cli("plan", "--out", "plan.jsonl")).code).toBe(0);
  expect(await readFile(notes, "utf8")).toBe("my notes\n");
  expect((await lstat(plan)).isFile()).toBe(true);
});

test("a plan that fails leaves no file, and the plan before it as it was", async () => {
  const { cli, plan, directory, configure } = await open();
  await cli("plan", "--out", "plan.jsonl");
  const before = await readFile(plan, "utf8");
  await configure({ gateway: { baseUrl: "http://127.0.0.1:1" } });
  expect((await cli("plan", "--out", "plan.jsonl")).code).toBe(1);
  expect(await readFile(plan, "utf8")).toBe(before);
  expect((await readdir(directory)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test.each([
  [["--expires", "7d"], /no plan is saved/],
  [["--out", "p", "--expires", "400d"], /up to 366d/],
  [["--show", "p", "news.example"], /takes no sites/],
  [["--show", "p", "--out", "q"], /no other options/],
])("refuses %j", async (args, message) => {
  const { cli } = await open({}, 1);
  expect(await cli("plan", ...args)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
});
