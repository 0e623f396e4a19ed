/** Ids of purchases, reports and open items are numbers alike: who gives one of another kind is told which. Called within a write. */
import type { Connection } from "../engine/connection.ts";

/** What a person can resolve by this number, and how; or where the numbers stand. */
export function createDescribeId(db: Connection): (id: number) => string {
  const isPurchase = db.prepare<[number], number>("SELECT 1 FROM purchase WHERE id = ? AND state = 'in_doubt'").pluck();
  const isReport = db
    .prepare<[number], number>("SELECT 1 FROM usage_batch WHERE id = ? AND state = 'needs_reconcile'")
    .pluck();
  const isItem = db.prepare<[number], number>("SELECT 1 FROM open_item WHERE id = ? AND closed_at IS NULL").pluck();
  return (id) => {
    const ways = [
      ...(isPurchase.get(id) === undefined ? [] : [`a purchase in doubt (--charged or --not-charged)`]),
      ...(isReport.get(id) === undefined ? [] : [`a report to reconcile (--taken or --not-taken)`]),
      ...(isItem.get(id) === undefined ? [] : [`an open item (--close)`]),
    ];
    const where = "`licet status` lists what can be resolved, with its number.";
    return ways.length === 0 ? where : `${id} is the number of ${ways.join(" and of ")}. ${where}`;
  };
}
