/** What must be true of a correct ledger: read with plain SQL and compared with the gateway's own account. Shares no code with licet. */
import type { FullAudit } from "../../src/sandbox/books/audit.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { compareAccounts } from "../doubles/compare-accounts.ts";
import { openSpelledOut } from "../doubles/spelled-out.ts";

export interface PurchaseFact {
  readonly id: number;
  readonly url: string;
  readonly state: "reserved" | "started" | "settled" | "released" | "in_doubt";
  readonly intent: "content" | "indexing";
  readonly quoted: number;
  readonly charged: number | null;
  readonly reason: string | null;
  readonly token: string | null;
  readonly hasContent: number;
  /** `charged`, `not_charged`, or null when it is not resolved. */
  readonly resolved: string | null;
}

export interface UseFact {
  readonly url: string;
  readonly kind: "fetch" | "use";
  readonly key: string | null;
  readonly times: number;
  readonly state: string;
  readonly charged: number | null;
  readonly unit: number;
  readonly billed: number;
}

export interface LedgerFacts {
  readonly purchases: readonly PurchaseFact[];
  readonly uses: readonly UseFact[];
  readonly runs: readonly { readonly state: string; readonly reason: string | null }[];
  readonly balance: { readonly reserved: number; readonly inDoubt: number; readonly settled: number };
  readonly refusedQuotes: readonly string[];
  /** Batches of reports without a final answer. */
  readonly frozenReports: number;
}

export function readFacts(ledgerFile: string): LedgerFacts {
  const db = openSpelledOut(ledgerFile);
  const all = <Row>(sql: string) => db.prepare<[], Row>(sql).all();
  try {
    const [balance] = all<LedgerFacts["balance"]>(
      "SELECT reserved_micros AS reserved, in_doubt_micros AS inDoubt, settled_micros AS settled FROM balance WHERE scope = 'all' AND period = 'total' AND currency = 'USD'",
    );
    return {
      purchases: all(
        `SELECT u.id, g.url, u.state, u.intent, u.quoted_micros AS quoted, u.charged_micros AS charged, u.reason, u.token,
           EXISTS (SELECT 1 FROM content c WHERE c.purchase_id = u.id AND coalesce(c.markdown, c.html) <> '') AS hasContent,
           (SELECT outcome FROM resolution r WHERE r.purchase_id = u.id) AS resolved
         FROM purchase u JOIN page g ON g.id = u.page_id ORDER BY u.id`,
      ),
      uses: all(
        `SELECT g.url, u.kind, u.key, u.times, u.state, u.charged_micros AS charged, u.unit_micros AS unit, u.billed
         FROM use u JOIN page g ON g.id = u.page_id ORDER BY u.id`,
      ),
      runs: all("SELECT state, reason FROM run ORDER BY id"),
      balance: balance ?? { reserved: 0, inDoubt: 0, settled: 0 },
      refusedQuotes: all<{ url: string }>(
        "SELECT g.url FROM denial d JOIN page g ON g.id = d.page_id WHERE d.reason = 'quote_refused'",
      ).map(({ url }) => url),
      frozenReports: all("SELECT 1 FROM usage_batch WHERE state <> 'settled' AND state <> 'rejected'").length,
    };
  } finally {
    db.close();
  }
}

/** Pages whose content the ledger has. */
export function storedUrls({ purchases }: LedgerFacts): Set<string> {
  return new Set(
    purchases.filter(({ state, hasContent }) => state === "settled" && hasContent === 1).map(({ url }) => url),
  );
}

export interface Allowance {
  /** Charges of a page beyond one: those of purchases that were resolved as charged, whose content was lost. */
  readonly extraCharges: ReadonlyMap<string, number>;
  /** The gateway refused reports for good: then a use may be rejected instead of reported. */
  readonly rejectedUses: boolean;
}

/** @returns what is wrong, in words; empty when nothing is */
export function checkAccounts(
  sandbox: Sandbox,
  ledgerFile: string,
  limitMicros: number,
  allowance: Allowance,
): string[] {
  const facts = readFacts(ledgerFile);
  const account = sandbox.audit();
  return [
    ...compareAccounts(sandbox, ledgerFile, allowance),
    ...checkPurchases(facts),
    ...checkSum(facts, account),
    ...checkUses(facts, account, allowance),
    ...checkBalance(facts, limitMicros),
  ];
}

function checkPurchases({ purchases }: LedgerFacts): string[] {
  return purchases.flatMap(({ id, url, state, token, hasContent, resolved }) => {
    const what = `purchase ${id} of ${url}`;
    if (state === "reserved" || state === "started") {
      return [`${what} is still ${state}`];
    }
    if (token !== null) {
      return [`${what} is ${state} and keeps its token`];
    }
    return state === "settled" && hasContent === 0 && resolved !== "charged"
      ? [`${what} is settled and has no content`]
      : [];
  });
}

/** In doubt, a purchase counts whether it was charged or not; everything else agrees to the micro. */
function checkSum({ purchases }: LedgerFacts, { totals }: FullAudit): string[] {
  const paid = purchases.filter(({ intent, state }) => intent === "content" && state === "settled");
  const settled = paid.reduce((sum, { charged }) => sum + (charged ?? 0), 0);
  const doubtful = purchases.filter(({ state }) => state === "in_doubt").reduce((sum, { quoted }) => sum + quoted, 0);
  const charged = totals.USD?.chargedMicros ?? 0;
  return charged < settled || charged > settled + doubtful
    ? [`the gateway charged ${charged} micros; ${settled} are settled, ${doubtful} in doubt`]
    : [];
}

function checkUses(
  { purchases, uses, frozenReports }: LedgerFacts,
  account: FullAudit,
  allowance: Allowance,
): string[] {
  const problems: string[] = frozenReports === 0 ? [] : [`${frozenReports} reports have no answer`];
  const fetched = purchases.filter(
    ({ intent, state, hasContent }) => intent === "content" && state === "settled" && hasContent === 1,
  );
  const fetches = uses.filter(({ kind }) => kind === "fetch");
  if (fetches.length !== fetched.length) {
    problems.push(`${fetched.length} pages were fetched, ${fetches.length} fetches are recorded`);
  }
  const ends = allowance.rejectedUses ? ["settled", "rejected"] : ["settled"];
  problems.push(
    ...uses
      .filter(({ state }) => !ends.includes(state))
      .map(({ url, kind, state }) => `the ${kind} of ${url} is ${state}`),
  );
  const recorded = sumTimes(uses.filter(({ state }) => state === "settled"));
  const reported = sumTimes(account.uses);
  for (const url of new Set([...recorded.keys(), ...reported.keys()])) {
    const [ours, theirs] = [recorded.get(url) ?? 0, reported.get(url) ?? 0];
    if (ours !== theirs) {
      problems.push(`${url}: ${ours} uses are settled, the gateway was told of ${theirs}`);
    }
  }
  return problems;
}

function sumTimes(uses: readonly { readonly url: string; readonly times: number }[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { url, times } of uses) {
    sums.set(url, (sums.get(url) ?? 0) + times);
  }
  return sums;
}

function checkBalance({ purchases, uses, balance }: LedgerFacts, limitMicros: number): string[] {
  const problems: string[] = [];
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const settled =
    sum(purchases.filter(({ state }) => state === "settled").map(({ charged }) => charged ?? 0)) +
    sum(uses.map(({ charged }) => charged ?? 0));
  const inDoubt = sum(purchases.filter(({ state }) => state === "in_doubt").map(({ quoted }) => quoted));
  // The cost of a refused report stays set aside: the use happened, and a person must check it.
  const rejected = sum(
    uses.filter(({ state, billed }) => state === "rejected" && billed === 1).map(({ unit, times }) => unit * times),
  );
  if (balance.reserved !== rejected) {
    problems.push(`${balance.reserved} micros are still reserved, of which ${rejected} for refused reports`);
  }
  if (balance.settled !== settled || balance.inDoubt !== inDoubt) {
    problems.push(
      `the balance says ${balance.settled} settled and ${balance.inDoubt} in doubt, the rows ${settled} and ${inDoubt}`,
    );
  }
  if (settled + inDoubt + rejected > limitMicros) {
    problems.push(`${settled} settled and ${inDoubt} in doubt are more than the limit of ${limitMicros}`);
  }
  return problems;
}
