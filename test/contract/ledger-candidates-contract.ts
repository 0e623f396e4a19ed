import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { BestFirst } from "../../src/policy/rank-page.ts";
import { NOON } from "../doubles/ledger-shop.ts";
import {
  HOST,
  leaseMany,
  leaseOne,
  RUN,
  readTotal,
  resumeRun,
  toApproval,
  toBudget,
  toDecideRequest,
  toEntry,
  toRate,
  toSpec,
  walkPage,
} from "../doubles/ledger-steps.ts";
import type { OpenLedger } from "./ledger-contract.ts";

const PRICES = { "/a": 30_000, "/b": 10_000, "/c": 20_000 };

export function describeCandidates(open: OpenLedger): void {
  describe("candidates", () => {
    it("are kept once for one lease, reserve nothing, and are read from the best down", async () => {
      const ledger = await open();
      const { request, ids } = await quote(ledger);
      expect(await ledger.recordCandidates(request)).toEqual({ stale: true, candidates: 0, denied: {} });
      expect((await readTotal(ledger)).reservedMicros).toBe(0);
      const read = { runId: RUN, order: "cheapest", limit: 2 } as const;
      const first = await ledger.readCandidates({ ...read, after: null });
      expect(first.candidates.map(({ pageId }) => pageId)).toEqual([ids[1], ids[2]]);
      const rest = await ledger.readCandidates({ ...read, after: first.next });
      expect(rest.candidates.map(({ pageId }) => pageId)).toEqual([ids[0]]);
      const affordable = await ledger.readCandidates({
        ...read,
        limit: 9,
        after: null,
        room: { USD: toRate(15_000).price.micros },
      });
      expect(affordable.candidates.map(({ pageId }) => pageId)).toEqual([ids[1]]);
    });

    it("are found in the order asked for, with what they are worth", async () => {
      const ledger = await open();
      const { ids } = await quote(ledger, "value");
      const found = await ledger.findCandidates({ runId: RUN, pageIds: [...ids] });
      expect(found.map(({ pageId, host }) => [pageId, host])).toEqual(ids.map((id) => [id, HOST]));
      expect((await ledger.readWorths({ runId: RUN, limit: 3 }))?.map(({ costMicros }) => costMicros)).toEqual([
        10_000, 20_000, 30_000,
      ]);
      expect(await ledger.readWorths({ runId: RUN, limit: 2 })).toBeNull();
    });

    it("pass over what a budget has no room for, and deny it only in the last round", async () => {
      const ledger = await open();
      const { ids, decide } = await quote(ledger);
      const [a = 0, b = 0, c = 0] = ids;
      const decided = await decide([a, c, b], "keep");
      expect(decided.sites).toMatchObject([{ host: HOST, approved: 2, denied: {}, exhausted: null }]);
      expect((await readTotal(ledger)).reservedMicros).toBe(40_000);
      expect((await decide([a, b], "keep")).sites).toEqual([]);
      const last = await decide([c], "deny");
      expect(last.sites).toMatchObject([{ approved: 0, denied: { budget_exhausted: 1 } }]);
      expect(
        (await ledger.readCandidates({ runId: RUN, order: "cheapest", limit: 9, after: null })).candidates,
      ).toEqual([]);
      expect((await ledger.readRun(RUN)).pages).toMatchObject({ seen: 3, approved: 2, denied: 1, undecided: 0 });
    });

    it("take their new place when they have become dearer", async () => {
      const ledger = await open();
      const { ids } = await quote(ledger);
      const [, b = 0] = ids;
      const decisions = [{ ...toApproval(b, toRate(50_000)), value: 1 }];
      await ledger.rankCandidates({ runId: RUN, order: "cheapest", decisions });
      const { candidates } = await ledger.readCandidates({ runId: RUN, order: "cheapest", limit: 9, after: null });
      expect(candidates.map(({ pageId }) => pageId)).toEqual([ids[2], ids[0], b]);
    });

    it("wait to be quoted again when the run is resumed", async () => {
      const ledger = await open();
      await quote(ledger);
      await ledger.endRun({ runId: RUN, state: "interrupted", reason: null, now: NOON });
      await resumeRun(ledger);
      expect(
        (await ledger.readCandidates({ runId: RUN, order: "cheapest", limit: 9, after: null })).candidates,
      ).toEqual([]);
      expect((await leaseMany(ledger)).map(({ stage }) => stage)).toContain("quote");
    });

    it("may be pages whose reservation was taken back, which the audit accepts", async () => {
      const ledger = await open();
      const { ids, decide, record } = await quote(ledger);
      await decide(ids, "deny");
      expect((await readTotal(ledger)).reservedMicros).toBeGreaterThan(0);
      await ledger.endRun({ runId: RUN, state: "interrupted", reason: null, now: NOON });
      await resumeRun(ledger);
      await record();
      expect((await readTotal(ledger)).reservedMicros).toBe(0);
      expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ violations: [] });
    });
  });
}

/** Walks and quotes three pages at 30, 10 and 20 thousand micros. */
async function quote(ledger: Ledger, order: BestFirst = "cheapest") {
  await ledger.createRun(toSpec());
  const paths = Object.keys(PRICES) as (keyof typeof PRICES)[];
  await walkPage(ledger, { entries: paths.map((path) => toEntry(path)) });
  const { leaseId } = await leaseOne(ledger, "quote");
  const pages = (await ledger.openQuoteBatch(leaseId))?.pages ?? [];
  const record = async () => {
    const again = await leaseOne(ledger, "quote");
    const due = (await ledger.openQuoteBatch(again.leaseId))?.pages ?? [];
    const anew = due.map(({ pageId }) => ({ ...approve(pageId), value: 1 }));
    await ledger.recordCandidates({ ...request, leaseId: again.leaseId, decisions: anew });
  };
  const approve = (pageId: number) => {
    const url = pages.find((page) => page.pageId === pageId)?.url ?? "";
    return toApproval(pageId, toRate(PRICES[new URL(url).pathname as keyof typeof PRICES]));
  };
  const ids = pages.map(({ pageId }) => pageId);
  const decisions = ids.map((pageId) => ({ ...approve(pageId), value: 1 }));
  const request = { leaseId, now: NOON, order, policyName: "default", decisions };
  expect(await ledger.recordCandidates(request)).toEqual({ stale: false, candidates: 3, denied: {} });
  const decide = (pageIds: readonly number[], noRoom: "keep" | "deny") => {
    const { leaseId: _, decisions: _d, ...terms } = toDecideRequest(leaseId, [], { budgets: [toBudget(40_000)] });
    return ledger.decideCandidates({
      ...terms,
      runId: RUN,
      process: "here:1:a",
      sites: [{ host: HOST, ...terms }],
      decisions: pageIds.map(approve),
      noRoom,
    });
  };
  return { request, ids, decide, record };
}
