/**
 * Which delivery records show notifications that never arrived. A record has no id and no date of its event: it has the page, the kind, the
 * time of the last attempt, and the number of attempts. So each hint that is known of a page accounts for one record of it: first the one at
 * the same time, then, for an event that was tried again and again, any other one of the last day. A record that no hint accounts for never
 * arrived.
 */

/** One event that the gateway tried to deliver. */
export interface AttemptRecord {
  readonly wireUrl: string;
  readonly kind: "created" | "updated";
  /** As it was received. */
  readonly lastAttempt: string;
  /** Epoch ms. Null when it cannot be read. */
  readonly at: number | null;
  /** Null when it cannot be read: taken for many. */
  readonly attempts: number | null;
  /** Whether somebody answered the last attempt with 2xx. */
  readonly isAnswered: boolean;
}

/** What is known of a page: a delivery that arrived, or a record that was admitted. */
export interface AccountingHint {
  readonly wireUrl: string;
  readonly kind: "created" | "updated";
  readonly source: "delivery" | "history";
  /** Of a record that was admitted: its last attempt. */
  readonly timestamp: string;
  readonly receivedAt: number;
}

/** How far the clocks of the gateway and of this machine may differ, with the time that a delivery takes. */
export const SAME_TIME_MS = 600_000;
/**
 * How long before the first attempt the page may have changed. A longer delay would lose more updates: an update that follows a purchase
 * within this time, and whose only delivery is lost, is taken for the version that was bought.
 */
const DELAY_MS = 5_000;
/** For how long a gateway tries to deliver one event. */
export const RETRY_WINDOW_MS = 86_400_000;

export function findMissedRecords<Attempt extends AttemptRecord>(
  records: readonly Attempt[],
  hints: readonly AccountingHint[],
): Attempt[] {
  const known = groupByPage(hints);
  const missed: Attempt[] = [];
  for (const [page, attempts] of groupByPage(records)) {
    missed.push(...findMissedOfPage(attempts, known.get(page) ?? []));
  }
  return missed;
}

/** Each round goes once over the records and the hints, both in the order of time: a page may have thousands of either. */
function findMissedOfPage<Attempt extends AttemptRecord>(
  records: readonly Attempt[],
  hints: readonly AccountingHint[],
): Attempt[] {
  const inOrder = [...records].sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
  const admitted = withoutAdmitted(
    inOrder,
    hints.filter(({ source }) => source === "history"),
  );
  const arrivedAt = hints.filter(({ source }) => source === "delivery").map(({ receivedAt }) => receivedAt);
  const answered = withoutArrived(
    admitted.open,
    arrivedAt.sort((a, b) => a - b),
    ({ isAnswered }) => isAnswered,
  );
  const arrived = withoutArrived(answered.open, answered.left, () => true);
  let left = admitted.left + arrived.left.length;
  return arrived.open.filter(({ attempts }) => {
    // An event that was tried again may have had any of them. The newest record is the likeliest to be new.
    const isAccountedFor = attempts !== 1 && left > 0;
    left -= isAccountedFor ? 1 : 0;
    return !isAccountedFor;
  });
}

/** Leaves out the records that are the same as one that was admitted before. */
function withoutAdmitted<Attempt extends AttemptRecord>(
  records: readonly Attempt[],
  hints: readonly AccountingHint[],
): { readonly open: readonly Attempt[]; readonly left: number } {
  const byTimestamp = new Map<string, number>();
  for (const { timestamp } of hints) {
    byTimestamp.set(timestamp, (byTimestamp.get(timestamp) ?? 0) + 1);
  }
  const open = records.filter(({ lastAttempt }) => {
    const count = byTimestamp.get(lastAttempt) ?? 0;
    byTimestamp.set(lastAttempt, Math.max(0, count - 1));
    return count === 0;
  });
  return { open, left: hints.length - (records.length - open.length) };
}

/**
 * Leaves out the records at whose time a delivery arrived: each record takes the nearest one that is left.
 * @param records in the order of time
 * @param arrivedAt in the order of time
 */
function withoutArrived<Attempt extends AttemptRecord>(
  records: readonly Attempt[],
  arrivedAt: readonly number[],
  asks: (record: Attempt) => boolean,
): { readonly open: readonly Attempt[]; readonly left: readonly number[] } {
  // Those that arrived before the present record and are left: the last one is the nearest.
  const before: number[] = [];
  let next = 0;
  const open = records.filter((record) => {
    const { at } = record;
    if (at === null || !asks(record)) {
      return true;
    }
    for (let arrival = arrivedAt[next]; arrival !== undefined && arrival <= at; arrival = arrivedAt[next]) {
      before.push(arrival);
      next += 1;
    }
    const sinceMs = at - (before.at(-1) ?? Number.NEGATIVE_INFINITY);
    const untilMs = (arrivedAt[next] ?? Number.POSITIVE_INFINITY) - at;
    if (Math.min(sinceMs, untilMs) > SAME_TIME_MS) {
      return true;
    }
    if (sinceMs <= untilMs) {
      before.pop();
    } else {
      next += 1;
    }
    return false;
  });
  return { open, left: [...before, ...arrivedAt.slice(next)] };
}

function groupByPage<Item extends Pick<AttemptRecord, "wireUrl" | "kind">>(
  items: readonly Item[],
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const page = `${item.kind} ${item.wireUrl}`;
    const group = groups.get(page);
    if (group === undefined) {
      groups.set(page, [item]);
    } else {
      group.push(item);
    }
  }
  return groups;
}

/**
 * The page of a missed record changed after this instant. A version that was bought later is not bought again for it: the record may be of
 * that version.
 * @param coveredUntil the records up to here were read before, so the first attempt came later; null: none was read
 */
export function changedAfter(
  { at, attempts }: AttemptRecord,
  { coveredUntil, now }: { readonly coveredUntil: number | null; readonly now: number },
): number {
  const lastAt = Math.min(at ?? now, now);
  if (at !== null && attempts === 1) {
    return lastAt - DELAY_MS;
  }
  return Math.min(lastAt, Math.max(coveredUntil ?? 0, lastAt - RETRY_WINDOW_MS)) - DELAY_MS;
}
