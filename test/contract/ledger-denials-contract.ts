import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { toMicros } from "../../src/money/micros.ts";
import { LEASE_MS, NO_LIMIT, NOON } from "../doubles/ledger-shop.ts";
import { begin, HOST, reserve, resumeRun, toRate, toSpec } from "../doubles/ledger-steps.ts";
import type { OpenLedger } from "./ledger-contract.ts";

/** As many as are kept of one page. */
const KEPT = 5;
const NO_BUDGET = [{ ...NO_LIMIT, currency: "EUR" }];

const DOLLAR = { ...NO_LIMIT, limitMicros: toMicros(1_000_000) };

async function deny(ledger: Ledger, number: number, end: "completed" | "interrupted" = "completed"): Promise<void> {
  const [runId, now] = [`run_${number}`, NOON + number];
  await reserve(ledger, ["/a", "/b"], { runId, now, budgets: NO_BUDGET });
  await ledger.endRun({ runId, state: end, reason: null, now });
}

const deniedIn = async (ledger: Ledger) =>
  (await ledger.readPage(`https://${HOST}/a`))?.denials.map(({ runId }) => runId) ?? [];

export function describeDenials(open: OpenLedger): void {
  describe("denials", () => {
    it("of a page are kept from its last runs, and those of earlier runs are still counted", async () => {
      const ledger = await open();
      for (let number = 1; number <= KEPT + 3; number++) {
        await deny(ledger, number);
        expect(await deniedIn(ledger)).toHaveLength(Math.min(number, KEPT));
      }
      expect(await deniedIn(ledger)).toEqual(["run_8", "run_7", "run_6", "run_5", "run_4"]);
      for (const runId of ["run_1", "run_8"]) {
        expect((await ledger.readRun(runId)).denials).toEqual({ no_budget_in_currency: 2 });
      }
      expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ ok: true, violations: [] });
    });

    it("of a run that may continue stay, however old it is", async () => {
      const ledger = await open();
      await deny(ledger, 1, "interrupted");
      for (let number = 2; number <= KEPT + 3; number++) {
        await deny(ledger, number);
      }
      expect(await deniedIn(ledger)).toEqual(["run_8", "run_7", "run_6", "run_5", "run_4", "run_1"]);
      await resumeRun(ledger, {}, "run_1");
      await ledger.endRun({ runId: "run_1", state: "max_duration", reason: null, now: NOON });
      await deny(ledger, 9);
      expect(await deniedIn(ledger)).toEqual(["run_9", "run_8", "run_7", "run_6", "run_5"]);
      expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ ok: true, violations: [] });
    });

    it("of a run that died may go, also those that say which budget it used up", async () => {
      const ledger = await open();
      await begin(ledger, { which: { kind: "fresh" }, runId: "run_1" });
      await reserve(ledger, ["/a"], { rate: toRate(2_000_000), budgets: [DOLLAR] }, { runId: "run_1" });
      const now = NOON + LEASE_MS;
      await begin(ledger, { which: { kind: "interrupted" }, runId: "run_2", process: "here:2:b", now });
      await ledger.endRun({ runId: "run_2", state: "completed", reason: null, now });
      for (let number = 3; number <= KEPT + 3; number++) {
        await deny(ledger, number);
      }
      expect(await deniedIn(ledger)).not.toContain("run_1");
      expect(await ledger.audit({ budgets: [], now })).toMatchObject({ ok: true, violations: [] });
    });

    it("of a page that is bought in between stay as few", async () => {
      const ledger = await open();
      for (let number = 1; number <= KEPT; number++) {
        await deny(ledger, number);
      }
      await reserve(ledger, ["/a"], {}, toSpec({ runId: "bought" }));
      await ledger.endRun({ runId: "bought", state: "completed", reason: null, now: NOON });
      await deny(ledger, KEPT + 1);
      expect(await deniedIn(ledger)).toHaveLength(KEPT);
      expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ ok: true, violations: [] });
    });
  });
}
