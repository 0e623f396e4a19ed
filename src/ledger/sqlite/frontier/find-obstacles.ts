import { createBuyingLimits } from "../../../budget/limits.ts";
import type { Answered, Asked, ReadTx } from "../operation.ts";
import { markRenewals } from "../rights/renewals.ts";
import { findStopper } from "../runs/lasting-stops.ts";
import { DUE_COLUMNS, type DuePage, isFreshEnough } from "./judge-pages.ts";
import { findBlock } from "./quote-batches.ts";

/** Stands for the next run, of which no budget has counted anything. */
const NEXT_RUN = "";

const SELECT_PAGE = `SELECT ${DUE_COLUMNS} FROM page p WHERE p.id = ?`;

/** Reads: page, purchase, open_item, site_pause, balance. What the judge of pages (judge-pages.ts) would find, each for itself. */
export function findObstacles(
  tx: ReadTx,
  {
    pageId,
    host,
    cost,
    now,
    expiry,
    budgets,
    maxPages,
    siteMaxPages,
    maxSpend,
    inDoubt,
    ...rules
  }: Asked<"findObstacles">,
): Answered<"findObstacles"> {
  const page = pageId === null ? undefined : tx.get<DuePage>(SELECT_PAGE, pageId);
  const limits = createBuyingLimits({
    readBalance: tx.balances.read,
    budgets,
    runId: NEXT_RUN,
    now,
    maxSpend,
    noRoom: "end_buying",
    runPagesLeft: maxPages,
    readSite: () => ({ pagesLeft: siteMaxPages, exhausted: new Map() }),
  });
  const limit = limits.take(host, cost);
  const [spent = null] = limits.spent(host);
  const known = { stoppedBy: stopperOf(tx, host), limit, spent };
  return page === undefined
    ? { ...known, block: null, isFreshEnough: false }
    : {
        ...known,
        block: findBlock(page, inDoubt),
        isFreshEnough: isFreshEnough(page, {
          ...rules,
          now,
          isNotified: false,
          withRenewal: markRenewals(tx, expiry, now),
        }),
      };
}

/** A site that the ledger does not know has none. */
function stopperOf(tx: ReadTx, host: string): Answered<"findObstacles">["stoppedBy"] {
  const siteId = tx.value<number>`SELECT id FROM site WHERE host = ${host}`;
  return siteId === undefined ? null : findStopper(tx, siteId);
}
