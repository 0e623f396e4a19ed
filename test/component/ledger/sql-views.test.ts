/** docs/ledger.md: its queries run as they stand, its views are those of the ledger, and what they add up to is what licet says. */
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAgent } from "../../../src/agent/create-agent.ts";
import type { StatusReport } from "../../../src/agent/reports/status-report.ts";
import type { ConfigInput } from "../../../src/config/config-input.ts";
import type { AuditReport } from "../../../src/ledger/ledger-reports.ts";
import { startSandbox } from "../../../src/sandbox/sandbox.ts";
import { cliConfig, createDirectory } from "../../doubles/cli-process.ts";
import { codeBlocks, codeIn, read, tableBelow } from "../../tidy/repository.ts";

const document = read("docs/ledger.md");
const SPEND =
  "sum(settled_micros) AS settledMicros, sum(in_doubt_micros) AS inDoubtMicros, sum(reserved_micros) AS reservedMicros, sum(fee_micros) AS feeMicros";

let directory: Awaited<ReturnType<typeof createDirectory>>;
let db: Database.Database;
let status: StatusReport;
let audit: AuditReport;

/** A ledger with some of everything: purchases of several licences, denials, doubts, fees, wrong receipts, unreported uses. */
beforeAll(async () => {
  directory = await createDirectory();
  const sandbox = await startSandbox({ sites: [{ kind: "demo", host: "demo.example" }] });
  const agent = createAgent({
    ...(cliConfig(sandbox.url, {
      gateway: { fee: { percent: 10 } },
      policies: { standard: { rules: [{ deny: { permissions: ["CITATION_REQUIRED"] } }, { allow: {} }] } },
      sites: [{ host: "demo.example", policy: "standard" }],
    }) as unknown as ConfigInput),
    ledger: { path: join(directory.path, "licet.sqlite") },
  });
  sandbox.setFaults({ "content:reset-after-charge": 0.2, "report:receipt-wrong-total": 1 });
  await agent.run();
  for await (const { url, priceMicros } of agent.documents()) {
    if (priceMicros !== null && priceMicros > 0) {
      await agent.use([{ url, times: 3 }]);
      break;
    }
  }
  status = await agent.status();
  audit = await agent.audit();
  await agent.close();
  await sandbox.close();
  db = new Database(join(directory.path, "licet.sqlite"), { readonly: true });
});
afterAll(async () => {
  db.close();
  await directory.remove();
});

const namesOf = (type: string) =>
  db
    .prepare<[string], string>(
      "SELECT name FROM sqlite_schema WHERE type = ? AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .pluck()
    .all(type);
const countOf = (from: string) => db.prepare<[], number>(`SELECT count(*) FROM ${from}`).pluck().get();

describe("docs/ledger.md", () => {
  test("describes each view and each of its columns, and no other", () => {
    const views = [...document.matchAll(/^### (v1_\w+)$/gm)].map(([, name = ""]) => name);
    expect(views.toSorted()).toEqual(namesOf("view"));
    for (const view of views) {
      const columns = db.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck().all(view);
      const documented = tableBelow(document, `### ${view}`).map(([column = ""]) => codeIn(column)[0]);
      expect(documented, view).toEqual(columns);
    }
  });

  test("has queries that run as they stand and find something", () => {
    const queries = codeBlocks(document).filter(({ language }) => language === "sql");
    expect(queries.length).toBeGreaterThan(8);
    for (const { text } of queries) {
      expect(db.prepare(text).all(), text).not.toEqual([]);
    }
  });
});

describe("the views", () => {
  test("by day, and the balances of all, add up to the spend that licet status shows, to the micro", () => {
    const byDay = db.prepare(`SELECT currency, ${SPEND} FROM v1_spend_by_day GROUP BY currency`).all();
    const total = db
      .prepare(`SELECT currency, ${SPEND} FROM v1_balances WHERE scope = 'all' AND period = 'total' GROUP BY currency`)
      .all();
    const shown = Object.entries(status.spend).map(([currency, spend]) => ({ currency, ...spend }));
    expect(shown).toEqual([expect.objectContaining({ currency: "USD" })]);
    expect(Math.min(...Object.values(status.spend.USD ?? {}))).toBeGreaterThan(0);
    expect(byDay).toEqual(shown);
    expect(total).toEqual(shown);
  });

  test("of purchases and uses add up to the same", () => {
    const { settledMicros, feeMicros, inDoubtMicros, reservedMicros } = status.spend.USD ?? {};
    expect(
      db
        .prepare(
          `SELECT sum(charged_micros) AS settledMicros, sum(charged_fee_micros) AS feeMicros,
             sum(set_aside_micros) FILTER (WHERE state = 'in_doubt') AS inDoubtMicros FROM v1_purchases`,
        )
        .get(),
    ).toEqual({ settledMicros, feeMicros, inDoubtMicros });
    const pending = db.prepare(
      "SELECT sum(times * unit_micros) FROM v1_uses WHERE is_billed = 1 AND state = 'pending'",
    );
    expect(pending.pluck().get()).toBe(reservedMicros);
  });

  test("have as many rows as licet audit and licet status count", () => {
    const { purchases, uses, documents, openItems } = audit.totals;
    for (const [state, count] of Object.entries(purchases)) {
      expect(countOf(`v1_purchases WHERE state = '${state}'`), state).toBe(count);
    }
    expect(countOf("v1_uses")).toBe(uses.recorded);
    expect(countOf("v1_documents")).toBe(documents);
    expect(countOf("v1_documents WHERE content_hash IS NOT NULL AND markdown IS NOT NULL")).toBe(status.pagesStored);
    expect(countOf("v1_open_items WHERE closed_at IS NULL")).toBe(openItems);
    expect(openItems).toBeGreaterThan(0);
    expect(audit.violations).toEqual([]);
  });

  test("of runs and denials agree with licet status, and their instants are ISO 8601", () => {
    const [run] = status.runs;
    expect(db.prepare("SELECT run_id, state, started_at, pages_bought, pages_in_doubt FROM v1_runs").all()).toEqual([
      {
        run_id: run?.runId,
        state: run?.state,
        started_at: new Date(run?.startedAt ?? 0).toISOString(),
        pages_bought: run?.pagesBought,
        pages_in_doubt: status.totals.inDoubt,
      },
    ]);
    expect(countOf("v1_denials WHERE reason = 'denied_by_rule'")).toBeGreaterThan(0);
  });
});
