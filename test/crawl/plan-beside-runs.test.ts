/** A plan in the making, while runs and fetches begin beside it: each clears away what dead processes left, and the plan is alive. */
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { createCrawlWorld } from "../doubles/crawl-world.ts";

const PAGES = 12;
const toUrl = (host: string, page: number) => `https://${host}/p${page}`;

test.each([undefined, "cheapest" as const])(
  "a plan in the order %s ends in order while runs, fetches and other plans begin beside it",
  async (order) => {
    const world = await createCrawlWorld({
      sandbox: {
        sites: ["news.example", "blog.example"].map((host) => ({
          kind: "pages" as const,
          host,
          pages: Array.from({ length: PAGES }, (_, page) => ({
            url: toUrl(host, page),
            markdown: "Words.",
            rates: [{ priceMicros: 1_000 }],
          })),
        })),
      },
      config: {
        gateway: { catalogPageSize: 2, quoteBatchSize: 2, concurrency: 1 },
        budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
        sites: ["news.example", "blog.example"].map((host) => ({ host, policy: "standard" })),
      },
    });
    onTestFinished(world.close);
    const agent = await world.openAgent();
    await agent.run({ hosts: ["news.example"], maxPages: 1 });
    const other = await world.openAgent();
    const out = join(world.directory, "plan.jsonl");
    const beside = [
      () => other.fetch([toUrl("blog.example", 0)]),
      () => other.run({ hosts: ["blog.example"], maxPages: 1, fresh: true }),
      () => other.run({ list: [toUrl("blog.example", 2)] }),
      () => other.plan({ hosts: ["blog.example"] }),
    ];
    let planned = 0;
    const report = await agent.plan({
      hosts: ["news.example"],
      out,
      ...(order === undefined ? {} : { order }),
      onPage: async () => {
        planned += 1;
        await beside.shift()?.();
      },
    });
    expect(beside).toEqual([]);
    expect(report).toMatchObject({ pages: { approved: PAGES - 1 }, file: { pages: PAGES - 1 } });
    expect(planned).toBe(PAGES - 1);
    expect((await other.run({ plan: out })).plan).toMatchObject({ bought: PAGES - 1 });
    const db = new Database(world.ledgerFile, { readonly: true });
    onTestFinished(() => void db.close());
    expect(db.prepare("SELECT count(*) FROM run WHERE kind = 'planning'").pluck().get()).toBe(0);
    expect(await agent.audit()).toMatchObject({ ok: true });
  },
);
