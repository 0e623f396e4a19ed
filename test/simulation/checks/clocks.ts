/** Promise 1 between two clocks: no run begins in a month that is over by the rows that were there, unless a person trusts its clock. */
import { isBehind, toInstant } from "../../../src/time/clock-judgement.ts";
import type { Evidence, StepRule } from "./evidence.ts";

interface BegunRow {
  readonly id: number;
  readonly name: string;
  readonly startedAt: number;
  /** What the newest run before it had written when it began. It ends later. */
  readonly before: number | null;
}

/** A person trusted the clock that the run began by: after the run before it was written, or by the same clock shortly before. */
const SELECT_TRUST = `SELECT 1 FROM clock_word w JOIN run r ON r.id = ?
  WHERE w.runs_before >= (SELECT max(id) FROM run WHERE id < r.id AND kind <> 'planning') OR w.at BETWEEN r.started_at - 60000 AND r.started_at`;

export function createClocks({ db }: Evidence): StepRule {
  const begun = db.prepare<[number], BegunRow>(
    `SELECT r.id, r.name, r.started_at AS startedAt, (SELECT max(b.started_at, coalesce(b.resumed_at, 0)) FROM run b
       WHERE b.id < r.id AND b.kind <> 'planning' ORDER BY b.id DESC LIMIT 1) AS before
     FROM run r WHERE r.id > ? AND r.kind <> 'planning' ORDER BY r.id`,
  );
  const trust = db.prepare<[number], number>(SELECT_TRUST).pluck();
  let seen = 0;
  return () => {
    for (const { id, name, startedAt, before } of begun.all(seen)) {
      seen = id;
      if (before !== null && isBehind(startedAt, before) && monthOf(startedAt) !== monthOf(before) && !trust.get(id)) {
        const detail = `run ${name} began at ${toInstant(startedAt)}, after one of ${toInstant(before)}`;
        return { promise: 1, rule: "begins-in-no-past-month", detail };
      }
    }
    return null;
  };
}

function monthOf(at: number): string {
  return toInstant(at).slice(0, "2026-11".length);
}
