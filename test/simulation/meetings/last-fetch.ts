/**
 * On a machine on which nothing but fetches run (`licet mcp`), a fetch frees what earlier ones left: the money that they had set aside, and what
 * they had sent.
 */
import { createAgentOn } from "../../../src/agent/create-agent.ts";
import type { Violation } from "../checks/evidence.ts";
import type { ProcessJob } from "../process.ts";
import type { World } from "../world.ts";
import type { Asks } from "./asks.ts";
import { isWithin, type Meeting } from "./meeting.ts";

/** What fetches that died left, before a last one. Null: nothing, or there is no page that a fetch would have to buy. */
export function planLastFetch(
  { db }: World,
  { scenario, configurations: [settings] }: Meeting,
  asks: Asks,
): ProcessJob | null {
  const hold = db.prepare<[string], number>(
    "SELECT 1 FROM page g WHERE g.url = ? AND (g.held_purchase_id IS NOT NULL OR EXISTS (SELECT 1 FROM purchase p WHERE p.page_id = g.id AND p.state <> 'released'))",
  );
  const all = scenario.sites.flatMap(({ pages }) => pages.map(({ url }) => url));
  const url = all.find((one) => isWithin(settings, one) && hold.get(one) === undefined);
  if (url === undefined || findLeft(db) === undefined) {
    return null;
  }
  const [urls, hosts] = [new Set([url]), new Set<string>()];
  asks.add({ what: "somebody fetches a page", kind: "fetch", settings, urls, hosts, maxPages: null, process: null });
  return (resources, bus, signal) => createAgentOn(resources, bus).fetch([url], { signal });
}

export function judgeLastFetch({ db }: World): Violation | null {
  const detail = findLeft(db);
  return detail === undefined ? null : { promise: "liveness", rule: "fetch-frees-fetches", detail };
}

function findLeft(db: World["db"]): string | undefined {
  return db
    .prepare<[], string>(
      "SELECT format('purchase %d of the fetch %s is %s', p.id, r.name, p.state) FROM purchase p JOIN run r ON r.id = p.run_id WHERE r.kind = 'fetch' AND p.state IN ('reserved', 'started')",
    )
    .pluck()
    .get();
}
