/** Who decided what: each command that takes a person's word keeps who said it and why, and says it again. */
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE } from "../doubles/cli-world.ts";

let world: CliWorld;
afterEach(() => world.close());

interface Log {
  readonly acts: readonly { readonly kind: string; readonly at: string; readonly by: string }[];
  readonly nextCursor: string | null;
}

const readLog = async (...args: string[]) => (await world.json("log", ...args)).value as Log;

test("says who resolved, purged and cancelled, when and why, page by page", async () => {
  world = await createCliWorld({ sites: [newsSite(3)], rates: ONE_PRICE, faults: { "reset-after-charge": 1 } });
  await world.cli("run");
  world.sandbox.setFaults({});
  expect((await world.cli("log")).code).toBe(0);
  const { value } = await world.json("status");
  const { inDoubt } = value as { inDoubt: { purchaseId: number; url: string }[] };
  const [first, second] = inDoubt;
  const word = ["--by", "anna", "--reason", "the invoice\u001b[31m of May"];
  expect(await world.cli("resolve", String(first?.purchaseId), "--charged", ...word)).toMatchObject({ code: 0 });
  expect(await world.cli("resolve", String(second?.purchaseId), "--not-charged")).toMatchObject({ code: 0 });
  const { acts, nextCursor } = await readLog();
  expect(nextCursor).toBeNull();
  expect(acts).toMatchObject([
    { kind: "purchase_not_charged", by: userInfo().username, reason: null, url: second?.url },
    { kind: "purchase_charged", by: "anna", purchaseId: first?.purchaseId, url: first?.url, at: expect.any(String) },
  ]);
  const text = (await world.cli("log")).stdout;
  expect(text).toMatch(/anna +purchase_charged +purchase \d+: https:.* the invoice/);
  expect(text).not.toContain("\u001b");
  expect((await world.cli("explain", first?.url ?? "")).stdout).toMatch(/Who decided:[\s\S]*anna +purchase_charged/);
  const page = await readLog("--limit", "1");
  expect(page.acts).toEqual(acts.slice(0, 1));
  expect(await readLog("--limit", "1", "--cursor", page.nextCursor ?? "")).toEqual({
    acts: acts.slice(1),
    nextCursor: null,
  });
});

test("says who cancelled a run, in the log and in the run", async () => {
  world = await createCliWorld({ sites: [newsSite(4)], rates: ONE_PRICE });
  expect((await world.cli("run", "--max-pages", "1")).code).toBe(0);
  const { value } = await world.json("runs");
  const { runId } = (value as { runs: { runId: string }[] }).runs[0] ?? { runId: "" };
  expect(await world.cli("cancel", runId, "--by", "ben", "--reason", "a wrong list")).toMatchObject({ code: 0 });
  const cancelled = { kind: "run_cancelled", by: "ben", reason: "a wrong list", runId };
  expect(await readLog()).toMatchObject({ acts: [cancelled] });
  expect((await world.json("runs", runId)).value).toMatchObject({ acts: [cancelled] });
  expect((await world.cli("runs", runId)).stdout).toMatch(/Who decided:[\s\S]*ben +run_cancelled/);
});

test("says who purged a page and who accepted a copy", async () => {
  world = await createCliWorld({ sites: [newsSite(2)], rates: ONE_PRICE });
  await world.cli("run");
  const { value } = await world.json("runs");
  const [run] = (value as { runs: { runId: string }[] }).runs;
  const { purchases } = (await world.json("runs", run?.runId ?? "")).value as { purchases: { url: string }[] };
  const url = purchases[0]?.url ?? "";
  const purge = await world.cli("purge", "--url", url, "--reason", "letter of 3 May", "--by", "carl", "--yes");
  expect(purge.code).toBe(0);
  const explained = (await world.cli("explain", url)).stdout;
  expect(explained).toMatch(/carl +content_purged .*letter of 3 May/);
  expect(explained).toMatch(/will not be bought: it was bought on [\d-]+, its content was purged on [\d-]+, and /);
  expect(explained).not.toMatch(/stored since/i);
  const copy = join(world.directory, "copy.sqlite");
  await world.cli("backup", copy);
  await world.cli("restore", "--force", copy);
  expect((await world.cli("restore", "--accept", "--yes", "--by", "dora")).code).toBe(0);
  expect(await readLog()).toMatchObject({
    acts: [
      { kind: "copy_accepted", by: "dora", reason: null, purchaseId: null },
      { kind: "content_purged", by: "carl", reason: "letter of 3 May", url, count: 1 },
    ],
  });
});

test.each([["explain"], ["runs"], ["status"], ["evidence"]])(
  "licet %s of nothing says no word of the library",
  async (name) => {
    world = await createCliWorld({ sites: [newsSite(1)], rates: ONE_PRICE });
    const { code, stderr } = await world.cli(name, "");
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`licet ${name} --help`) });
    expect(stderr).not.toMatch(/runDetails|runStatus|agent\.|documentation of|explain: |evidence: /);
  },
);

test.each([
  ["resolve", ["resolve", "7", "--close", "--by", " "], "--by"],
  ["cancel", ["cancel", "run_1", "--reason", ""], "--reason"],
  ["restore", ["restore", "copy.sqlite", "--by", "anna"], "--accept"],
  ["log", ["log", "--cursor", "x"], "nextCursor"],
])("%s refuses words that say nothing", async (_name, args, words) => {
  world = await createCliWorld({ sites: [newsSite(1)], rates: ONE_PRICE });
  const { code, stderr } = await world.cli(...args);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(words) });
});
