import { addUpStatement } from "./add-up.ts";
import type { Statement } from "./statement.ts";
import type { StatementFacts, StatementPeriod, StatementQuery } from "./statement-facts.ts";

/** Two processes may disagree so far about when the month ended (docs/decisions/0035): a slower one may still book in it. */
const CLOSING_MS = 5 * 60_000;

/**
 * The statement of a month or some days, from the facts that the ledger has of it. The same facts always give the same statement.
 * @param now null while it goes on, or while nobody can be sure that it has ended
 */
export function createStatement(
  period: StatementPeriod,
  { by, host }: Pick<StatementQuery, "by" | "host">,
  facts: StatementFacts,
  now: number | null,
): Statement {
  const complete = isComplete(period, facts, now);
  return {
    month: period.name,
    wholeMonth: period.wholeMonth ?? true,
    by,
    site: host,
    from: toIso(period.from),
    to: toIso(period.to),
    complete,
    until: toIso(complete ? period.to : (facts.lastOfMonthAt ?? period.from)),
    ...addUpStatement(facts),
  };
}

/**
 * No booking is made before the one made last. So nothing is added to a month after the first booking behind it. A booking of a clock that was
 * ahead proves nothing, so the month must have ended by the present clock too.
 */
function isComplete(
  { to }: Pick<StatementPeriod, "to">,
  { lastBookedAt }: StatementFacts,
  now: number | null,
): boolean {
  return now !== null && now >= to && (now >= to + CLOSING_MS || (lastBookedAt !== null && lastBookedAt >= to));
}

function toIso(at: number): string {
  return new Date(at).toISOString();
}
