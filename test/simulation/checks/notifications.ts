/**
 * Notifications (decision 0046): none is lost, whatever dies, and none buys a version that is held. A hint is done when its page was decided
 * for good, and the ledger's rows must say how.
 */
import type Database from "better-sqlite3";
import type { Evidence, StepRule, Violation } from "./evidence.ts";
import { newestOf, sitesInForce } from "./settings.ts";

/** An event that the gateway notified, or tried to. */
export interface Notice {
  readonly url: string;
  readonly kind: "created" | "updated";
  readonly timestamp: string;
  /** The gateway's record of it. */
  readonly record: { readonly lastAttempt: number };
  /** A receiver answered that it is on disk. */
  isAnswered: boolean;
}

interface HintRow {
  readonly id: number;
  readonly url: string;
  readonly host: string | null;
  readonly kind: Notice["kind"];
  readonly timestamp: string;
  readonly changedAfter: number;
  readonly tries: number;
  readonly denied: string | null;
  /** Of the held version. */
  readonly boughtAt: number | null;
  readonly heldLastMod: string | null;
  /** A person called the newest purchase of its run charged: there is no content. */
  readonly isCalledCharged: number;
}

const ENDED_HINT = `
  SELECT h.id, h.url, s.host, h.kind, h.timestamp, h.changed_after AS changedAfter, h.tries, d.reason AS denied, p.ended_at AS boughtAt,
    p.last_mod AS heldLastMod,
    EXISTS (SELECT 1 FROM purchase n WHERE n.run_id = h.run_id AND n.page_id = g.id AND n.state = 'settled'
      AND NOT EXISTS (SELECT 1 FROM content c WHERE c.purchase_id = n.id)) AS isCalledCharged
  FROM hint h LEFT JOIN site s ON s.id = h.site_id LEFT JOIN page g ON g.url = h.url LEFT JOIN purchase p ON p.id = g.held_purchase_id
    LEFT JOIN denial d ON d.run_id = h.run_id AND d.page_id = g.id
  WHERE h.id = ?`;

/**
 * What an earlier purchase holds already. A purchase proves only what had changed when it was sent (decision 0046): a version that was notified
 * between its first request and its answer may be bought again. Two versions without any text are not known to be the same.
 */
const BOUGHT_BEFORE = `
  SELECT h.id FROM purchase n JOIN run r ON r.id = n.run_id AND r.key IS NOT NULL JOIN content c ON c.purchase_id = n.id
    JOIN purchase h ON h.page_id = n.page_id AND h.id < n.id AND h.intent IN (n.intent, 'content') AND h.ended_at <= n.reserved_at
    JOIN content k ON k.purchase_id = h.id
  WHERE n.id = ? AND k.markdown IS c.markdown AND k.html IS c.html AND coalesce(c.markdown, '') || coalesce(c.html, '') <> ''
    AND NOT EXISTS (SELECT 1 FROM page g JOIN hint x ON x.url = g.url AND x.changed_after BETWEEN h.started_at AND h.ended_at WHERE g.id = n.page_id)
  LIMIT 1`;

/** A limit that may be gone tomorrow. Written out, and not imported: a check shares no list with what it checks. */
const PASSING: ReadonlySet<string> = new Set([
  "budget_exhausted",
  "max_pages",
  "max_spend",
  "site_stopped",
  "already_open",
  "in_doubt",
]);
/** The gateway refuses: final after eight tries, of which the last is not counted. */
const REFUSALS: ReadonlySet<string> = new Set(["not_quoted", "quote_refused"]);
const TRIES_BEFORE_LAST = 7;

export function createNotifications(evidence: Evidence): StepRule {
  const { db } = evidence;
  const selectHints = db.prepare<[], [number, string]>("SELECT id, state FROM hint ORDER BY id").raw();
  const selectEnded = db.prepare<[number], HintRow>(ENDED_HINT);
  const selectStranded = db
    .prepare<[], number>(
      "SELECT h.id FROM hint h JOIN run r ON r.id = h.run_id WHERE h.state = 'entered' AND (r.state <> 'running' OR r.taken_over_by IS NOT NULL) LIMIT 1",
    )
    .pluck();
  const selectBefore = db.prepare<[number], number>(BOUGHT_BEFORE).pluck();
  let before: ReadonlyMap<number, string> = new Map();
  return (step) => {
    const now = new Map(selectHints.all());
    const changed = [...now].filter(([id, state]) => before.get(id) !== state);
    const lost = [...before].find(([id, state]) => !now.has(id) || (state === "done" && now.get(id) !== "done"));
    before = now;
    if (lost !== undefined) {
      return broken("hint-stays", `hint ${lost[0]} was ${lost[1]} and is ${now.get(lost[0]) ?? "not there"}`);
    }
    const stranded = now.size === 0 ? undefined : selectStranded.get();
    if (stranded !== undefined) {
      return broken("entered-run-goes-on", `hint ${stranded} has entered a run that is over`);
    }
    for (const [id] of changed.filter(([, state]) => state === "done")) {
      const hint = selectEnded.get(id);
      if (hint !== undefined && !isDecided(hint, evidence)) {
        return broken("done-hint-is-decided", `nothing says why hint ${JSON.stringify(hint)} is done`);
      }
    }
    for (const { before: earlier, now: row } of step.purchases) {
      const held = row.state === "settled" && earlier?.state !== "settled" ? selectBefore.get(row.id) : undefined;
      if (held !== undefined && evidence.clocksAreRight?.() !== false) {
        return broken(
          "held-version-is-not-notified",
          `purchase ${row.id} of ${row.url} buys for a notification what purchase ${held} holds`,
        );
      }
    }
    return null;
  };
}

/** The page is held in the version of the notification or a newer one, or it was denied for good. */
function isDecided(hint: HintRow, evidence: Evidence): boolean {
  const { host, kind, timestamp, changedAfter, tries, denied, boughtAt, heldLastMod, isCalledCharged } = hint;
  const isRefreshed = sitesInForce(evidence, host ?? "").every(({ refresh }) => refresh !== "never");
  const isHeld =
    boughtAt !== null &&
    (kind === "created" ||
      !isRefreshed ||
      boughtAt >= changedAfter ||
      (heldLastMod !== null && Date.parse(heldLastMod) >= Date.parse(timestamp)));
  const isDenied = denied !== null && !PASSING.has(denied) && !REFUSALS.has(denied);
  return isHeld || isDenied || isCalledCharged === 1 || tries >= TRIES_BEFORE_LAST;
}

/** Called after a reading of the delivery records and webhook runs without faults. */
export function endNotifications(evidence: Evidence): Violation[] {
  const { notices = [], noticesSettledAt, db } = evidence;
  const isKnown = createKnown(evidence);
  const unknown = notices.filter((notice) => !isKnown(notice));
  return [
    ...unknown.map(({ url, timestamp }) =>
      broken("notification-is-known", `nothing is known of the notification of ${url} at ${timestamp}`),
    ),
    ...(noticesSettledAt === undefined ? [] : listDue(db, newestOf(evidence).sites, noticesSettledAt)),
  ];
}

/** One that was answered is on disk as it was. Of one that never arrived, the records tell: it is there, or another one of its page is. */
function createKnown({ db, settings, recordsReadFrom = Number.POSITIVE_INFINITY, clocksAreRight }: Evidence) {
  const exact = db.prepare("SELECT 1 FROM hint WHERE wire_url = ? AND timestamp = ? AND kind = ?");
  const any = db.prepare("SELECT 1 FROM hint WHERE wire_url = ? AND kind = ?");
  // A reading passes over the records of a site that is not configured at the time.
  const isConfigured = (url: string) =>
    settings.every(({ sites }) => sites.some(({ host }) => new URL(url).host === host));
  // By a wrong clock, a reading takes other days for the last ones.
  const isRead = ({ url, record }: Notice) =>
    clocksAreRight?.() !== false && record.lastAttempt >= recordsReadFrom && isConfigured(url);
  return (notice: Notice): boolean =>
    notice.isAnswered
      ? exact.get(notice.url, notice.timestamp, notice.kind) !== undefined
      : !isRead(notice) || any.get(notice.url, notice.kind) !== undefined;
}

/**
 * Each hint of a configured site was decided, or waits for a later instant: after a limit, a refusal, or a doubt. Or its site was stopped for
 * good, or a person has cancelled the run of the day, or stopped it: then nobody goes on with it until the day ends.
 */
function listDue(db: Database.Database, sites: readonly { readonly host: string }[], at: number): Violation[] {
  const hosts = new Set(sites.map(({ host }) => host));
  const due = db.prepare<[number, number], { readonly id: number; readonly host: string; readonly url: string }>(
    `SELECT h.id, s.host, h.url FROM hint h JOIN site s ON s.id = h.site_id
       LEFT JOIN run r ON r.id = (SELECT max(w.id) FROM run w WHERE w.key LIKE format('webhook:%s:%%', s.host))
       LEFT JOIN run_site x ON x.run_id = r.id AND x.site_id = s.id
     WHERE (h.state = 'entered' OR (h.state = 'waiting' AND h.not_before <= ?)) AND x.stop IS NULL AND r.state IS NOT 'cancelled'
       AND NOT EXISTS (SELECT 1 FROM run d LEFT JOIN run_site y ON y.run_id = d.id AND y.site_id = s.id
         WHERE d.key = format('webhook:%s:%s', s.host, date(? / 1000, 'unixepoch'))
         AND (y.stop IS NOT NULL OR d.state = 'cancelled' OR (d.state = 'interrupted' AND d.ended_by = 'person')))`,
  );
  return due
    .all(at, at)
    .filter(({ host }) => hosts.has(host))
    .map(({ id, url }) => broken("no-due-hint-is-left", `hint ${id} of ${url} could be decided, and is not`));
}

function broken(rule: string, detail: string): Violation {
  return { promise: 6, rule, detail };
}
