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

function findMissedOfPage<Attempt extends AttemptRecord>(
  records: readonly Attempt[],
  hints: readonly AccountingHint[],
): Attempt[] {
  const left = new Set(hints);
  const take = (hint: AccountingHint | undefined) => hint !== undefined && left.delete(hint);
  const rounds: ((record: Attempt) => AccountingHint | undefined)[] = [
    ({ lastAttempt }) => find(left, (hint) => hint.source === "history" && hint.timestamp === lastAttempt),
    (record) => (record.isAnswered ? nearest(left, record) : undefined),
    (record) => nearest(left, record),
    // The newest record is the likeliest to be new.
    ({ attempts }) => (attempts === 1 ? undefined : find(left, () => true)),
  ];
  let open = [...records].sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
  for (const findHint of rounds) {
    open = open.filter((record) => !take(findHint(record)));
  }
  return open;
}

/** The delivery that arrived nearest to the attempt. */
function nearest(hints: Iterable<AccountingHint>, { at }: AttemptRecord): AccountingHint | undefined {
  let best: AccountingHint | undefined;
  let bestMs = SAME_TIME_MS;
  for (const hint of hints) {
    const apartMs = at === null ? Number.POSITIVE_INFINITY : Math.abs(hint.receivedAt - at);
    if (hint.source === "delivery" && apartMs <= bestMs) {
      best = hint;
      bestMs = apartMs;
    }
  }
  return best;
}

function find(hints: Iterable<AccountingHint>, fits: (hint: AccountingHint) => boolean): AccountingHint | undefined {
  for (const hint of hints) {
    if (fits(hint)) {
      return hint;
    }
  }
  return undefined;
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
