/** `kill -9` in the middle of `licet export --since last`: each document is in exactly one complete file. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { newsSite, ONE_PRICE } from "../doubles/cli-world.ts";
import { killAt } from "./crash-order.ts";
import { CRASH_TIMEOUT_MS, type CrashWorld, createCrashWorld } from "./crash-world.ts";

vi.setConfig({ testTimeout: CRASH_TIMEOUT_MS });

const PAGES = 12;
const EXPORT = ["export", "--format", "jsonl", "--out", "lake", "--since", "last"];

let world: CrashWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

test("a killed export is repeated under the same name, and leaves nothing half-written", async () => {
  world = await createCrashWorld({ sandbox: { sites: [newsSite(PAGES)], rates: ONE_PRICE }, config: {} });
  const out = join(world.directory, "lake");
  const names = () => readdir(out).catch(() => []);
  await world.here("run", "--max-pages", "7");
  const kill = async (step: string, moment: "before" | "committed") => {
    const { signal } = await (world as CrashWorld).start(EXPORT, killAt(step, moment)).result;
    expect(signal).toBe("SIGKILL");
  };
  await kill("fixRange", "committed");
  expect(await names()).toEqual([]);
  await world.here("run");
  // The file is complete and has its name; the cursor has not moved.
  await kill("advanceCursor", "before");
  const published = await names();
  expect(published).toEqual(["documents-000000000001-000000000007.jsonl"]);
  expect((await world.here(...EXPORT)).code).toBe(0);
  expect(await names()).toEqual([...published, "documents-000000000008-000000000012.jsonl"]);
  const texts = await Promise.all((await names()).map((name) => readFile(join(out, name), "utf8")));
  const urls = texts.flatMap((text) =>
    text
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { url: string }).url),
  );
  expect(urls).toHaveLength(PAGES);
  expect(new Set(urls).size).toBe(PAGES);
});
