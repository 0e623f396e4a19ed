/**
 * Reads the gateway's delivery records, and admits the notifications that never arrived: the receiver was down, or something else answered for
 * it. A reading begins some time before the end of the last complete one, so that nothing falls between two readings.
 */
import { historyAgent } from "../../agent/reports/history-agent.ts";
import { isLicetError, LicetError, messageOf } from "../../errors.ts";
import type { DeliveryRecord } from "../../gateway/gateway.ts";
import type { HintLedger } from "../../ledger/hint-ledger.ts";
import type { Spool, SpoolRow } from "../../ledger/spool.ts";
import { changedAfter, findMissedRecords, RETRY_WINDOW_MS, SAME_TIME_MS } from "../../webhook/missed-records.ts";
import type { ServiceContext, ServicePart } from "../service-part.ts";
import { createTimedTask } from "../timed-tasks/timed-task.ts";
import { createAdmission } from "./admit-notification.ts";
import { type Attempt, createRecordReader, toSpoolRow } from "./delivery-records.ts";
import { recordsOfPages } from "./records-of-pages.ts";

const DAY_MS = 86_400_000;
/** The gateway is asked for no more: a service that was off for longer walks the catalogs anyway. */
const MAX_DAYS = 30;
/** Records of one reading that are looked at. Of more, a walk finds the pages. */
const MAX_RECORDS = 200_000;
/** Records that are put aside, or recorded in the ledger, without a turn of the event loop. */
const CHUNK_RECORDS = 500;

type Deps = Pick<ServiceContext, "config" | "resources" | "log" | "hintSignal">;

/** null where no webhook is configured: then there are no records of ours. */
export function createHistorySweep(deps: Deps): ServicePart | null {
  const { config, resources, log } = deps;
  if (config.webhooks.length === 0) {
    return null;
  }
  let isReported = false;
  return createTimedTask({
    name: "reading of the delivery records",
    everyMs: config.history.everyMs,
    work: async (signal) => {
      const hasRecords = await sweepHistory(deps, signal);
      if (!(hasRecords || isReported)) {
        log.warn(
          "the gateway has no delivery records (404): a notification that never arrives is found by the next walk",
        );
      }
      isReported = !hasRecords;
    },
    clock: resources.clock,
    log,
  });
}

/**
 * One reading.
 * @returns false when the gateway keeps no delivery records, which is not a failure
 * @throws LicetError GATEWAY_*, LEDGER_*: the reading is recorded as failed, and the next one reads the same again
 */
export async function sweepHistory(deps: Deps, signal: AbortSignal): Promise<boolean> {
  const ledger = await deps.resources.ledger("existing");
  try {
    await readOnce(deps, ledger, signal);
    return true;
  } catch (error) {
    if (signal.aborted) {
      return true;
    }
    if (isLicetError(error, "GATEWAY_NOT_FOUND")) {
      return false;
    }
    await ledger.recordSweepFailure({ error: messageOf(error) });
    throw error;
  }
}

async function readOnce({ config, resources, log, hintSignal }: Deps, ledger: HintLedger, signal: AbortSignal) {
  const startedAt = resources.clock.now();
  const { coveredUntil } = await ledger.readSweep();
  // A clock that was ahead wrote a later date: then one day is read, as at the first start.
  const covered = coveredUntil === null || coveredUntil > startedAt ? null : coveredUntil;
  const from = (covered ?? startedAt - DAY_MS) - config.history.overlapMs;
  // The records before that account for their own hints, which could account for a later record otherwise.
  const accountedFrom = from - RETRY_WINDOW_MS;
  const daysAgo = Math.min(MAX_DAYS, Math.ceil((startedAt - accountedFrom) / DAY_MS));
  const cuts: string[] = [];
  const records = historyAgent(resources, { daysAgo }, (reason) => cuts.push(reason));
  // Records come in any order. What is compared is of one page, and the memory need not hold that of all pages.
  const spool = resources.openSpool();
  let read: number;
  let admitted: number;
  try {
    read = await spoolRecords(records, spool, { config, accountedFrom, signal });
    const reading = { coveredUntil: covered, from, now: startedAt };
    admitted = await admitMissed(ledger, { config, spool, signal }, reading);
  } finally {
    spool.close();
  }
  const [cut] = cuts;
  if (cut === undefined) {
    await ledger.recordSweep({ coveredUntil: startedAt, records: read, admitted, now: resources.clock.now() });
  }
  if (admitted > 0) {
    log.info(`${admitted} notifications that never arrived were found in the delivery records`, {
      admitted,
      records: read,
    });
    hintSignal.wake();
  }
  if (cut !== undefined) {
    // What was read is admitted. The next reading begins where this one began.
    throw new LicetError("GATEWAY_ANSWER_INVALID", cut);
  }
}

/** @returns how many records there were */
async function spoolRecords(
  records: AsyncIterable<DeliveryRecord>,
  spool: Spool,
  { config, accountedFrom, signal }: Pick<Deps, "config"> & { accountedFrom: number; signal: AbortSignal },
): Promise<number> {
  const readRecord = createRecordReader(config);
  let rows: SpoolRow[] = [];
  let kept = 0;
  let read = 0;
  for await (const record of records) {
    signal.throwIfAborted();
    read += 1;
    const attempt = readRecord(record);
    if (attempt === null || (attempt.at !== null && attempt.at < accountedFrom) || kept >= MAX_RECORDS) {
      continue;
    }
    kept += 1;
    rows.push(toSpoolRow(attempt));
    if (rows.length >= CHUNK_RECORDS) {
      spool.add(rows);
      rows = [];
    }
  }
  spool.add(rows);
  return read;
}

/** @returns how many were new */
async function admitMissed(
  ledger: HintLedger,
  { config, spool, signal }: Pick<Deps, "config"> & { readonly spool: Spool; readonly signal: AbortSignal },
  reading: { readonly coveredUntil: number | null; readonly from: number; readonly now: number },
): Promise<number> {
  const { from, now } = reading;
  const admit = createAdmission(config.sites);
  const toHint = (attempt: Attempt) => {
    const { contentUrl, kind, lastAttempt: timestamp, at, subscription } = attempt;
    const hint = admit({ contentUrl, kind, timestamp, at }, { subscription, source: "history" });
    return hint === null ? [] : [{ ...hint, changedAfter: changedAfter(attempt, reading) }];
  };
  let admitted = 0;
  for (const { attempts, keptFrom } of recordsOfPages(spool.sorted())) {
    signal.throwIfAborted();
    const pages = new Map(attempts.map(({ wireUrl, kind }) => [`${kind} ${wireUrl}`, { wireUrl, kind }]));
    const known = await ledger.listHintsOf({
      pages: [...pages.values()],
      since: from - RETRY_WINDOW_MS - SAME_TIME_MS,
    });
    const accounting = known.filter(({ receivedAt }) => keptFrom === null || receivedAt >= keptFrom - SAME_TIME_MS);
    const missed = findMissedRecords(attempts, accounting).filter(({ at }) => at === null || at >= from);
    let first = 0;
    do {
      // Also of none: a write gives others a turn.
      const hints = missed.slice(first, first + CHUNK_RECORDS).flatMap(toHint);
      const { results } = await ledger.recordHints({ hints, now });
      admitted += results.filter((result) => result === "recorded").length;
      first += CHUNK_RECORDS;
    } while (first < missed.length);
  }
  return admitted;
}
