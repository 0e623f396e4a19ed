/** Incremental walks: what one may leave unseen, and when a full walk is due (design § The pipeline, `walk`). */
import type { ScenarioSite } from "../scenario.ts";
import type { EndState, Evidence, Violation } from "./evidence.ts";
import { newestOf } from "./settings.ts";

type Page = EndState["catalog"][number];

/** A clock that steps may move what licet takes for the last full walk by so much. */
const CLOCK_MARGIN_MS = 12 * 3_600_000;

export interface FullWalk {
  /** The true time at which its run began. */
  readonly at: number;
}

/** The last complete full walk of a site in a run before this one. */
export function createLastFullWalk({ db, runStarts }: Evidence): (host: string, runId: number) => FullWalk | null {
  const select = db
    .prepare<[string, number], string>(
      `SELECT r.name FROM run_site rs JOIN run r ON r.id = rs.run_id JOIN site s ON s.id = rs.site_id
       WHERE s.host = ? AND r.id < ? AND r.kind <> 'planning' AND rs.walk_ended = 'complete' AND rs.walk_stop_below_at IS NULL
       ORDER BY r.id DESC LIMIT 1`,
    )
    .pluck();
  return (host, runId) => {
    const at = runStarts?.get(select.get(host, runId) ?? "");
    return at === undefined ? null : { at };
  };
}

/**
 * A shortened walk may leave out what is older than the site's mark or has no date; but not what the last full walk had to look at already, when
 * neither the page nor the configuration has changed since: such a page must not wait for the next full walk.
 */
export function maybeUnseen(
  { url, lastMod }: Page,
  stopBelowAt: number | null,
  walk: FullWalk | null,
  evidence: Evidence,
): boolean {
  if (stopBelowAt === null || (lastMod !== null && Date.parse(lastMod) >= stopBelowAt)) {
    return false;
  }
  const changedAt = Math.max(evidence.changedAt?.get(url) ?? 0, newestOf(evidence).from);
  return walk === null || changedAt >= walk.at;
}

/** A walk is full if the configuration says so, or if the last full walk is long enough ago. */
export function judgeWalk(
  { host, refresh, walk: configured }: ScenarioSite,
  stopBelowAt: number | null,
  walk: FullWalk | null,
  runAt: number | null,
): Violation | null {
  if (stopBelowAt === null) {
    return null;
  }
  const fullEveryMs = refresh === "always" ? 0 : (configured?.fullEveryMs ?? 0);
  const isDue =
    fullEveryMs === 0 || (walk !== null && runAt !== null && runAt - walk.at > fullEveryMs + CLOCK_MARGIN_MS);
  const detail = `the last run walks ${host} down to ${new Date(stopBelowAt).toISOString()}, and a full walk is due`;
  return isDue ? { promise: "liveness", rule: "full-walk-is-due", detail } : null;
}
