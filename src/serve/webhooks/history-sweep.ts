/**
 * Reads the gateway's delivery records, and admits the notifications that never arrived: the receiver was down, or something else answered for
 * it. A reading begins some time before the end of the last complete one, so that nothing falls between two readings.
 */
import { historyAgent } from "../../agent/reports/history-agent.ts";
import type { WebhookConfig } from "../../config/config.ts";
import { isLicetError, LicetError } from "../../errors.ts";
import type { DeliveryRecord } from "../../gateway/gateway.ts";
import type { HintLedger, NewHint } from "../../ledger/hint-ledger.ts";
import {
  type AttemptRecord,
  changedAfter,
  findMissedRecords,
  RETRY_WINDOW_MS,
  SAME_TIME_MS,
} from "../../webhook/missed-records.ts";
import { parseNotificationKind, parseTimestamp } from "../../webhook/notification.ts";
import type { ServiceContext, ServicePart } from "../service-part.ts";
import { createTimedTask } from "../timed-tasks/timed-task.ts";
import { createAdmission } from "./admit-notification.ts";

const DAY_MS = 86_400_000;
/** The gateway is asked for no more: a service that was off for longer walks the catalogs anyway. */
const MAX_DAYS = 30;
/** Records of one reading that are looked at. Of more, a walk finds the pages. */
const MAX_RECORDS = 200_000;
/** Records that are compared with the ledger in one transaction. */
const CHUNK_RECORDS = 500;

type Deps = Pick<ServiceContext, "config" | "resources" | "log" | "hintSignal">;

/** null where no webhook is configured: then there are no records of ours. */
export function createHistorySweep(deps: Deps): ServicePart | null {
  const { config, resources, log } = deps;
  if (config.webhooks.length === 0) {
    return null;
  }
  let isTold = false;
  return createTimedTask({
    name: "reading of the delivery records",
    everyMs: config.history.everyMs,
    work: async (signal) => {
      const hasRecords = await sweepHistory(deps, signal);
      if (!(hasRecords || isTold)) {
        log.warn(
          "the gateway has no delivery records (404): a notification that never arrives is found by the next walk",
        );
      }
      isTold = !hasRecords;
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
    await ledger.recordSweepFailure({ error: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}

interface Attempt extends AttemptRecord {
  readonly hint: NewHint;
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
  const read = createRecordReader(config);
  const attempts: Attempt[] = [];
  let records = 0;
  const cuts: string[] = [];
  for await (const record of historyAgent(resources, { daysAgo }, (reason) => cuts.push(reason))) {
    signal.throwIfAborted();
    records += 1;
    const attempt = read(record);
    if (attempt !== null && (attempt.at === null || attempt.at >= accountedFrom) && attempts.length < MAX_RECORDS) {
      attempts.push(attempt);
    }
  }
  const admitted = await admitMissed(ledger, attempts, { coveredUntil: covered, from, now: startedAt });
  const [cut] = cuts;
  if (cut === undefined) {
    await ledger.recordSweep({ coveredUntil: startedAt, records, admitted, now: resources.clock.now() });
  }
  if (admitted > 0) {
    log.info(`${admitted} notifications that never arrived were found in the delivery records`, { admitted, records });
    hintSignal.wake();
  }
  if (cut !== undefined) {
    // What was read is admitted. The next reading begins where this one began.
    throw new LicetError("GATEWAY_ANSWER_INVALID", cut);
  }
}

/** @returns how many were new */
async function admitMissed(
  ledger: HintLedger,
  attempts: readonly Attempt[],
  reading: { readonly coveredUntil: number | null; readonly from: number; readonly now: number },
): Promise<number> {
  const { from, now } = reading;
  // All records of a page are compared with its hints together.
  const sorted = [...attempts].sort((a, b) => (a.wireUrl < b.wireUrl ? -1 : a.wireUrl > b.wireUrl ? 1 : 0));
  let admitted = 0;
  for (const chunk of chunkByPage(sorted)) {
    const pages = new Map(chunk.map(({ wireUrl, kind }) => [`${kind} ${wireUrl}`, { wireUrl, kind }]));
    const hints = await ledger.listHintsOf({
      pages: [...pages.values()],
      since: from - RETRY_WINDOW_MS - SAME_TIME_MS,
    });
    const missed = findMissedRecords(chunk, hints).filter(({ at }) => at === null || at >= from);
    const { results } = await ledger.recordHints({
      hints: missed.map((attempt) => ({ ...attempt.hint, changedAfter: changedAfter(attempt, reading) })),
      now,
    });
    admitted += results.filter((result) => result === "recorded").length;
  }
  return admitted;
}

function* chunkByPage(sorted: readonly Attempt[]): Iterable<readonly Attempt[]> {
  let chunk: Attempt[] = [];
  for (const attempt of sorted) {
    if (chunk.length >= CHUNK_RECORDS && chunk.at(-1)?.wireUrl !== attempt.wireUrl) {
      yield chunk;
      chunk = [];
    }
    chunk.push(attempt);
  }
  if (chunk.length > 0) {
    yield chunk;
  }
}

/** Null for a record of another subscriber's URL, of a page that is not bought, and for one that says nothing. */
function createRecordReader({ sites, webhooks }: Deps["config"]): (record: DeliveryRecord) => Attempt | null {
  const admit = createAdmission(sites);
  const subscriptions = new Map(webhooks.map(({ id, url }) => [comparableUrl(url), id]));
  return ({ contentUrl, deliveryUrl, eventType, lastAttempt, lastStatus, numAttempts }) => {
    const kind = parseNotificationKind(eventType);
    const subscription = subscriptionOf(deliveryUrl, subscriptions, webhooks);
    if (contentUrl === null || kind === null || subscription === null) {
      return null;
    }
    const { timestamp, at } = parseTimestamp(lastAttempt);
    const hint = admit({ contentUrl, kind, timestamp, at }, { subscription, source: "history" });
    if (hint === null || hint.state !== "waiting") {
      return null;
    }
    const isAnswered = lastStatus !== null && lastStatus >= 200 && lastStatus < 300;
    return { wireUrl: hint.wireUrl, kind, lastAttempt: timestamp, at, attempts: numAttempts, isAnswered, hint };
  };
}

/** A record without a delivery URL cannot be of another subscriber for all that is known. */
function subscriptionOf(
  deliveryUrl: string | null,
  subscriptions: ReadonlyMap<string, string>,
  webhooks: readonly WebhookConfig[],
): string | null {
  return deliveryUrl === null ? (webhooks[0]?.id ?? null) : (subscriptions.get(comparableUrl(deliveryUrl)) ?? null);
}

/** Gateways write a URL in other spellings: letters of the host, a default port, a slash at the end. The query belongs to it. */
function comparableUrl(text: string): string {
  const url = URL.parse(text.trim());
  return url === null ? text : `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, "")}${url.search}`;
}
