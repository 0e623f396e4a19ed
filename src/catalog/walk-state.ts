/**
 * The state of the walk of one site's catalog, and how one more catalog page changes it.
 *
 * A full walk reads to the end. An incremental walk may stop early: the catalog is ordered by `lastMod` descending, where present.
 * Once an entry lies below the last complete walk's high-water mark minus an overlap, all further
 * entries are known. This holds only while every entry so far had a `lastMod` and they were in order. The first entry that breaks
 * this turns the walk into a full one.
 */

export interface WalkState {
  /** Null before the first page and after the last. */
  readonly pageToken: string | null;
  readonly pagesRead: number;
  /** An entry older than this ends the walk while `ordered` is true. Null: a full walk. Epoch ms. */
  readonly stopBelowAt: number | null;
  /** Every entry so far had a parsable `lastMod`, none newer than the one before. */
  readonly ordered: boolean;
  /** The `lastMod` of the last entry read. */
  readonly lastAt: number | null;
  /** The newest `lastMod` read, which becomes the next high-water mark. */
  readonly newestAt: number | null;
  /** `complete`: read to its end or to the mark. `cut`: ended early with a warning. */
  readonly ended: "complete" | "cut" | null;
}

/** @param stopBelowAt null for a full walk */
export function createWalkState(stopBelowAt: number | null): WalkState {
  return { pageToken: null, pagesRead: 0, stopBelowAt, ordered: true, lastAt: null, newestAt: null, ended: null };
}

/**
 * Returns the state after one more catalog page.
 * @param lastMods the parsed `lastMod` of each entry in their order (epoch ms, null when missing or impossible to parse)
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
