/**
 * Where the walk of one site's catalog stands, and what one more catalog page makes of it.
 *
 * A full walk reads to the end. An incremental one may stop early: the catalog is ordered by `lastMod` descending where
 * present (gateway-spec § Endpoints 4), so once an entry lies below the last complete walk's high-water mark minus an
 * overlap, the rest is known. That holds only while every entry so far had a `lastMod` and they were in order; the first
 * one that breaks this turns the walk into a full one.
 */

export interface WalkState {
  /** null before the first page and after the last. */
  readonly pageToken: string | null;
  readonly pagesRead: number;
  /** Entries older than this end the walk while `ordered` holds; null: a full walk. Epoch ms. */
  readonly stopBelowAt: number | null;
  /** Every entry so far had a parsable `lastMod`, none newer than the one before. */
  readonly ordered: boolean;
  /** The `lastMod` of the last entry read. */
  readonly lastAt: number | null;
  /** The newest `lastMod` read: the next high-water mark. */
  readonly newestAt: number | null;
  /** `complete`: read to its end or to the mark. `cut`: ended early with a warning. */
  readonly ended: "complete" | "cut" | null;
}

/** @param stopBelowAt null for a full walk */
export function createWalkState(stopBelowAt: number | null): WalkState {
  return { pageToken: null, pagesRead: 0, stopBelowAt, ordered: true, lastAt: null, newestAt: null, ended: null };
}

/**
 * The state after one more catalog page.
 * @param lastMods the parsed `lastMod` of each entry in the order they came (epoch ms, null when missing or unparsable)
 */
export function advanceWalk(
  state: WalkState,
  lastMods: readonly (number | null)[],
  nextPageToken: string | null,
): WalkState {
  let { ordered, lastAt, newestAt } = state;
  let reachedMark = false;
  for (const at of lastMods) {
    if (at === null || (lastAt !== null && at > lastAt)) {
      ordered = false;
    }
    if (at !== null) {
      lastAt = at;
      newestAt = newestAt === null ? at : Math.max(newestAt, at);
      reachedMark ||= state.stopBelowAt !== null && at < state.stopBelowAt;
    }
  }
  const stops = nextPageToken === null || (reachedMark && ordered);
  return {
    ...state,
    pageToken: stops ? null : nextPageToken,
    pagesRead: state.pagesRead + 1,
    ordered,
    lastAt,
    newestAt,
    ended: stops ? "complete" : null,
  };
}
