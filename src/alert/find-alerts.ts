/**
 * Which facts raise which alert. The key of an alert is what makes it one: whoever finds the same fact again, in this process or in another,
 * finds the same key.
 */
import { findNearLimit } from "../budget/near-limit.ts";
import { scopeKey } from "../budget/scope.ts";
import { formatMoney } from "../money/format-money.ts";
import { WAIT_WORDS } from "../run/wait.ts";
import { isoDate } from "../time/period.ts";
import type { Alert, AlertAbout, AlertKind } from "./alert.ts";
import type {
  AlertFacts,
  BudgetFact,
  FailedSlotsFact,
  LowDiskFact,
  OpenItemFact,
  UnreportedFact,
  WaitFact,
} from "./alert-facts.ts";

/** Begins the key of an open item's alert; the ledger looks for it too. */
export const OPEN_ITEM_KEY = "open_item:";
/** More new open items at once are told of in one alert. */
const MAX_SINGLE_ITEMS = 20;
/** Ids in a key are padded, so that keys sort like ids. */
const ID_DIGITS = 16;
/** What happened longer ago is not told any more. Alerts that are older may be pruned: their facts must not raise them again. */
export const MAX_FACT_AGE_MS = 7 * 86_400_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const BYTES_PER_MB = 1_000_000;
/** Begins the name of the schedule of a site. */
const SITE_SCHEDULE = "site:";

/** What somebody is configured to be told. */
export interface Wanted {
  readonly kinds: ReadonlySet<AlertKind>;
  /** The durations of `unreported_for`. */
  readonly unreportedForMs: readonly number[];
}

/** What waits for less is usual: a restart, a short outage. */
export const WAIT_WORTH_AN_ALERT_MS = 5 * 60_000;

/** @param lowDisk null: there is room enough, or nobody knows */
export function findAlerts(
  facts: AlertFacts,
  wanted: Wanted,
  { now, lowDisk }: { readonly now: number; readonly lowDisk: LowDiskFact | null },
): Alert[] {
  const all = [
    ...facts.budgets.flatMap((fact) => [...toNearLimit(fact, now), ...toExhausted(fact, now)]),
    ...facts.failedRuns.map(({ runId, host, stop, reason, endedAt }) =>
      create("run_failed", runId, {
        message: `run ${runId} failed`,
        details: { runId, reason, endedAt },
        at: endedAt,
        about: { site: host, run: runId, code: stop ?? codeIn(reason), command: `licet runs ${runId}` },
      }),
    ),
    ...facts.failedSlots.map((fact) => toFailedSlots(fact, now)),
    ...facts.doubts.map(({ runId, host, reason, count, newestAt }) =>
      // Again at 10, 100 and 1000: more than a person expects after the first alert.
      create("in_doubt", `${runId}:${String(count).length}`, {
        message: `${count === 1 ? "1 purchase" : `${count} purchases`} of run ${runId} may have been charged, and no content arrived`,
        details: { runId, count },
        at: newestAt,
        about: { site: host, run: runId, code: reason, command: `licet runs ${runId} --state in_doubt` },
      }),
    ),
    ...toOpenItems(facts.openItems),
    ...(facts.unreported === null ? [] : toUnreported(facts.unreported, wanted.unreportedForMs, now)),
    ...facts.waits.flatMap((fact) => toWait(fact, now)),
    ...(lowDisk === null ? [] : [toLowDisk(lowDisk, now)]),
  ];
  return all.filter(({ kind }) => wanted.kinds.has(kind));
}

const ABOUT_NOTHING: AlertAbout = { site: null, run: null, code: null, command: null };

function create(
  kind: AlertKind,
  name: string,
  said: Pick<Alert, "message" | "details" | "at"> & { readonly about: Partial<AlertAbout> },
): Alert {
  const { about, ...rest } = said;
  const whole = { ...ABOUT_NOTHING, ...about };
  return { kind, key: `${kind}:${name}`, ...rest, ...whole, unless: null, unreportedForMs: null, isSilent: false };
}

/** The error code that a reason begins with or names. Null: none. */
function codeIn(reason: string | null): string | null {
  return /\b[A-Z][A-Z]+(?:_[A-Z]+)+\b/.exec(reason ?? "")?.[0] ?? null;
}

/** A budget of a site or of a run is about it. */
function aboutBudget({ budget, key }: BudgetFact, code: AlertKind): Partial<AlertAbout> {
  const { scope } = budget;
  const run = scope.kind === "run" ? key.scope.slice("run:".length) : null;
  return {
    site: scope.kind === "site" ? scope.host : null,
    run,
    code,
    command: run === null ? "licet status" : `licet runs ${run}`,
  };
}

/** Once for each wait of a place, by the oldest of those who wait. It lasts, so it happens now. */
function toWait({ place, code, message, since, runIds }: WaitFact, now: number): Alert[] {
  if (now - since < WAIT_WORTH_AN_ALERT_MS) {
    return [];
  }
  const [run = null] = runIds.length === 1 ? runIds : [];
  const who =
    runIds.length === 0 ? "the service waits" : run === null ? `${runIds.length} runs wait` : `run ${run} waits`;
  return [
    create(place === "gateway" ? "gateway_away" : "waiting", `${place}:${since}`, {
      message: `${who} for ${WAIT_WORDS[place]} since ${new Date(since).toISOString()} (${code})`,
      details: { place, since, runIds, reason: message },
      at: now,
      about: { run, code, command: place === "gateway" ? "licet check" : "licet status" },
    }),
  ];
}

/** Once a day while it lasts. */
function toLowDisk({ freeBytes, lowDiskBytes }: LowDiskFact, now: number): Alert {
  const megabytes = (bytes: number) => Math.floor(bytes / BYTES_PER_MB);
  return create("ledger_low_disk", isoDate(now), {
    message: `${megabytes(freeBytes)} MB are free on the disk of the ledger, fewer than ${megabytes(lowDiskBytes)} MB`,
    details: { freeBytes, lowDiskBytes },
    at: now,
    about: { code: "DISK_FULL", command: "licet check" },
  });
}

/** Once for each period and limit: a raised limit can be nearly used up anew. */
function nameBudget({ budget, key }: BudgetFact): string {
  return `${key.scope}:${key.period}:${key.currency}:${budget.limitMicros}`;
}

function describeBudget({ budget, key }: BudgetFact): string {
  const scope = budget.scope.kind === "run" ? key.scope.replace(":", " ") : scopeKey(budget.scope);
  const period = key.period === "total" ? "" : ` of ${key.period.replace(":", " ")}`;
  return `the budget ${scope}${period} (${key.currency})`;
}

function toDetails(fact: BudgetFact): Alert["details"] {
  const { budget, key, balance } = fact;
  return { ...key, limitMicros: budget.limitMicros, ...balance };
}

function toNearLimit(fact: BudgetFact, now: number): Alert[] {
  const { budget, balance } = fact;
  const usage = findNearLimit(budget, balance);
  if (usage === null) {
    return [];
  }
  const limit = formatMoney({ micros: budget.limitMicros, currency: budget.currency });
  const message = `${usage.percent} % of ${describeBudget(fact)} is used; its limit is ${limit}`;
  const details = { ...toDetails(fact), percent: usage.percent };
  const about = aboutBudget(fact, "budget_80");
  return [create("budget_80", nameBudget(fact), { message, details, at: now, about })];
}

function toExhausted(fact: BudgetFact, now: number): Alert[] {
  if (fact.spentAt === null || now - fact.spentAt > MAX_FACT_AGE_MS) {
    return [];
  }
  const limit = formatMoney({ micros: fact.budget.limitMicros, currency: fact.budget.currency });
  const message = `${describeBudget(fact)} is used up: a page did not fit the limit of ${limit}`;
  const details = { ...toDetails(fact), exhaustedAt: fact.spentAt };
  const about = aboutBudget(fact, "budget_exhausted");
  return [create("budget_exhausted", nameBudget(fact), { message, details, at: fact.spentAt, about })];
}

/** Once until a slot of the schedule begins its run again. It lasts, so it happens now. */
function toFailedSlots({ schedule, firstSlotAt, slots, reason }: FailedSlotsFact, now: number): Alert {
  const first = new Date(firstSlotAt).toISOString();
  const message = `the slot of ${first} of ${schedule} failed before its run began`;
  const details = { schedule, firstSlotAt, slots, reason };
  const site = schedule.startsWith(SITE_SCHEDULE) ? schedule.slice(SITE_SCHEDULE.length) : null;
  const command = site === null ? "licet schedule" : `licet schedule --site ${site}`;
  return create("slot_failed", `${schedule}:${firstSlotAt}`, {
    message,
    details,
    at: now,
    about: { site, code: codeIn(reason), command },
  });
}

/** One alert an item. Of very many at once, one alert tells, and each item is written down as known. */
function toOpenItems(items: readonly OpenItemFact[]): Alert[] {
  const single = items.map((item): Alert => {
    const { id, kind, host, at } = item;
    const message = `open item ${id} (${kind})${host === null ? "" : ` at ${host}`}: a person has to look at it`;
    const about = { site: host, code: kind, command: "licet status --all" };
    return create("open_item", String(id), { message, details: { ...item }, at, about });
  });
  const [first, last] = [items.at(0), items.at(-1)];
  if (items.length <= MAX_SINGLE_ITEMS || first === undefined || last === undefined) {
    return single;
  }
  const details = { count: items.length, firstId: first.id, lastId: last.id };
  const message = `${items.length} new open items (${first.id} to ${last.id}): a person has to look at them`;
  const newestAt = Math.max(...items.map(({ at }) => at));
  return [
    create("open_item", `${first.id}..${last.id}`, {
      message,
      details,
      at: newestAt,
      about: { command: "licet status --all" },
    }),
    ...single.map((alert) => ({ ...alert, isSilent: true })),
  ];
}

/**
 * Once for each episode: what waited when the alert was raised does not raise another. The key names the newest of those uses, and an alert
 * with the oldest waiting use or a newer one in its key is of the same episode.
 */
function toUnreported(
  { uses, oldestAt, oldestUseId, newestUseId }: UnreportedFact,
  durations: readonly number[],
  now: number,
): Alert[] {
  return durations
    .filter((durationMs) => now - oldestAt >= durationMs)
    .map((durationMs) => {
      const forMs = now - oldestAt;
      const message = `${uses === 1 ? "1 use is" : `${uses} uses are`} not reported; the oldest has waited for ${formatWait(forMs)}`;
      const details = { uses, oldestAt, unreportedForMs: durationMs };
      const prefix = `unreported_for:${durationMs}:`;
      const about = { code: "unreported", command: "licet report" };
      const alert = create("unreported_for", `${durationMs}:${pad(newestUseId)}`, { message, details, at: now, about });
      return {
        ...alert,
        unreportedForMs: durationMs,
        unless: { from: `${prefix}${pad(oldestUseId)}`, below: `${prefix}:` },
      };
    });
}

function pad(id: number): string {
  return String(id).padStart(ID_DIGITS, "0");
}

function formatWait(ms: number): string {
  return ms < HOUR_MS ? `${Math.floor(ms / MINUTE_MS)} minutes` : `${Math.floor(ms / HOUR_MS)} hours`;
}
