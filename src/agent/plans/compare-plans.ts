/**
 * Two saved plans side by side, for a review: which pages a new one adds and drops, and which it lets cost something else. Plans are in the order of
 * their purchases and may be longer than the memory, so their lines are sorted by page in a temporary file.
 */
import type { Spool, SpoolRow } from "../../ledger/spool.ts";
import { addMicros, type Micros, ZERO_MICROS } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import { findChange, moneyOf, type PagePrice, type PlanChange, toPagePrice } from "../../plan/plan-change.ts";
import { findDifferences } from "../../plan/plan-differences.ts";
import { openPlan, type PlanSum, type SavedPlan } from "./open-plan.ts";

/** Pages of one kind of change. */
export interface ChangedPages {
  readonly pages: number;
  /** What they add to the sum of the plan, by currency. Below zero: they take away. */
  readonly changeMicros: Readonly<Record<Currency, Micros>>;
}

/** What two plans come to, and what lies between them. */
export interface PlanComparison {
  /** Absolute. */
  readonly path: string;
  /** The earlier plan. Absolute. */
  readonly against: string;
  readonly before: PlanSum;
  readonly after: PlanSum;
  readonly added: ChangedPages;
  readonly dropped: ChangedPages;
  /** In both, for another price or under another license. */
  readonly changed: ChangedPages;
  /** Pages that both have in the same way. */
  readonly same: number;
  /** What differs between the configurations that both were made under. */
  readonly differences: ReturnType<typeof findDifferences>;
}

const BEFORE = 0;
const AFTER = 1;
const ROWS_AT_ONCE = 500;

/**
 * @param onChange gets each page that differs, in the order of the addresses. The next one waits for the promise
 * @throws LicetError PLAN_REFUSED for a file that is not a plan, DISK_FULL
 */
export async function comparePlans(
  { path, against }: { readonly path: string; readonly against: string },
  openSpool: () => Spool,
  onChange: (change: PlanChange) => Promise<void> | void,
): Promise<PlanComparison> {
  const [earlier, later] = [await openPlan(against), await openPlan(path)];
  const sums = { added: createSum(), dropped: createSum(), changed: createSum() };
  let same = 0;
  const spool = openSpool();
  try {
    await addLines(spool, earlier, BEFORE);
    await addLines(spool, later, AFTER);
    for (const { url, before, after } of pairs(spool.sorted())) {
      const change = findChange(url, before, after);
      if (change === null) {
        same++;
      } else {
        sums[change.change].add(change);
        await onChange(change);
      }
    }
  } finally {
    spool.close();
  }
  return {
    path: later.path,
    against: earlier.path,
    before: earlier.left,
    after: later.left,
    added: sums.added.read(),
    dropped: sums.dropped.read(),
    changed: sums.changed.read(),
    same,
    differences: findDifferences(earlier.header.terms, later.header.terms),
  };
}

async function addLines(spool: Spool, plan: SavedPlan, at: typeof BEFORE | typeof AFTER): Promise<void> {
  let rows: SpoolRow[] = [];
  for await (const { line } of plan.lines()) {
    if (line !== null) {
      rows.push({ key: line.url, at, text: JSON.stringify(toPagePrice(line)) });
    }
    if (rows.length === ROWS_AT_ONCE) {
      spool.add(rows);
      rows = [];
    }
  }
  spool.add(rows);
}

interface Pair {
  readonly url: string;
  before: PagePrice | null;
  after: PagePrice | null;
}

/** A page that a person has put into a plan twice is bought once: the first line counts. */
function* pairs(rows: Iterable<SpoolRow>): Iterable<Pair> {
  let pair: Pair | null = null;
  for (const { key: url, at, text } of rows) {
    if (pair !== null && pair.url !== url) {
      yield pair;
      pair = null;
    }
    pair ??= { url, before: null, after: null };
    const price = JSON.parse(text) as PagePrice;
    if (at === BEFORE) {
      pair.before ??= price;
    } else {
      pair.after ??= price;
    }
  }
  if (pair !== null) {
    yield pair;
  }
}

function createSum(): { add(change: PlanChange): void; read(): ChangedPages } {
  const money = new Map<Currency, Micros>();
  let pages = 0;
  return {
    add(change) {
      pages++;
      for (const [currency, micros] of moneyOf(change)) {
        money.set(currency, addMicros(money.get(currency) ?? ZERO_MICROS, micros));
      }
    },
    read: () => ({ pages, changeMicros: Object.fromEntries(money) }),
  };
}
