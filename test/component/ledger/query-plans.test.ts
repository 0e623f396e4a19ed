import { describe, expect, it } from "vitest";
import { isOpenOfBatch } from "../../../src/ledger/sqlite/runs/batches.ts";
import { openTempLedger } from "../../doubles/temp-ledger.ts";

/** The questions that are asked again and again while a run grows: none may read all of a table. */
const CLAIMS: readonly { readonly name: string; readonly sql: string; readonly uses: string }[] = [
  {
    name: "the next site with work",
    sql: "SELECT site_id FROM batch INDEXED BY batch_by_stage WHERE run_id = 1 AND stage = 'walk' AND site_id > 1 AND site_id <= 9 AND ready_at <= 5 AND NOT (stage = 'walk' AND EXISTS (SELECT 1 FROM run_site s WHERE s.run_id = batch.run_id AND s.site_id = batch.site_id AND s.waiting_pages >= 9)) ORDER BY site_id LIMIT 1",
    uses: "COVERING INDEX batch_by_stage (run_id=? AND stage=? AND site_id>? AND site_id<?)",
  },
  {
    name: "a site's next batch",
    sql: "SELECT id FROM batch WHERE run_id = 1 AND site_id = 1 AND stage = 'quote' AND ready_at <= 5 AND NOT (stage = 'walk' AND EXISTS (SELECT 1 FROM run_site s WHERE s.run_id = batch.run_id AND s.site_id = batch.site_id AND s.waiting_pages >= 9)) ORDER BY ready_at, id LIMIT 1",
    uses: "COVERING INDEX batch_by_stage (run_id=? AND stage=? AND site_id=? AND ready_at<?)",
  },
  {
    name: "the pages of a quote batch",
    sql: "SELECT p.url FROM batch b CROSS JOIN json_each(b.pages) f CROSS JOIN page p ON p.id = f.value WHERE b.id = 1",
    uses: "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)",
  },
  {
    name: "the purchases of an acquire batch",
    sql: `SELECT u.state FROM batch b CROSS JOIN purchase u ON ${isOpenOfBatch("u")} WHERE b.id = 1 ORDER BY u.id`,
    uses: "SEARCH u USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
  },
  {
    name: "whether a page is being bought",
    sql: "SELECT 1 FROM purchase WHERE page_id = 1 AND ended_at IS NULL",
    uses: "INDEX purchase_open_page (page_id=?)",
  },
  {
    name: "whether a page is in doubt",
    sql: "SELECT 1 FROM purchase d WHERE d.page_id = 1 AND d.state = 'in_doubt'",
    uses: "INDEX purchase_in_doubt (page_id=?)",
  },
  {
    name: "the Markdown still due",
    sql: "SELECT d.purchase_id FROM derived_markdown d WHERE d.markdown IS NULL AND d.failure IS NULL ORDER BY d.purchase_id LIMIT 5",
    uses: "INDEX derived_markdown_due",
  },
  {
    name: "the unfinished run",
    sql: "SELECT name FROM run WHERE kind <> 'planning' AND state IN ('running', 'interrupted', 'failed') ORDER BY id DESC LIMIT 1",
    uses: "INDEX run_unfinished",
  },
  {
    name: "the open item about a report",
    sql: "SELECT id FROM open_item WHERE batch_id = 1 AND kind = 'missing_receipt' AND closed_at IS NULL",
    uses: "INDEX open_item_by_batch (batch_id=? AND kind=?)",
  },
  {
    name: "the open item about a purchase",
    sql: "SELECT id FROM open_item WHERE purchase_id = 1 AND kind = 'overcharged' AND closed_at IS NULL",
    uses: "INDEX open_item_by_purchase (purchase_id=? AND kind=?)",
  },
  {
    name: "the open item about a balance",
    sql: "SELECT id FROM open_item WHERE scope = 'all' AND period = 'total' AND currency = 'USD' AND kind = 'over_budget_use' AND closed_at IS NULL",
    uses: "INDEX open_item_by_balance (scope=? AND period=? AND currency=?)",
  },
  {
    name: "what is open",
    sql: "SELECT i.id, s.host FROM open_item i LEFT JOIN site s ON s.id = i.site_id WHERE i.closed_at IS NULL ORDER BY i.id LIMIT 5",
    uses: "INDEX open_item_open",
  },
  {
    name: "a balance",
    sql: "SELECT reserved_micros FROM balance WHERE scope = 'all' AND period = 'total' AND currency = 'USD'",
    uses: "PRIMARY KEY (scope=? AND period=? AND currency=?)",
  },
];

describe("the plans of hot queries", () => {
  it.each(CLAIMS)("finds $name by an index", async ({ sql, uses }) => {
    const { query } = await openTempLedger();
    const plan = query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).map(({ detail }) => detail);
    expect(plan.join("\n")).toContain(uses);
    expect(plan.filter((detail) => detail.startsWith("SCAN") && !/USING|VIRTUAL TABLE/.test(detail))).toEqual([]);
    expect(plan.filter((detail) => detail.includes("TEMP B-TREE"))).toEqual([]);
  });
});
