import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { type PurchaseRow, readPurchases } from "./crawl-world.ts";

/** The sandbox, or what it said of itself. */
type Account = Pick<Sandbox, "audit">;

export interface AccountRules {
  /** Charges of a page beyond one that are right, such as those of purchases whose content was lost. Undefined: a page may be bought anew. */
  readonly extraCharges?: ReadonlyMap<string, number>;
  /** The gateway answered every request that it got: then each purchase in doubt was charged. @default false */
  readonly areDoubtsCharged?: boolean;
}

/**
 * The only comparer of a ledger's file with the gateway's own account, page by page, by plain SQL and without licet's code (the demo has
 * its own, for users; the simulation has checkers of its own):
 * - every settled purchase has a charge of its own at exactly its amount;
 * - every charge that is left over has a purchase in doubt of its own; one of nothing may have a free purchase instead,
 *   whose doubt was resolved at once;
 * - so no charge is unaccounted for, and nothing was settled that was not charged; and no token was charged twice.
 * @returns what disagrees, in words; empty when the accounts agree
 */
export function compareAccounts(sandbox: Account, ledgerFile: string, rules: AccountRules = {}): string[] {
  const problems: string[] = [];
  const purchases = readPurchases(ledgerFile).filter(({ intent }) => intent === "content");
  const { charges: all } = sandbox.audit();
  if (new Set(all.map(({ tokenId }) => tokenId)).size !== all.length) {
    problems.push("a token was charged twice");
  }
  const chargesByUrl = groupBy(all, ({ url }) => new URL(url).href);
  for (const [url, rows] of groupBy(purchases, (row) => new URL(row.url).href)) {
    const charges = (chargesByUrl.get(url) ?? []).map(({ priceMicros }) => priceMicros);
    chargesByUrl.delete(url);
    problems.push(...comparePage(url, rows, charges, rules));
  }
  for (const [url, charges] of chargesByUrl) {
    problems.push(`${url}: charged ${charges.length} times, and the ledger has no purchase`);
  }
  return problems;
}

function comparePage(
  url: string,
  rows: readonly PurchaseRow[],
  charges: readonly number[],
  { extraCharges, areDoubtsCharged = false }: AccountRules,
): string[] {
  const problems: string[] = [];
  const left = [...charges];
  const settled = rows.filter(({ state }) => state === "settled");
  for (const { charged } of settled) {
    const index = left.indexOf(charged ?? -1);
    if (index === -1) {
      problems.push(`${url}: settled at ${charged}, and the gateway's charges are ${charges.join(", ")}`);
    } else {
      left.splice(index, 1);
    }
  }
  for (const { quoted } of rows.filter(({ reason }) => reason === "resolved_not_charged")) {
    const index = quoted === 0 ? left.indexOf(0) : -1;
    if (index !== -1) {
      left.splice(index, 1);
    }
  }
  const doubts = rows.filter(({ state }) => state === "in_doubt").length;
  if (left.length > doubts) {
    problems.push(`${url}: ${left.length} charges have no settled purchase, and only ${doubts} are in doubt`);
  }
  if (areDoubtsCharged && left.length < doubts) {
    problems.push(`${url}: ${doubts} purchases are in doubt, and only ${left.length} of them were charged`);
  }
  const most = extraCharges === undefined ? null : 1 + (extraCharges.get(url) ?? 0);
  if (most !== null && settled.length + left.length > most) {
    problems.push(`${url}: charged ${settled.length + left.length} times, which may be ${most} at most`);
  }
  const open = rows.filter(({ state }) => state === "reserved" || state === "started");
  if (open.length > 0) {
    problems.push(`${url}: ${open.length} purchases are still open`);
  }
  return problems;
}

/**
 * Every settled fetch is reported once, and nothing else is.
 * @param usesByHand later uses that were recorded, by page
 * @returns what disagrees
 */
export function compareReports(
  sandbox: Account,
  ledgerFile: string,
  usesByHand: Readonly<Record<string, number>> = {},
): string[] {
  const settled = groupBy(
    readPurchases(ledgerFile).filter(({ intent, state }) => intent === "content" && state === "settled"),
    ({ url }) => new URL(url).href,
  );
  const reported = groupBy(sandbox.audit().uses, ({ url }) => new URL(url).href);
  return [...new Set([...settled.keys(), ...reported.keys()])].flatMap((url) => {
    const used = (settled.get(url)?.length ?? 0) + (usesByHand[url] ?? 0);
    const times = (reported.get(url) ?? []).reduce((sum, use) => sum + use.times, 0);
    return used === times ? [] : [`${url}: used ${used} times, reported ${times} times`];
  });
}

function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, [row]);
    } else {
      group.push(row);
    }
  }
  return groups;
}
