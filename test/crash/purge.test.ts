import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { hashContent } from "../../src/content/content-hash.ts";
import { toMicros } from "../../src/money/micros.ts";
import type { ExpiryPolicies } from "../../src/rights/rights.ts";
import { startLedgerProcess } from "../doubles/ledger-process.ts";
import { createContent, NOON, startPages } from "../doubles/ledger-shop.ts";
import { openTempLedger } from "../doubles/temp-ledger.ts";

const PURGE: ExpiryPolicies = { standard: { retentionMs: 1, onExpiry: "purge" } };
const PATHS = Array.from({ length: 400 }, (_, index) => `/marker-${index}-x`);
const REQUEST = { policies: PURGE, hosts: null, named: null, now: NOON + 1, dryRun: false, limit: 1 } as const;

it("a purge that is killed is finished by the next one, in the rows and in the bytes of the file", async () => {
  const { ledger, path, query } = await openTempLedger();
  for (const { purchaseId, url } of await startPages(ledger, { paths: PATHS })) {
    const markdown = `${url} `.repeat(300);
    const contentHash = hashContent({ header: "header", body: markdown, footer: "" });
    const content = { ...createContent(url), markdown, title: `title of ${url}`, contentHash };
    const answer = { charge: null, feeMicros: toMicros(0), requestId: null, flaws: [], isEmpty: false };
    await ledger.settlePurchase({ purchaseId, now: NOON, content, ...answer });
  }
  const countPurged = () =>
    query<{ purged: number }>("SELECT count(*) AS purged FROM content WHERE purged_at IS NOT NULL")[0]?.purged ?? 0;

  const first = await startLedgerProcess(path);
  const killed = first.ledger.purge(REQUEST);
  killed.catch(() => {});
  await expect.poll(countPurged, { interval: 1 }).toBeGreaterThan(0);
  await first.kill();
  expect(query("SELECT due_since FROM file_cleaning")).toHaveLength(1);

  const second = await startLedgerProcess(path);
  await second.ledger.purge(REQUEST);
  void second.ledger.cleanFile({ maxBytes: null }).catch(() => {});
  await second.kill();
  expect(countPurged()).toBe(PATHS.length);

  await ledger.cleanFile({ maxBytes: null });
  const bytes = ["", "-wal"].map((suffix) => readFileSync(path + suffix, "latin1")).join("");
  // The address itself is evidence and stays; the texts repeat it or put a title before it.
  expect(bytes).not.toMatch(/title of https|marker-\d+-x https/);
  expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ ok: true });
});
