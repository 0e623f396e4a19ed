import { describe, expect, it } from "vitest";
import type { Alert } from "../../src/alert/alert.ts";
import { LONGEST_DELIVERY_WAIT_MS } from "../../src/alert/delivery-retry.ts";
import { findAlerts } from "../../src/alert/find-alerts.ts";
import type { AlertReceiver } from "../../src/ledger/alert-ledger.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { CLOCK_TOLERANCE_MS } from "../../src/time/clock-judgement.ts";
import { buyPages, NOON, startPages } from "../doubles/ledger-shop.ts";
import { begin, RUN, reserve, toBudget } from "../doubles/ledger-steps.ts";
import { createUse, freeze, leaseFlusher, recordUses, settle } from "../doubles/usage-outbox-driver.ts";

const ALL: AlertReceiver = {
  receiver: "first",
  kinds: [
    "run_failed",
    "slot_failed",
    "gateway_away",
    "waiting",
    "in_doubt",
    "budget_80",
    "budget_exhausted",
    "open_item",
    "unreported_for",
  ],
  unreportedForMs: 3_600_000,
};
const FAILED: Alert = {
  kind: "run_failed",
  key: "run_failed:run_1",
  message: "run run_1 failed",
  details: { runId: "run_1" },
  site: "news.example",
  run: "run_1",
  code: null,
  command: "licet runs run_1",
  at: NOON,
  unless: null,
  unreportedForMs: null,
  isSilent: false,
};
const LEASE_MS = 60_000;

async function raise(
  ledger: Ledger,
  alerts: readonly Alert[],
  receivers: readonly AlertReceiver[] = [ALL],
  now = NOON,
) {
  await ledger.admitReceivers({ receivers, now: NOON - 1 });
  return (await ledger.raiseAlerts({ alerts, receivers, now })).raised;
}

function take(ledger: Ledger, now = NOON, receivers = ["first", "second"]) {
  return ledger.takeDeliveries({ receivers, now, leaseMs: LEASE_MS, limit: 10 });
}

/** The alerts that the facts of now are reasons for. */
async function find(ledger: Ledger, now = NOON, budgets = [toBudget(25_000)]): Promise<Alert[]> {
  const facts = await ledger.readAlertFacts({ budgets, since: 0, now });
  return findAlerts(facts, { kinds: new Set(ALL.kinds), unreportedForMs: [3_600_000] }, { now, lowDisk: null });
}

/** What every ledger promises of alerts: raised once, delivered until somebody says how it ended. */
export function describeAlerts(open: () => Promise<Ledger>): void {
  describe("alerts", () => {
    it("tell of waits of a run that is alive, of one place once, and of no other", async () => {
      const ledger = await open();
      await begin(ledger, { which: { kind: "fresh" }, runId: RUN });
      const wait = { place: "gateway", code: "GATEWAY_TIMEOUT", message: "m", hint: null, until: null } as const;
      const since = NOON - 600_000;
      await ledger.writeWaits({ process: "host:1:a", waits: [{ ...wait, runId: RUN, since }] });
      await ledger.writeWaits({ process: "host:2:b", waits: [{ ...wait, runId: RUN, since: since + 1 }] });
      await ledger.writeWaits({ process: "host:3:c", waits: [{ ...wait, runId: null, since }] });
      const waits = async () => (await ledger.readAlertFacts({ budgets: [], since: 0, now: NOON })).waits;
      // There is no service, so nobody waits for it.
      expect(await waits()).toEqual([
        { place: "gateway", code: "GATEWAY_TIMEOUT", message: "m", since, runIds: [RUN] },
      ]);
      expect(await find(ledger)).toMatchObject([{ kind: "gateway_away", run: RUN, code: "GATEWAY_TIMEOUT" }]);
      await ledger.endRun({ runId: RUN, state: "interrupted", reason: null, now: NOON });
      expect(await waits()).toEqual([]);
    });

    it("are raised once by their key, with one delivery for each receiver of their kind", async () => {
      const ledger = await open();
      const second = { ...ALL, receiver: "second", kinds: ["in_doubt"] } as const;
      expect(await raise(ledger, [FAILED], [ALL, second])).toBe(1);
      expect(await raise(ledger, [FAILED, { ...FAILED, message: "again" }], [ALL, second], NOON + 1)).toBe(0);
      expect(await take(ledger)).toMatchObject([
        {
          ...{ receiver: "first", attempt: 1, kind: "run_failed", message: "run run_1 failed", raisedAt: NOON },
          ...{ site: "news.example", run: "run_1", code: null, command: "licet runs run_1" },
        },
      ]);
    });

    it("are not delivered to a receiver that was configured after they happened", async () => {
      const ledger = await open();
      expect(await raise(ledger, [{ ...FAILED, at: NOON - 2 }])).toBe(1);
      expect(await take(ledger)).toEqual([]);
      expect(await ledger.readAlertStatus()).toEqual({ pending: 0, undelivered: [] });
    });

    it("are leased to one taker, and due again when the lease ends", async () => {
      const ledger = await open();
      await raise(ledger, [FAILED]);
      expect(await take(ledger)).toHaveLength(1);
      expect(await take(ledger, NOON + LEASE_MS - 1)).toEqual([]);
      expect(await take(ledger, NOON + LEASE_MS)).toMatchObject([{ attempt: 2 }]);
    });

    it("are delivered or given up once, by the newest attempt alone", async () => {
      const ledger = await open();
      await raise(ledger, [FAILED]);
      const [first] = await take(ledger);
      const [second] = await take(ledger, NOON + LEASE_MS);
      const end = (attempt = 0, kind: "delivered" | "given_up" = "delivered") =>
        ledger.endDelivery({
          alertId: first?.alertId ?? 0,
          receiver: "first",
          attempt,
          outcome: { kind, error: "HTTP 500" },
          now: NOON,
        });
      expect(await end(first?.attempt)).toBe(false);
      expect(await end(second?.attempt, "given_up")).toBe(true);
      expect(await end(second?.attempt)).toBe(false);
      expect(await take(ledger, NOON + 9 * LEASE_MS)).toEqual([]);
      expect(await ledger.readAlertStatus()).toMatchObject({
        pending: 0,
        undelivered: [{ receiver: "first", state: "given_up", attempts: 2, error: "HTTP 500" }],
      });
    });

    it("are tried once more where they were given up and their receiver is mended, and no others", async () => {
      const ledger = await open();
      const second = { ...ALL, receiver: "second" };
      await raise(ledger, [FAILED], [ALL, second]);
      for (const { alertId, receiver, attempt } of await take(ledger)) {
        await ledger.endDelivery({
          alertId,
          receiver,
          attempt,
          outcome: { kind: "given_up", error: "HTTP 500" },
          now: NOON,
        });
      }
      expect(await ledger.retryGivenUp({ receivers: ["first"], now: NOON })).toBe(1);
      expect(await ledger.retryGivenUp({ receivers: ["first"], now: NOON })).toBe(0);
      expect(await ledger.readAlertStatus()).toMatchObject({
        pending: 1,
        undelivered: expect.arrayContaining([expect.objectContaining({ receiver: "second", state: "given_up" })]),
      });
      const again = await take(ledger, NOON);
      expect(again).toMatchObject([{ receiver: "first", attempt: 2 }]);
      const outcome = { kind: "delivered" } as const;
      expect(
        await ledger.endDelivery({
          alertId: again[0]?.alertId ?? 0,
          receiver: "first",
          attempt: 2,
          outcome,
          now: NOON,
        }),
      ).toBe(true);
    });

    it("are not taken before the time of a retry, and only for the receivers that are asked for", async () => {
      const ledger = await open();
      await raise(ledger, [FAILED]);
      const [due] = await take(ledger);
      const outcome = { kind: "retry", notBefore: NOON + 5_000, error: "no connection" } as const;
      await ledger.endDelivery({ alertId: due?.alertId ?? 0, receiver: "first", attempt: 1, outcome, now: NOON });
      expect(await ledger.readAlertStatus()).toMatchObject({ pending: 1, undelivered: [{ error: "no connection" }] });
      expect(await take(ledger, NOON + 4_999)).toEqual([]);
      expect(await take(ledger, NOON + 5_000, ["second"])).toEqual([]);
      expect(await take(ledger, NOON + 5_000)).toHaveLength(1);
    });
  });

  describe("an alert whose retry a clock set that was ahead", () => {
    it("is due at once when the clock is right again, and not before its time where a retry may lie so far ahead", async () => {
      const ledger = await open();
      await raise(ledger, [FAILED]);
      const putOff = async (attempt: number, notBefore: number) => {
        const outcome = { kind: "retry", notBefore, error: "no connection" } as const;
        await ledger.endDelivery({ alertId: 1, receiver: "first", attempt, outcome, now: NOON });
      };
      expect(await take(ledger)).toMatchObject([{ alertId: 1 }]);
      await putOff(1, NOON + LONGEST_DELIVERY_WAIT_MS);
      expect(await take(ledger)).toEqual([]);
      expect(await take(ledger, NOON - CLOCK_TOLERANCE_MS)).toEqual([]);
      expect(await take(ledger, NOON - CLOCK_TOLERANCE_MS - 1)).toHaveLength(1);
      await putOff(2, NOON + 400 * 86_400_000);
      expect(await take(ledger)).toMatchObject([{ receiver: "first", attempt: 3 }]);
    });
  });

  describe("the facts of alerts", () => {
    it("say when a budget is nearly used up and when a page did not fit it, in the period in which it happened", async () => {
      const ledger = await open();
      const budgets = [toBudget(25_000, { period: "day" })];
      await reserve(ledger, ["/a", "/b", "/c"], { budgets });
      const alerts = await find(ledger, NOON, budgets);
      expect(alerts.map(({ key }) => key)).toEqual([
        "budget_80:all:day:2026-11-20:USD:25000",
        "budget_exhausted:all:day:2026-11-20:USD:25000",
      ]);
      const tomorrow = await find(ledger, NOON + 86_400_000, budgets);
      expect(tomorrow.map(({ key }) => key)).toEqual(alerts.map(({ key }) => key));
    });

    it("count the purchases in doubt of a run", async () => {
      const ledger = await open();
      for (const { purchaseId } of await startPages(ledger, { runId: RUN, paths: ["/a", "/b"] })) {
        await ledger.holdInDoubt({ purchaseId, reason: "token_spent", detail: "", now: NOON });
      }
      expect(await find(ledger, NOON, [])).toMatchObject([{ key: "in_doubt:run_1:1", details: { count: 2 } }]);
    });

    it("raise one alert of unreported uses until those that waited are reported", async () => {
      const ledger = await open();
      await buyPages(ledger, { paths: ["/a"] });
      const later = NOON + 3_600_000;
      expect(await find(ledger, later - 1, [])).toEqual([]);
      expect(await raise(ledger, await find(ledger, later, []))).toBe(1);
      await recordUses(ledger, [createUse("/a")]);
      expect(await raise(ledger, await find(ledger, later + 60_000, []))).toBe(0);
      const fence = await leaseFlusher(ledger);
      await settle(ledger, await freeze(ledger, fence));
      expect(await find(ledger, later + 60_000, [])).toEqual([]);
      await recordUses(ledger, [createUse("/a")]);
      expect(await raise(ledger, await find(ledger, later + 3_600_000, []))).toBe(1);
    });
  });
}
