import { expect, it } from "vitest";
import type { StageDeps } from "../../../src/pipeline/stage-deps.ts";
import { admitRenewals } from "../../../src/pipeline/walk/admit-renewals.ts";

const HOST = "news.example";
const RIGHT = 1_000;
const WRONG = 2_000;
const WALK = { host: HOST, walk: { pagesRead: 0, stopBelowAt: 1 } } as Parameters<typeof admitRenewals>[2];

it("renews nothing more by a clock that was set wrong between two reads", async () => {
  let now = RIGHT;
  const admitted: number[] = [];
  const deps = {
    clock: { now: () => now },
    expiry: { standard: { retentionMs: 1, onExpiry: "relicense" } },
    buyingClock: { isSure: (at: number) => at === RIGHT },
    limits: { quoteBatchSize: 1 },
    events: { walked: () => {} },
    sites: new Map([[HOST, { isExcluded: () => false, policy: { policy: { intent: "content" } } }]]),
    ledger: {
      listRenewals: async () => ({
        stale: false,
        pages: [{ pageId: 1, url: `https://${HOST}/1` }],
        next: admitted.length === 0 ? { at: 1 } : null,
      }),
      admitRenewals: async (asked: { readonly now: number }) => {
        admitted.push(asked.now);
        now = WRONG;
        return { admitted: 1 };
      },
    },
  };
  await admitRenewals(deps as unknown as StageDeps, "lease", WALK);
  expect(admitted).toEqual([RIGHT]);
});
