/**
 * A charge or a license that is not what was ordered: the commit that settles it lists it, and no run buys more from its site
 * until a person closes the item (design § Runs and § Purchases). The gateway's account says what is wrong. Nor does any run buy from a site that a
 * person has paused.
 */
import type { Evidence, StepRule, Violation } from "./evidence.ts";
import type { History } from "./history.ts";
import type { PurchaseRow } from "./ledger-rows.ts";

export function createLastingStops({ db }: Evidence, history: History): StepRule {
  const findItem = db.prepare<[number], { readonly siteId: number | null; readonly closedAt: number | null }>(
    `SELECT site_id AS siteId, closed_at AS closedAt FROM open_item
     WHERE purchase_id = ? AND kind IN ('overcharged', 'charge_unreadable', 'license_mismatch') ORDER BY closed_at IS NOT NULL LIMIT 1`,
  );
  const readPaused = db.prepare<[], string>("SELECT s.host FROM site_pause p JOIN site s ON s.id = p.site_id").pluck();
  /** As of the commit before. */
  let paused: readonly string[] = [];
  /** As of the commit before. */
  const causes = new Map<number, PurchaseRow>();
  const judgeListing = ({ id, url }: PurchaseRow): Violation | null => {
    const item = findItem.get(id);
    return item === undefined || item.siteId === null
      ? broken("flaw-is-listed", 7, `purchase ${id} of ${url} is not as it was ordered, and no item stops its site`)
      : null;
  };
  const judgeBuying = ({ id, host, state }: PurchaseRow): Violation | null => {
    const cause = [...causes.values()].find((one) => one.host === host && findItem.get(one.id)?.closedAt === null);
    return cause === undefined
      ? null
      : broken("lasting-stop-holds", 1, `purchase ${id} is ${state} although purchase ${cause.id} has stopped ${host}`);
  };
  return ({ purchases }) => {
    const pausedBefore = paused;
    paused = readPaused.all();
    const settled = purchases.filter(({ now }) => isFlawed(now, history));
    for (const { before, now } of purchases) {
      const isBuying = before === null || (before.state === "reserved" && now.state === "started");
      // One commit may end a pause and buy.
      if (isBuying && pausedBefore.includes(now.host) && paused.includes(now.host)) {
        return broken("pause-holds", 1, `purchase ${now.id} is ${now.state} although ${now.host} is paused`);
      }
      const violation = isBuying ? judgeBuying(now) : null;
      if (violation !== null) {
        return violation;
      }
    }
    for (const { now } of settled) {
      const violation = judgeListing(now);
      if (violation !== null) {
        return violation;
      }
      causes.set(now.id, now);
    }
    return null;
  };
}

function isFlawed(row: PurchaseRow, { chargeOf, tokenOf, issued }: History): boolean {
  const token = tokenOf.get(row.id) ?? "";
  const charge = chargeOf.get(token);
  const cap = issued.get(token)?.capMicros ?? 0;
  const isSaid = charge?.said === "truth" || charge?.said === "nothing";
  return (
    row.state === "settled" &&
    row.hasContent === 1 &&
    charge !== undefined &&
    (charge.micros > cap || (charge.micros > 0 && charge.currency !== row.currency) || !isSaid || !charge.isAsOrdered)
  );
}

function broken(rule: string, promise: Violation["promise"], detail: string): Violation {
  return { promise, rule, detail };
}
