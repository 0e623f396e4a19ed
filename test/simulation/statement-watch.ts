/**
 * Finance in a simulated world: takes the statements of all months whenever nobody is at work. A statement that once was complete must be the
 * same each time, byte for byte, whatever happened since. At the end all of them together must say what the rows say, which the
 * outside view compares with the gateway's account; and each grouping must add up to the totals.
 */
import { openSqliteLedger } from "../../src/ledger/sqlite/open.ts";
import { createStatement } from "../../src/statement/create-statement.ts";
import { STATEMENT_GROUPINGS, type Statement } from "../../src/statement/statement.ts";
import { parseCalendarMonth } from "../../src/time/calendar-month.ts";
import type { Evidence, Violation } from "./checks/evidence.ts";
import { prepareLedgerRows } from "./checks/ledger-rows.ts";
import { countPurchase, countUse } from "./checks/money.ts";

/** Only a clock that was wrong by more than this takes bookings back, and a complete month with them. */
const MAX_WRONG_MS = 31 * 86_400_000;

interface Sums {
  settled: number;
  fee: number;
  inDoubt: number;
}

export interface StatementWatch {
  /** Takes all statements. To be called while no process is at work. @param now by a right clock */
  look(now: number): Promise<Violation | null>;
  /** The same once more, and whether they add up. */
  end(now: number): Promise<Violation | null>;
}

export function createStatementWatch(db: Evidence["db"], ledgerPath: string): StatementWatch {
  const complete = new Map<string, string>();
  const wasWrong = db
    .prepare<[number]>(
      "SELECT 1 FROM (SELECT at, lag(at) OVER (ORDER BY seq) AS before FROM booking) WHERE before - at > ?",
    )
    .pluck();

  async function take(now: number): Promise<Statement[]> {
    const ledger = await openSqliteLedger({ path: ledgerPath, access: "read" });
    try {
      const statements: Statement[] = [];
      for (const name of listMonths(db)) {
        const month = parseCalendarMonth(name);
        for (const by of month === null ? [] : STATEMENT_GROUPINGS) {
          const facts = await ledger.readStatement({ from: month?.from ?? 0, to: month?.to ?? 0, by, host: null });
          statements.push(createStatement(month as NonNullable<typeof month>, { by, host: null }, facts, now));
        }
      }
      return statements;
    } finally {
      await ledger.close();
    }
  }

  function judge(statements: readonly Statement[]): Violation | null {
    if (wasWrong.get(MAX_WRONG_MS) !== undefined) {
      return null;
    }
    for (const statement of statements.filter((one) => one.complete)) {
      const [key, text] = [`${statement.month} by ${statement.by}`, JSON.stringify(statement)];
      const before = complete.get(key);
      if (before !== undefined && before !== text) {
        return broken("complete-month-is-final", `the statement of ${key} was ${before} and is ${text}`);
      }
      complete.set(key, text);
    }
    return null;
  }

  return {
    look: async (now) => judge(await take(now)),
    end: async (now) => {
      const statements = await take(now);
      return judge(statements) ?? judgeGroupings(statements) ?? judgeSums(db, statements);
    },
  };
}

/** Each month that has a booking, in order. */
function listMonths(db: Evidence["db"]): string[] {
  return db
    .prepare<[], string>("SELECT DISTINCT strftime('%Y-%m', at / 1000, 'unixepoch') FROM booking ORDER BY 1")
    .pluck()
    .all();
}

function judgeGroupings(statements: readonly Statement[]): Violation | null {
  for (const { month, by, lines, totals } of statements) {
    for (const { currency, total, bought, uses, doubts } of totals) {
      const own = lines.filter((line) => line.currency === currency);
      const sum = (of: (line: (typeof own)[number]) => number) => own.reduce((all, line) => all + of(line), 0);
      const pairs = [
        [total.chargedMicros, sum((line) => line.total.chargedMicros)],
        [total.feeMicros, sum((line) => line.total.feeMicros)],
        [bought.pages, sum((line) => line.bought.pages)],
        [uses.times, sum((line) => line.uses.times)],
        [doubts.openAtEnd.setAsideMicros, sum((line) => line.doubts.openAtEnd.setAsideMicros)],
      ];
      if (pairs.some(([is, shouldBe]) => is !== shouldBe)) {
        return broken(
          "groups-add-up",
          `${month} by ${by} in ${currency}: totals and lines are ${JSON.stringify(pairs)}`,
        );
      }
    }
  }
  return null;
}

/** By the checkers' own arithmetic over the rows. */
function judgeSums(db: Evidence["db"], statements: readonly Statement[]): Violation | null {
  const rows = prepareLedgerRows(db);
  const own = new Map<string, Sums>();
  for (const counted of [...rows.purchases.all().map(countPurchase), ...rows.uses.all().map(countUse)]) {
    if (counted !== null) {
      add(own, counted.currency, counted);
    }
  }
  const stated = new Map<string, Sums>();
  for (const { totals } of statements.filter(({ by }) => by === "month")) {
    for (const { currency, total, doubts } of totals) {
      const { opened, charged, notCharged } = doubts;
      add(stated, currency ?? "", {
        settled: total.chargedMicros + total.feeMicros,
        fee: total.feeMicros,
        inDoubt: opened.setAsideMicros - charged.setAsideMicros - notCharged.setAsideMicros,
      });
    }
  }
  for (const currency of new Set([...own.keys(), ...stated.keys()])) {
    const [is, shouldBe] = [
      JSON.stringify(stated.get(currency) ?? NOTHING),
      JSON.stringify(own.get(currency) ?? NOTHING),
    ];
    if (is !== shouldBe) {
      return broken(
        "statements-add-up",
        `all statements in ${currency || "no currency"} say ${is}, the rows ${shouldBe}`,
      );
    }
  }
  return null;
}

const NOTHING: Sums = { settled: 0, fee: 0, inDoubt: 0 };

function add(sums: Map<string, Sums>, currency: string, { settled, fee, inDoubt }: Sums): void {
  const before = sums.get(currency) ?? NOTHING;
  sums.set(currency, { settled: before.settled + settled, fee: before.fee + fee, inDoubt: before.inDoubt + inDoubt });
}

function broken(rule: string, detail: string): Violation {
  return { promise: 4, rule, detail };
}
