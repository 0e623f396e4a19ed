/** `licet documents`: looking for stored documents, and the evidence of one. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DocumentDetails, DocumentSearchReport } from "../../src/agent/documents/find-documents-agent.ts";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE, PRICE_MICROS } from "../doubles/cli-world.ts";

const PAGES = 3;

let world: CliWorld;
beforeAll(async () => {
  world = await createCliWorld({ sites: [newsSite(PAGES)], rates: ONE_PRICE });
});
afterAll(() => world.close());

const search = async (...args: string[]) => (await world.json("documents", ...args)).value as DocumentSearchReport;

test("says that nothing is there, finds what was bought, and shows the evidence of one", async () => {
  expect(await search()).toEqual({ documents: [], looked: 0, nextCursor: null });
  await world.cli("run");
  const { documents, looked } = await search();
  expect(looked).toBe(PAGES);
  expect(documents).toHaveLength(PAGES);
  const [first] = documents;
  expect(first).toMatchObject({ priceMicros: PRICE_MICROS, currency: "USD", rights: null });
  const title = first?.title ?? "";
  expect((await search("--title", title.toUpperCase())).documents).toContainEqual(first);
  expect((await search("--hash", first?.hash ?? "")).documents).toContainEqual(first);
  expect((await search("--url", first?.url.replace("https://", "") ?? "")).documents[0]).toEqual(first);
  expect((await search("--license", "no such")).documents).toEqual([]);
  expect((await search("--limit", "1")).nextCursor).toMatch(/^n\d+$/);
  const id = String(first?.purchaseId);
  const details = (await world.json("documents", id)).value as DocumentDetails;
  const { versions } = (await world.json("evidence", first?.url ?? "")).value as { versions: object[] };
  expect(details).toMatchObject({ title, version: versions[0] });
  expect(details.markdownChars).toBeGreaterThan(0);
  expect((await world.cli("documents", id)).stdout).toContain(`Document ${id}: ${first?.url}`);
  expect((await world.cli("documents")).stdout).toContain(first?.url ?? "");
  const missing = await world.cli("documents", "999");
  expect(missing).toMatchObject({ code: 1 });
  expect(missing.stderr).toContain("no document of purchase 999 is stored");
  expect((await world.cli("documents", "--hash", "x")).code).toBe(2);
});
