/**
 * Done or said (liveness): when the world rests, what was asked for and allowed is bought, or a run says why not. Nothing waits for ever, and no
 * run is completed with pages left. Called when no process but the service is alive, and the service has had its time.
 */
import type { Violation } from "../checks/evidence.ts";
import type { World } from "../world.ts";
import type { Ask } from "./asks.ts";
import { isExcluded, isWithin, type Meeting } from "./meeting.ts";
import { TAKEN_BACK } from "./taken-back.ts";

interface RunRow {
  readonly name: string;
  readonly state: string;
  readonly reason: string | null;
  readonly takenOverBy: string | null;
}

/** States that say why pages are left. */
const LIMITS: ReadonlySet<string> = new Set(["max_pages", "max_spend", "max_duration", "budget_exhausted"]);

export function judgeDoneOrSaid(world: World, meeting: Meeting, asks: readonly Ask[]): Violation | null {
  return (
    findWaiting(world) ?? asks.map((ask) => judgeAsk(world, meeting, ask, asks)).find((found) => found !== null) ?? null
  );
}

/** Rows that only a process at work may leave so. A plan whose making died holds nothing, and goes when the next run begins. */
const WAITING: readonly (readonly [rule: string, sql: string])[] = [
  [
    "run-does-not-wait",
    "SELECT format('run %s is running, and nobody works on it', name) FROM run WHERE state = 'running' AND kind <> 'planning'",
  ],
  [
    "purchase-does-not-wait",
    "SELECT format('purchase %d of %s is %s', p.id, r.name, p.state) FROM purchase p JOIN run r ON r.id = p.run_id WHERE p.state IN ('reserved', 'started')",
  ],
  [
    "slot-does-not-wait",
    "SELECT format('the slot %d of %s is %s', slot_at, schedule, state) FROM slot WHERE state IN ('claimed', 'started') AND claimed_at < @now - 600000",
  ],
  [
    "slot-has-one-run",
    `SELECT format('%d runs have begun for %d slots of %s', runs, slots, host) FROM (
       SELECT h.host, count(DISTINCT r.id) AS runs,
         (SELECT count(*) FROM slot s WHERE s.schedule = format('site:%s', h.host) AND s.state NOT IN ('refused', 'missed')) AS slots
       FROM run r JOIN run_site x ON x.run_id = r.id JOIN site h ON h.id = x.site_id
       WHERE r.started_by = 'schedule' AND r.taken_over_by IS NULL GROUP BY h.host) WHERE runs > slots`,
  ],
];

function findWaiting({ db, scheduler: { now } }: World): Violation | null {
  for (const [rule, sql] of WAITING) {
    const detail = db.prepare<{ now: number }, string>(sql).pluck().get({ now });
    if (detail !== undefined) {
      return broken(rule, detail);
    }
  }
  return null;
}

function judgeAsk(world: World, meeting: Meeting, ask: Ask, asks: readonly Ask[]): Violation | null {
  const [first] = ask.runs;
  // What a plan leaves is its summary's: another run may have bought it, or another plan taken its file.
  if (first === undefined || ask.kind === "fetch" || ask.kind === "plan") {
    return null;
  }
  const last = findLast(world, first);
  if (last === null) {
    return broken("run-stays", `${ask.what}: run ${first} is gone`);
  }
  // Another one may carry the run too, and have been stopped with it.
  const isStopped = [ask, ...asks.filter(({ runs }) => runs.includes(last.name))].some((one) => isPutDown(world, one));
  // A run that failed says why, and its person decides.
  if (
    LIMITS.has(last.state) ||
    last.state === "failed" ||
    last.state === "cancelled" ||
    (isStopped && last.state !== "completed")
  ) {
    return null;
  }
  if (last.state !== "completed") {
    return isContinued(world, meeting, ask)
      ? broken(
          "run-goes-on",
          `${ask.what}: run ${last.name} is left as ${last.state} (${last.reason}), and nobody continues it`,
        )
      : null;
  }
  // Whoever goes on with it may exclude pages that it did not.
  const isAllowed = (url: string) =>
    isWithin(ask.settings, url) && meeting.configurations.every((settings) => !isExcluded(settings, url));
  const left = [...ask.urls].filter(
    (url) =>
      isAllowed(url) && !ask.gone.has(url) && !isHeldOrKnown(world, url) && !isStoppedSite(world, last.name, url),
  );
  return left.length === 0
    ? null
    : broken("completed-has-no-pages-left", `${ask.what}: run ${last.name} is completed without ${left.join(", ")}`);
}

/** A person has stopped it, or wanted to go on with it, and was refused, or asked a service that had died. */
function isPutDown({ beginnings }: World, { windows, runs, isStopUnsure }: Ask): boolean {
  const { from, to } = windows.at(-1) as Ask["windows"][number];
  return (
    to !== null ||
    isStopUnsure ||
    (windows.length > 1 && !beginnings.some(({ runId, at }) => runs.includes(runId) && at >= from))
  );
}

/** The run that ended the work of a run: itself, or what took it over. */
function findLast({ db }: World, name: string): RunRow | null {
  const select = db.prepare<[string], RunRow>(
    "SELECT r.name, r.state, r.reason, t.name AS takenOverBy FROM run r LEFT JOIN run t ON t.id = r.taken_over_by WHERE r.name = ?",
  );
  let row = select.get(name) ?? null;
  for (let next = row?.takenOverBy ?? null; row !== null && next !== null; next = row?.takenOverBy ?? null) {
    row = select.get(next) ?? null;
  }
  return row;
}

/** A walk or a list that died is the service's, if its configuration has the sites; and it was not refused or ended by an error. */
function isContinued(world: World, { hasService, configurations: [service] }: Meeting, ask: Ask): boolean {
  const died = ask.process === null || world.processes.some(({ name, isAlive }) => name === ask.process && !isAlive);
  // A list goes on behind the lines that it has read, if they are still there.
  const hasSource = ask.kind === "walk" || ask.kind === "slot" || (ask.kind === "list" && ask.gone.size === 0);
  return hasService && died && hasSource && [...ask.urls].every((url) => isWithin(service, url));
}

/** Its content is held, or what became of it is written down: it is in doubt, denied, or counted as failed. */
function isHeldOrKnown({ db }: World, url: string): boolean {
  return (
    db
      .prepare<[string], number>(
        `SELECT 1 FROM page g WHERE g.url = ? AND (g.held_purchase_id IS NOT NULL
           OR EXISTS (SELECT 1 FROM denial d WHERE d.page_id = g.id AND d.reason IN ('already_open', 'not_quoted', 'quote_refused', 'in_doubt', 'kept_off'))
           OR EXISTS (SELECT 1 FROM purchase p WHERE p.page_id = g.id AND (p.state = 'in_doubt' OR EXISTS (SELECT 1 FROM resolution x WHERE x.purchase_id = p.id) OR (p.state = 'released' AND p.reason NOT IN (${TAKEN_BACK})))))`,
      )
      .get(url) !== undefined
  );
}

/** The run says of the site why it was stopped, or warns that its catalog could not be read to the end. */
function isStoppedSite({ db }: World, run: string, url: string): boolean {
  return (
    db
      .prepare<[string, string], number>(
        `SELECT 1 FROM run_site x JOIN run r ON r.id = x.run_id JOIN site s ON s.id = x.site_id
         WHERE r.name = ? AND s.host = ? AND (x.stop IS NOT NULL OR x.walk_warning IS NOT NULL)`,
      )
      .get(run, new URL(url).host) !== undefined
  );
}

function broken(rule: string, detail: string): Violation {
  return { promise: "liveness", rule, detail };
}
