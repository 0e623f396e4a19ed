/** A saved plan is read twice: to check it, and to buy it. What lies in its place then may be another file. */
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { openPlan, type SavedPlan } from "../../../../src/agent/plans/open-plan.ts";
import { createPlanFile } from "../../../../src/agent/plans/plan-file.ts";
import { toMicros } from "../../../../src/money/micros.ts";
import type { PlanTerms } from "../../../../src/plan/plan-terms.ts";

const TERMS = {
  gateway: { baseUrl: "http://127.0.0.1:1", service: "Service", agentId: "acme" },
  order: "catalog",
  policies: {},
  sites: {},
} as unknown as PlanTerms;
/** Several times what is compared at once. */
const PAGES = 1_700;

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "licet-plan-"));
  onTestFinished(() => rm(directory, { recursive: true }));
});

async function savePlan(name: string, pages = PAGES): Promise<string> {
  const path = join(directory, `${name}.jsonl`);
  const file = await createPlanFile(path);
  const price = { micros: toMicros(10_000), currency: "USD" };
  const planned = { price, setAside: price, license: { licenseType: "ON_DEMAND_LICENSE", cuid: null } };
  for (let page = 0; page < pages; page++) {
    const url = `https://news.example/${name}/${page}`;
    await file.add({ url, planned, maxPrice: price, policy: "standard", ruleIndex: 0, value: null, key: null });
  }
  await file.finish({ createdAt: 1, expiresAt: 2, terms: TERMS, basis: null });
  await file.discard();
  return path;
}

async function readAll(plan: SavedPlan): Promise<string[]> {
  const urls: string[] = [];
  for await (const { line } of plan.lines()) {
    urls.push(...(line === null ? [] : [line.url]));
  }
  return urls;
}

const urlsOf = (name: string, from = 0, to = PAGES) =>
  Array.from({ length: to - from }, (_, index) => `https://news.example/${name}/${from + index}`);

const CHANGED = { code: "PLAN_REFUSED", details: { reason: "changed" } };

it("gives the lines that were checked, as often as they are read", async () => {
  const plan = await openPlan(await savePlan("a"));
  expect(await readAll(plan)).toEqual(urlsOf("a"));
  expect(await readAll(plan)).toEqual(urlsOf("a"));
});

it("gives no line of another plan that was renamed over it after the check, and says so", async () => {
  const [a, b] = [await savePlan("a"), await savePlan("b")];
  const plan = await openPlan(a);
  await rename(b, a);
  const first = plan.lines()[Symbol.asyncIterator]().next();
  await expect(first).rejects.toMatchObject({ ...CHANGED, message: expect.stringContaining("after it was checked") });
});

it.each<[string, (text: string) => string, number]>([
  ["with a line of another plan in it", (text) => text.replace(/.*\/a\/1200".*/, "OTHER"), 999],
  ["with a line more at its end", (text) => `${text}OTHER\n`, 1_499],
  ["that was cut off behind a block", (text) => text.slice(0, text.indexOf("\n", text.indexOf("/a/1498")) + 1), 1_499],
])("a plan %s since the check is read as far as it is the same", async (_, change, given) => {
  const [a, b] = [await savePlan("a"), await savePlan("b", 1)];
  const other = (await readFile(b, "utf8")).split("\n")[1] ?? "";
  const plan = await openPlan(a);
  await writeFile(a, change(await readFile(a, "utf8")).replace("OTHER", other));
  const urls: string[] = [];
  const reading = (async () => {
    for await (const { line } of plan.lines()) {
      urls.push(...(line === null ? [] : [line.url]));
    }
  })();
  await expect(reading).rejects.toMatchObject(CHANGED);
  expect(urls).toEqual(urlsOf("a", 0, given));
});

it("has no file with a name while it is made: a killed process leaves no price behind", async () => {
  const file = await createPlanFile(join(directory, "made.jsonl"));
  expect(await readdir(directory)).toEqual([]);
  await file.discard();
  expect(await readdir(directory)).toEqual([]);
});

it("refuses a plan with a line twice, before anything is read from it", async () => {
  const path = await savePlan("a", 2);
  const text = await readFile(path, "utf8");
  await writeFile(path, `${text}${text.split("\n")[1]}\n`);
  await expect(openPlan(path)).rejects.toMatchObject({
    ...CHANGED,
    message: expect.stringContaining("more than the 2 pages"),
  });
});
