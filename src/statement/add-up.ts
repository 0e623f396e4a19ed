/** The only place that says which fact counts in which figure of a statement. */
import { addMicros, type Micros, toMicros, ZERO_MICROS } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import { isCharge } from "./booking.ts";
import type {
  ChargedPages,
  DoubtfulPages,
  ReportedUses,
  StatementFigures,
  StatementLine,
  StatementTotal,
} from "./statement.ts";
import type { BookedPurchases, StatementFacts, TakenUses } from "./statement-facts.ts";

type Growing<Figures> = {
  -readonly [Name in keyof Figures]: Figures[Name] extends number ? Figures[Name] : Growing<Figures[Name]>;
};
/** What is derived from the others is added at the end. */
type Sums = Growing<Omit<StatementFigures, "total">>;

interface Group {
  readonly group: string | null;
  readonly currency: Currency | null;
  readonly sums: Sums;
}

/** Adds up the facts of a month, by group and currency. Amounts of different currencies are never added. */
export function addUpStatement(facts: StatementFacts): AddedUp {
  const lines = new GroupedSums();
  const totals = new GroupedSums();
  const budgets = new Map<Currency, Map<string, Micros>>();
  const count = (group: string | null, currency: Currency | null, add: (sums: Sums) => void) => {
    add(lines.of(group, currency));
    add(totals.of(null, currency));
  };
  for (const fact of facts.purchases) {
    countPurchases(fact, count);
    if (isCharge(fact.kind)) {
      countBudget(budgets, fact, addMicros(fact.chargedMicros, fact.feeMicros));
    }
  }
  for (const fact of facts.openDoubts) {
    count(fact.group, fact.currency, ({ doubts }) =>
      addDoubts(fact.at === "start" ? doubts.openAtStart : doubts.openAtEnd, fact),
    );
  }
  for (const fact of facts.uses) {
    countUses(fact, count);
    countBudget(budgets, fact, fact.chargedMicros);
  }
  const receipts = new Map<Currency, Micros>();
  for (const { currency, micros } of facts.receipts) {
    totals.of(null, currency);
    receipts.set(currency, addCapped(receipts.get(currency) ?? ZERO_MICROS, micros));
  }
  return {
    lines: lines.list().map(({ group, currency, sums }): StatementLine => ({ group, currency, ...toFigures(sums) })),
    totals: totals.list().map(
      ({ currency, sums }): StatementTotal => ({
        currency,
        ...toFigures(sums),
        receiptsMicros: receipts.get(currency ?? "") ?? ZERO_MICROS,
        budgetMonths: [...(budgets.get(currency ?? "") ?? [])]
          .sort(([a], [b]) => compare(a, b))
          .map(([month, spentMicros]) => ({ month, spentMicros })),
      }),
    ),
  };
}

interface AddedUp {
  readonly lines: readonly StatementLine[];
  readonly totals: readonly StatementTotal[];
}

type Count = (group: string | null, currency: Currency | null, add: (sums: Sums) => void) => void;

function countPurchases(fact: BookedPurchases, count: Count): void {
  const { kind, intent, group, currency, pages } = fact;
  // A charge may be in another currency than its quote.
  const chargedCurrency = fact.chargedCurrency ?? currency;
  switch (kind) {
    case "charged":
      count(group, chargedCurrency, ({ bought, indexed }) => {
        indexed.pages += intent === "indexing" ? pages : 0;
        addCharges(bought, fact, intent === "indexing" ? 0 : pages);
      });
      break;
    case "charged_late":
      count(group, chargedCurrency, ({ corrections }) => addCharges(corrections.lateAnswers, fact, pages));
      break;
    case "doubt_opened":
      count(group, currency, ({ doubts }) => addDoubts(doubts.opened, fact));
      break;
    case "doubt_not_charged":
      count(group, currency, ({ doubts }) => addDoubts(doubts.notCharged, fact));
      break;
    case "doubt_charged":
      count(group, currency, ({ doubts }) => addDoubts(doubts.charged, fact));
      count(group, chargedCurrency, ({ corrections: { operator, lateAnswers } }) =>
        addCharges(fact.byOperator ? operator : lateAnswers, fact, pages),
      );
      break;
    default:
      kind satisfies never;
  }
}

function countUses(
  { kind, group, currency, chargedCurrency, times, expectedMicros, chargedMicros }: TakenUses,
  count: Count,
): void {
  const of = ({ uses, fetchReports }: Sums) => (kind === "use" ? uses : fetchReports);
  count(group, currency, (sums) => {
    of(sums).expectedMicros = addMicros(of(sums).expectedMicros, expectedMicros);
    sums.corrections.receipts.differenceMicros -= expectedMicros;
  });
  count(group, chargedCurrency ?? currency, (sums) => {
    of(sums).times += times;
    of(sums).chargedMicros = addMicros(of(sums).chargedMicros, chargedMicros);
    sums.corrections.receipts.differenceMicros += chargedMicros;
  });
}

function countBudget(
  budgets: Map<Currency, Map<string, Micros>>,
  { chargedCurrency, budgetMonth }: Pick<BookedPurchases, "chargedCurrency" | "budgetMonth">,
  micros: Micros,
): void {
  if (chargedCurrency !== null && micros > 0) {
    const months = budgets.get(chargedCurrency) ?? new Map<string, Micros>();
    budgets.set(chargedCurrency, months.set(budgetMonth, addMicros(months.get(budgetMonth) ?? ZERO_MICROS, micros)));
  }
}

function addCharges(to: Growing<ChargedPages>, fact: Omit<ChargedPages, "pages">, pages: number): void {
  to.pages += pages;
  to.chargedMicros = addMicros(to.chargedMicros, fact.chargedMicros);
  to.feeMicros = addMicros(to.feeMicros, fact.feeMicros);
}

function addDoubts(to: Growing<DoubtfulPages>, { pages, setAsideMicros }: DoubtfulPages): void {
  to.pages += pages;
  to.setAsideMicros = addMicros(to.setAsideMicros, setAsideMicros);
}

/** A receipt may name any sum: one that is too large to count is given as the largest that can be counted, as in the audit. */
function addCapped(a: Micros, b: Micros): Micros {
  return toMicros(Math.min(a + b, Number.MAX_SAFE_INTEGER));
}

/** With what is derived. */
function toFigures(sums: Sums): StatementFigures {
  const { bought, corrections, uses, fetchReports } = sums;
  const paid = [bought, corrections.operator, corrections.lateAnswers];
  const total = {
    pages: 0,
    chargedMicros: addMicros(uses.chargedMicros, fetchReports.chargedMicros),
    feeMicros: ZERO_MICROS,
  };
  for (const charges of paid) {
    addCharges(total, charges, charges.pages);
  }
  return { ...sums, total };
}

/** Sums by group and currency. */
class GroupedSums {
  readonly #groups = new Map<string, Group>();

  of(group: string | null, currency: Currency | null): Sums {
    const key = JSON.stringify([group, currency]);
    const known = this.#groups.get(key);
    if (known !== undefined) {
      return known.sums;
    }
    const sums = createSums();
    this.#groups.set(key, { group, currency, sums });
    return sums;
  }

  list(): Group[] {
    return [...this.#groups.values()].sort(
      (a, b) => compareOrLast(a.group, b.group) || compareOrLast(a.currency, b.currency),
    );
  }
}

function createSums(): Sums {
  const charged = (): Growing<ChargedPages> => ({ pages: 0, chargedMicros: ZERO_MICROS, feeMicros: ZERO_MICROS });
  const doubtful = (): Growing<DoubtfulPages> => ({ pages: 0, setAsideMicros: ZERO_MICROS });
  const reported = (): Growing<ReportedUses> => ({ times: 0, expectedMicros: ZERO_MICROS, chargedMicros: ZERO_MICROS });
  return {
    bought: charged(),
    indexed: { pages: 0 },
    doubts: {
      openAtStart: doubtful(),
      opened: doubtful(),
      charged: doubtful(),
      notCharged: doubtful(),
      openAtEnd: doubtful(),
    },
    corrections: { operator: charged(), lateAnswers: charged(), receipts: { differenceMicros: 0 } },
    uses: reported(),
    fetchReports: reported(),
  };
}

/** By code unit: the same on every machine, whatever its language. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareOrLast(a: string | null, b: string | null): number {
  return a === null || b === null ? Number(a === null) - Number(b === null) : compare(a, b);
}
