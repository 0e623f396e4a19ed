/**
 * Movements of money within one transaction, gathered in memory: each balance row that they touch is written once, however
 * many purchases moved it. Operations change the deltas of an account; nobody else writes the balance table.
 */
import type { AccountName, PageAccountName } from "../../../account/movement.ts";
import type { Balance } from "../../../budget/budget.ts";
import type { BalanceKeyInCurrency } from "../../../budget/covering-budgets.ts";
import { balanceKeys } from "../../../budget/scope.ts";
import { type Micros, subtractMicros, toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import type { Statements } from "../engine/statements.ts";

const DAY_MS = 86_400_000;
/** Accounts kept for the next transaction: one per host, run, day and currency. */
const MAX_ACCOUNTS = 5_000;

/** What a balance counts, with its columns: money (settled_micros includes fees), and pages. */
const COLUMNS = {
  reservedMicros: "reserved_micros",
  inDoubtMicros: "in_doubt_micros",
  settledMicros: "settled_micros",
  feeMicros: "fee_micros",
  boughtPages: "bought_pages",
  failedPages: "failed_pages",
  allowedMicros: "allowed_micros",
  reportedMicros: "reported_micros",
} as const satisfies Record<AccountName | PageAccountName, string>;
const NAMES = Object.keys(COLUMNS) as readonly (keyof typeof COLUMNS)[];

/** What moves where the same rows are touched. Signed, added to at will; written and zeroed at the commit. */
export type Account = Record<keyof typeof COLUMNS, number>;

const nothing = (): Account => ({
  reservedMicros: 0,
  inDoubtMicros: 0,
  settledMicros: 0,
  feeMicros: 0,
  boughtPages: 0,
  failedPages: 0,
  allowedMicros: 0,
  reportedMicros: 0,
});

/** Where and when money moves: a purchase's `reserved_at`, a use's `budget_at`, for their whole life. */
export interface AccountKey {
  readonly host: string;
  /** The run's name; null for what belongs to no run. */
  readonly runId: string | null;
  readonly at: number;
  readonly currency: Currency;
}

export interface BalanceBook {
  account(key: AccountKey): Account;
  /** What counts now, movements of the running transaction included. */
  read(key: BalanceKeyInCurrency): Balance;
  flush(): void;
  discard(): void;
}

interface KeptAccount extends Account {
  readonly rows: readonly BalanceKeyInCurrency[];
  dirty: boolean;
}

interface RowDelta extends Account {
  readonly row: BalanceKeyInCurrency;
}

export function createBalanceBook(statements: Statements): BalanceBook {
  const accounts = new Map<string, KeptAccount>();
  /** Of the movement before: the next one is mostly of the same run, site and instant. */
  let last: { readonly key: AccountKey; readonly account: KeptAccount } | null = null;
  let dirty: KeptAccount[] = [];

  function flush(): void {
    const [account] = dirty;
    if (account !== undefined && dirty.length === 1) {
      for (const row of account.rows) {
        writeRow(statements, row, account);
      }
    } else {
      for (const delta of mergeRows(dirty)) {
        writeRow(statements, delta.row, delta);
      }
    }
    reset();
  }

  function reset(): void {
    for (const account of dirty) {
      Object.assign(account, nothing());
      account.dirty = false;
    }
    dirty = [];
    if (accounts.size > MAX_ACCOUNTS) {
      accounts.clear();
      last = null;
    }
  }

  function find(key: AccountKey): KeptAccount {
    if (last !== null && isSame(last.key, key)) {
      return last.account;
    }
    // Within one UTC day the period of every budget is the same.
    const name = `${key.host} ${key.currency} ${Math.floor(key.at / DAY_MS)} ${key.runId}`;
    let account = accounts.get(name);
    if (account === undefined) {
      account = createAccount(key);
      accounts.set(name, account);
    }
    last = { key, account };
    return account;
  }

  return {
    account(key) {
      const account = find(key);
      if (!account.dirty) {
        account.dirty = true;
        dirty.push(account);
      }
      return account;
    },
    read({ scope, period, currency }) {
      flush();
      const row = statements.get<{ reserved: number; inDoubt: number; settled: number }>`
        SELECT reserved_micros AS reserved, in_doubt_micros AS inDoubt, settled_micros AS settled FROM balance
        WHERE scope = ${scope} AND period = ${period} AND currency = ${currency}`;
      return {
        reservedMicros: toMicros(row?.reserved ?? 0),
        inDoubtMicros: toMicros(row?.inDoubt ?? 0),
        spentMicros: toMicros(row?.settled ?? 0),
      };
    },
    flush,
    discard: reset,
  };
}

function isSame(one: AccountKey, other: AccountKey): boolean {
  return one.at === other.at && one.runId === other.runId && one.host === other.host && one.currency === other.currency;
}

function createAccount(key: AccountKey): KeptAccount {
  const rows = balanceKeys(key).map(({ scope, period }) => ({ scope, period, currency: key.currency }));
  return { rows, dirty: false, ...nothing() };
}

/** Accounts of different hosts share the rows of scope `all`. */
function mergeRows(accounts: readonly KeptAccount[]): Iterable<RowDelta> {
  const merged = new Map<string, RowDelta>();
  for (const account of accounts) {
    for (const row of account.rows) {
      const name = `${row.scope} ${row.period} ${row.currency}`;
      let delta = merged.get(name);
      if (delta === undefined) {
        delta = { row, ...nothing() };
        merged.set(name, delta);
      }
      for (const name of NAMES) {
        delta[name] += account[name];
      }
    }
  }
  return merged.values();
}

// Not an upsert: a CHECK sees the row to be inserted first, and a delta may be negative.
const UPDATE = `UPDATE balance SET ${NAMES.map((name) => `${COLUMNS[name]} = ${COLUMNS[name]} + ?`).join(", ")}
  WHERE scope = ? AND period = ? AND currency = ?`;
const INSERT = `INSERT INTO balance (${NAMES.map((name) => COLUMNS[name]).join(", ")}, scope, period, currency)
  VALUES (${NAMES.map(() => "?").join(", ")}, ?, ?, ?)`;

function writeRow(statements: Statements, row: BalanceKeyInCurrency, delta: Account): void {
  const moved = NAMES.map((name) => delta[name]);
  if (moved.every((by) => by === 0)) {
    return;
  }
  const values = [...moved, row.scope, row.period, row.currency];
  if (statements.run(UPDATE, ...values).changes === 0) {
    statements.run(INSERT, ...values);
  }
}

/**
 * How much more money of a currency can be counted exactly: what is left below 2^53 in the balance that holds all the others.
 * A movement beyond it would break a CHECK, and take down everything that shares its transaction.
 */
export function countableHeadroom(balances: BalanceBook, currency: Currency): Micros {
  const { spentMicros, inDoubtMicros, reservedMicros } = balances.read({ scope: "all", period: "total", currency });
  const counted = [spentMicros, inDoubtMicros, reservedMicros];
  return counted.reduce(subtractMicros, toMicros(Number.MAX_SAFE_INTEGER));
}
