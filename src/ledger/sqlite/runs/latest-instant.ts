import type { ClockWord } from "../../../time/clock-judgement.ts";
import type { Answered, ReadTx } from "../operation.ts";

interface WordRow {
  readonly at: number;
  readonly runsBefore: number;
  readonly purchasesBefore: number;
}

interface NewestRow {
  readonly id: number;
  readonly at: number;
  readonly purchasesAfter: number;
}

const NO_WORD: WordRow = { at: Number.NEGATIVE_INFINITY, runsBefore: 0, purchasesBefore: 0 };

const SELECT_WORD = `SELECT at, runs_before AS runsBefore, purchases_before AS purchasesBefore FROM clock_word
  WHERE id = (SELECT max(id) FROM clock_word)`;

const SELECT_RUN = `SELECT id, max(started_at, coalesce(resumed_at, 0), coalesce(ended_at, 0)) AS at, purchases_after AS purchasesAfter
  FROM run WHERE kind <> 'planning' ORDER BY run.id DESC LIMIT 1`;

/**
 * Reads: run, purchase, clock_word, each by the end of its row ids. The newest rows, and not the greatest instants: after a person has accepted
 * a clock that is behind (clock-words.ts), only rows after that word count. For the same reason, purchases count only when they were made
 * after the newest run had begun.
 */
export function readLatestInstant(tx: ReadTx): number | null {
  const word = tx.get<WordRow>(SELECT_WORD) ?? NO_WORD;
  const run = tx.get<NewestRow>(SELECT_RUN) ?? null;
  const purchaseAt = tx.value<number>`SELECT max(reserved_at, coalesce(ended_at, 0)) FROM purchase
    WHERE id > ${Math.max(run?.purchasesAfter ?? 0, word.purchasesBefore)} ORDER BY id DESC LIMIT 1`;
  const runAt = run !== null && run.id > word.runsBefore ? run.at : word.at;
  const latestAt = Math.max(word.at, runAt, purchaseAt ?? Number.NEGATIVE_INFINITY);
  return Number.isFinite(latestAt) ? latestAt : null;
}

/** Without an answer that told the time among so many purchases, none is looked for. */
const PURCHASES_LOOKED_AT = 1_000;

/** A late answer without the gateway's time has one that is after its end (`noteAnswer`): by which clock is not known. */
const SELECT_PROVEN = `SELECT asked_at FROM purchase
  WHERE id > (SELECT max(id) FROM purchase) - ${PURCHASES_LOOKED_AT} AND asked_at <= ended_at ORDER BY id DESC LIMIT 1`;

/** Reads: clock_word and purchase by the end of their row ids, and what `readLatestInstant` reads. */
export function readClockEvidence(tx: ReadTx): Answered<"readClockEvidence"> {
  const word = tx.get<ClockWord>("SELECT at, gateway_at AS gatewayAt FROM clock_word ORDER BY id DESC LIMIT 1") ?? null;
  const provenAt = tx.value<number>(SELECT_PROVEN);
  return {
    latestAt: provenAt === undefined ? readLatestInstant(tx) : Math.max(provenAt, word?.at ?? provenAt),
    word,
  };
}
