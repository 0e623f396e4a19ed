import { describe, expect, it } from "vitest";
import { advanceWalk, createWalkState } from "../../../src/catalog/walk-state.ts";

const MARK = 1_000;

/** Reads catalog pages one after the other, each with the dates of its entries, and says after which the walk was over. */
function pagesRead(pages: readonly (readonly (number | null)[])[], stopBelowAt: number | null = MARK): number {
  let state = createWalkState(stopBelowAt);
  for (const [index, dates] of pages.entries()) {
    state = advanceWalk(state, dates, index === pages.length - 1 ? null : `page-${index + 1}`);
    if (state.ended !== null) {
      break;
    }
  }
  return state.pagesRead;
}

describe("a walk", () => {
  it.each([
    ["ends at the page that reaches the mark", [[1_002, 1_001], [1_000, 999], [998]], MARK, 2],
    ["goes on at the mark itself", [[1_001], [1_000], [999]], MARK, 3],
    ["reads everything without a mark", [[1_001], [900], [800]], null, 3],
    ["reads everything when an earlier page was out of order", [[1_001, 1_002], [900], [1_003]], MARK, 3],
    ["reads everything when the page that reaches the mark is out of order", [[900, 1_002], [800], [1_003]], MARK, 3],
    ["reads everything when an entry has no date", [[1_001, null, 900], [800], [1_003]], MARK, 3],
    ["reads everything when it turns out of order between two pages", [[1_001], [1_002, 900], [1_003]], MARK, 3],
  ])("%s", (_name, pages, stopBelowAt, read) => {
    expect(pagesRead(pages, stopBelowAt)).toBe(read);
  });

  it("makes the newest date that it read the next mark, in whatever order", () => {
    const first = advanceWalk(createWalkState(null), [5, null, 9, 7], "next");
    expect(advanceWalk(first, [8], null)).toMatchObject({ newestAt: 9, ended: "complete", pageToken: null });
  });
});
