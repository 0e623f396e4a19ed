/** The pages of money, denials and sites over HTTP: each number is one of a report, and hostile text stays text. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openSqliteLedger } from "../../../../src/ledger/sqlite/open.ts";
import { formatStatementCsv } from "../../../../src/statement/statement-csv.ts";
import { ONE_PRICE } from "../../../doubles/cli-world.ts";
import { NOON } from "../../../doubles/ledger-shop.ts";
import { createServiceWorld, type ServiceWorld } from "../../../doubles/service-world.ts";
import { createWebClient } from "../../../doubles/web-client.ts";

const PAGES = 5;
const MONTH = new Date().toISOString().slice(0, 7);

let world: ServiceWorld;
const { read: look } = createWebClient(() => world);

beforeAll(async () => {
  world = await createServiceWorld({
    sandbox: {
      sites: [
        { kind: "synthetic", host: "news.example", pages: PAGES, bodyBytes: 200 },
        { kind: "synthetic", host: "dear.example", pages: 3, bodyBytes: 200 },
      ],
      rates: ONE_PRICE,
    },
    config: {
      serve: { port: 0 },
      budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
      policies: {
        standard: { rules: [{ allow: { maxPrice: "0.01 USD" } }], retention: "10d", onExpiry: "purge" },
        thrifty: { rules: [{ allow: { maxPrice: "0.002 USD" } }] },
      },
      sites: [
        { host: "news.example", policy: "standard", schedule: "0 3 * * *" },
        { host: "dear.example", policy: "thrifty" },
      ],
    },
  });
});

afterAll(() => world.close());

describe("before the first run", () => {
  it("the pages say what to do first", async () => {
    expect(await look("/money")).toContain("start a run: <code>licet run</code>");
    expect(await look("/denials")).toContain("No page was denied.");
    expect(await look("/sites")).toContain("news.example");
    expect(await look("/rights")).toContain("No rights end in this time.");
    expect(await look("/sites/news.example")).toContain("No page was quoted yet");
    expect(await look(`/money/${MONTH}`)).toContain("Nothing was booked in this month.");
  });
});

it("the deliveries of alerts are those of licet alerts --raised, some alerts at once", async () => {
  const ledger = await openSqliteLedger({ path: world.ledgerFile });
  onTestFinished(() => ledger.close());
  const receivers = [{ receiver: "of yesterday", kinds: ["run_failed" as const], unreportedForMs: null }];
  await ledger.admitReceivers({ receivers, now: NOON });
  const about = { site: null, run: null, code: null, command: null, details: {}, unless: null, unreportedForMs: null };
  const alerts = Array.from({ length: 21 }, (_, index) => ({
    ...{
      kind: "run_failed" as const,
      key: `run_failed:run_${index}`,
      message: "a run failed",
      at: NOON,
      isSilent: false,
    },
    ...about,
  }));
  await ledger.raiseAlerts({ alerts, receivers, now: NOON });
  const due = { receivers: ["of yesterday"], now: NOON, leaseMs: 1_000, limit: 21 };
  for (const { alertId, receiver, attempt } of await ledger.takeDeliveries(due)) {
    const outcome = { kind: "retry", notBefore: NOON + 60_000, error: "<b>503</b>" } as const;
    await ledger.endDelivery({ alertId, receiver, attempt, outcome, now: NOON });
  }
  const first = await look("/schedules");
  expect(first.match(/a receiver that is not configured any more/g)).toHaveLength(20);
  expect(first).toContain("&lt;b&gt;503&lt;/b&gt;");
  expect(first).toContain(`datetime="${new Date(NOON + 60_000).toISOString()}"`);
  expect(first).toContain("<code data-command>licet alerts --json --raised --limit 20</code>");
  const next = /href="(\?cursor=\d+)"/.exec(first)?.[1];
  const second = await look(`/schedules${next}`);
  expect(second.match(/a receiver that is not configured any more/g)).toHaveLength(1);
  expect(second).not.toContain('rel="next"');
});

describe("after a run", () => {
  beforeAll(async () => {
    const agent = await world.openAgent();
    await agent.run();
  });

  it("money is that of licet spend, and of the books of the gateway", async () => {
    const charged = world.sandbox.audit().charges.reduce((sum, { priceMicros }) => sum + priceMicros, 0);
    expect(charged).toBe(PAGES * 10_000);
    const text = await look("/money");
    expect(text).toContain(`<data class="amount" value="${charged}" data-currency="USD">0.05 USD</data>`);
    expect(text).toContain("<code data-command>licet spend --json</code>");
    expect(text).toContain("<svg");
    expect(await look("/money?site=dear.example")).toContain("Nothing was bought in these days.");
  });

  it("the statement is that of licet statement, and its CSV the same bytes", async () => {
    const agent = await world.openAgent();
    for (const by of ["site", "license", "day"] as const) {
      const statement = await agent.statement({ month: MONTH, by });
      const text = await look(`/money/${MONTH}?by=${by}`);
      for (const line of statement.lines) {
        expect(text).toContain(`value="${line.total.chargedMicros}"`);
      }
      if (by === "site") {
        const linked = [...text.matchAll(/href="\/sites\/([^"]+)"/g)].map(([, host]) => host);
        expect(linked).toEqual(statement.lines.map(({ group }) => group));
      }
      expect(text).toContain(`licet statement --json --month ${MONTH} --by ${by}`);
      const file = await world.call("GET", `/money/${MONTH}/statement.csv?by=${by}`);
      expect(file.text).toBe(formatStatementCsv(statement));
      expect(file.headers).toMatchObject({
        "content-type": "text/csv; charset=utf-8; header=present",
        "content-disposition": `attachment; filename="statement-${MONTH}.csv"`,
        "cache-control": "no-store",
      });
    }
    expect((await world.call("GET", "/money/2026-13/statement.csv")).status).toBe(400);
    expect((await world.call("GET", "/money/yesterday")).status).toBe(400);
  });

  it("rights have their days, and lead to the documents", async () => {
    const text = await look("/rights");
    expect(text).toContain("Stored pages whose rights end, by UTC day");
    expect(text).toMatch(/<a href="\/documents\/\d+">/);
    expect(text).toContain(">purge<");
    expect(await look("/rights?within=5d")).toContain("No rights end in this time.");
    expect((await world.call("GET", "/rights?within=soon")).status).toBe(400);
  });

  it("denials are those of licet denials, by reason, by rule and page by page", async () => {
    const text = await look("/denials?limit=2");
    expect(text).toContain('<a href="/denials?limit=2&amp;reason=no_rule_matched">no_rule_matched</a>');
    expect(text).toContain('<data class="count" value="3">3</data>');
    const next = /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(await look(next)).toContain("https://dear.example/");
    expect(await look("/denials?reason=in_doubt")).toContain("No more pages match.");
  });

  it("a site has its prices, with the line of its maxPrice, and says what another one would have bought", async () => {
    const text = await look("/sites/dear.example?maxPrice=0.01+USD");
    expect(text).toContain('class="mark"');
    expect(text).toContain("maxPrice 0.002 USD");
    expect(text).toContain('<data class="amount" value="30000" data-currency="USD">0.03 USD</data>');
    expect(text).toContain("licet sites dear.example --json --max-price &#39;0.01 USD&#39;");
    expect((await world.call("GET", "/sites/dear.example?maxPrice=much")).status).toBe(400);
    expect((await world.call("GET", "/sites/none.example")).status).toBe(400);
  });

  it.each(["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "\u202e\u0000x", "x".repeat(10_000)])(
    "hostile values of an address (%#) stay text",
    async (value) => {
      const given = encodeURIComponent(value);
      for (const path of [`/sites/${given}`, `/money?site=${given}`, `/denials?site=${given}`, `/money/${given}`]) {
        const { status, text } = await world.call("GET", path, { headers: { accept: "text/html" } });
        expect([200, 400, 404, 414]).toContain(status);
        expect(text).not.toMatch(/<script>alert|<img src=x/);
      }
    },
  );
});
