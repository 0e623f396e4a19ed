import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startLedgerProcess } from "../doubles/ledger-process.ts";
import { NOON } from "../doubles/ledger-shop.ts";
import {
  leaseMany,
  RUN,
  readTotal,
  toApproval,
  toBudget,
  toDecideRequest,
  toEntry,
  toRate,
  toSite,
  toSpec,
  walkPage,
} from "../doubles/ledger-steps.ts";
import { openTempLedger } from "../doubles/temp-ledger.ts";
import { createModelCommands, createWorld, LIMITS } from "./ledger-model.ts";

const PROCESSES = 4;
const RESERVATIONS = 25;
const PRICE_MICROS = 10_000;

describe("promise 1: no overspend", () => {
  it("holds whatever is reserved, sent, settled, released, put in doubt, resolved or late, in any order", async () => {
    await fc.assert(
      fc.asyncProperty(createModelCommands(), async (commands) => {
        const { ledger } = await openTempLedger();
        const world = createWorld(ledger);
        await fc.asyncModelRun(() => ({ model: world.model, real: world }), commands);
        const { violations } = await ledger.audit({ budgets: world.model.excused ? [] : LIMITS, now: NOON });
        expect(violations).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    { limit: "a multiple of the price", limitMicros: 37 * PRICE_MICROS, approved: 37 },
    { limit: "one micro less", limitMicros: 37 * PRICE_MICROS - 1, approved: 36 },
  ])(
    "never exceeds a limit by a micro with 100 reservations of 4 processes at once: $limit",
    async ({ limitMicros, approved }) => {
      const { ledger, path } = await openTempLedger();
      const hosts = Array.from({ length: PROCESSES }, (_, n) => `site-${n}.example`);
      // Each process gets a site and a run of its own, so that the stop of a site does not replace the limit.
      const runs = hosts.map((host, n) => ({ host, runId: `${RUN}_${n}` }));
      for (const { host, runId } of runs) {
        await ledger.createRun(toSpec({ runId, sites: [toSite({ host })] }));
        const entries = Array.from({ length: RESERVATIONS }, (_, n) => toEntry(`/${n}`, {}, host));
        await walkPage(ledger, { runId, entries, quoteBatchSize: 1 });
      }
      const processes = await Promise.all(runs.map(() => startLedgerProcess(path)));
      const prepared = await Promise.all(
        runs.map(async ({ runId }) => {
          const leases = await leaseMany(ledger, { runId });
          return Promise.all(
            leases.map(async ({ leaseId }) => ({ leaseId, page: (await ledger.openQuoteBatch(leaseId))?.pages[0] })),
          );
        }),
      );
      const decided = await Promise.all(
        prepared.flatMap((batches, n) =>
          batches.map(({ leaseId, page }) => {
            const decision = toApproval(page?.pageId ?? 0, toRate(PRICE_MICROS));
            const request = toDecideRequest(leaseId, [decision], { budgets: [toBudget(limitMicros)] });
            return processes[n]?.ledger.decide(request);
          }),
        ),
      );
      expect(decided).toHaveLength(PROCESSES * RESERVATIONS);
      const total = decided.reduce((sum, one) => sum + (one?.approved ?? 0), 0);
      expect(total).toBe(approved);
      expect(await readTotal(ledger)).toEqual({
        spentMicros: 0,
        inDoubtMicros: 0,
        reservedMicros: approved * PRICE_MICROS,
      });
      expect((await ledger.audit({ budgets: [], now: NOON })).violations).toEqual([]);
      await Promise.all(processes.map(({ ledger: remote }) => remote.close()));
    },
  );
});
