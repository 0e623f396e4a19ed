/** docs/accounts.md against a ledger: each table is played, movement by movement, and each line is compared with the rows. */
import { expect, test } from "vitest";
import type { FrozenReport } from "../../../src/ledger/usage-ledger.ts";
import { toMicros } from "../../../src/money/micros.ts";
import { TRANSITIONS } from "../../../src/purchase/purchase.ts";
import { BOOKING_KINDS } from "../../../src/statement/booking.ts";
import { NOON } from "../../doubles/ledger-shop.ts";
import { openAcquire, RUN, reserve, start, toApproval, toRate, toSettlement } from "../../doubles/ledger-steps.ts";
import { openTempLedger, type TempLedger } from "../../doubles/temp-ledger.ts";
import { createUse, freeze, leaseFlusher, recordUses, settle, WINDOW_MS } from "../../doubles/usage-outbox-driver.ts";
import { codeIn, read, tableBelow } from "../../tidy/repository.ts";

const PAGE = read("docs/accounts.md");
const HEADINGS = [...PAGE.matchAll(/^## .+$/gm)].map(([heading]) => heading);
const PRICE = 100_000;
const FEE = 10_000;

/** One page of one ledger, on its way through a table. */
class Story {
  readonly #temp: TempLedger;
  readonly #isReported: boolean;
  #leaseId = "";
  #purchaseId = 0;
  #fence = 0;
  #reports = 0;
  #report: FrozenReport | null = null;

  constructor(temp: TempLedger, isReported: boolean) {
    this.#temp = temp;
    this.#isReported = isReported;
  }

  /** @param at the charge, where the movement names one */
  async play(movement: string, at: number | null): Promise<void> {
    const { ledger } = this.#temp;
    const purchaseId = this.#purchaseId;
    const change = { purchaseId, detail: "as the page says", now: NOON };
    const charge = at === null ? null : { micros: toMicros(at), currency: "USD" };
    switch (movement) {
      case "reserve": {
        const extra = { feeMicros: FEE, useReserveMicros: this.#isReported ? PRICE : 0 };
        const decisions = (ids: readonly number[]) => ids.map((id) => toApproval(id, toRate(PRICE), extra));
        await reserve(ledger, ["/a"], { decisions, reportsFetch: this.#isReported });
        const { leaseId, purchases } = await openAcquire(ledger);
        this.#leaseId = leaseId;
        this.#purchaseId = purchases[0]?.purchaseId ?? 0;
        return;
      }
      case "start":
        expect(await start(ledger, this.#leaseId, purchaseId)).toBe(true);
        return;
      case "settle":
      case "settleLate":
        await ledger.settlePurchase(toSettlement(purchaseId, { charge, feeMicros: toMicros(FEE) }));
        return;
      case "refuse":
        expect(await ledger.releasePurchase({ ...change, reason: "content_refused" })).toBe(true);
        return;
      case "withdraw":
        expect(await ledger.releasePurchase({ ...change, reason: "run_ended" })).toBe(true);
        return;
      case "discard, reserve":
        expect(await ledger.reserveAnew({ ...change, leaseId: this.#leaseId })).not.toBeNull();
        return;
      case "holdInDoubt":
        expect(await ledger.holdInDoubt({ ...change, reason: "unanswered" })).toBe(true);
        return;
      case "resolveCharged":
      case "resolveNotCharged":
        await ledger.resolvePurchase({ purchaseId, charged: movement === "resolveCharged", now: NOON });
        return;
      case "use 3 times":
        await recordUses(ledger, [createUse("/a", { times: 3 })]);
        return;
      default:
        await this.#playReport(movement, at);
    }
  }

  async #playReport(movement: string, at: number | null): Promise<void> {
    const { ledger } = this.#temp;
    this.#fence ||= await leaseFlusher(ledger);
    const fence = this.#fence;
    if (movement === "freeze") {
      this.#reports++;
      this.#report = await freeze(ledger, fence, { idempotencyId: `report-${this.#reports}` });
      return;
    }
    const report = this.#report;
    if (report === null) {
      throw new Error(`${movement}: there is no report`);
    }
    const { reportId } = report;
    switch (movement) {
      case "take":
        expect(await settle(ledger, report, at === null ? {} : { totalUsePriceMicros: toMicros(at) })).toBe(true);
        return;
      case "refuse the report":
        expect(
          await ledger.rejectReport({
            fence,
            reportId,
            status: 400,
            detail: "no",
            idempotencyIds: ["one", "two"],
            licenseIdField: "licenseCuid",
            now: NOON,
          }),
        ).toBe("isolated");
        return;
      case "retry":
        await ledger.retryRejected({ now: NOON });
        return;
      case "give up":
        await ledger.recordAttempt({ fence, reportId, now: NOON });
        expect(await ledger.nextReport({ fence, now: NOON + 2 * WINDOW_MS, windowMs: WINDOW_MS })).toBeNull();
        return;
      case "taken, says a person":
        await ledger.resolveReport({ reportId, taken: true, now: NOON });
        return;
      default:
        throw new Error(`the page names a movement that no test plays: ${movement}`);
    }
  }

  /** How the rows stand, as a line of the page says it. */
  readLine(booked: number): readonly string[] {
    const [balance] = this.#temp.query<Record<string, number>>(
      "SELECT reserved_micros, in_doubt_micros, settled_micros, fee_micros FROM balance WHERE scope = 'all' AND period = 'total'",
    );
    const [purchase] = this.#temp.query<{ state: string }>(`SELECT state FROM purchase WHERE id = ${this.#purchaseId}`);
    const bookings = this.#temp.query<{ kind: string }>("SELECT kind FROM booking ORDER BY seq").slice(booked);
    const counts = this.#temp.query<{ kind: string; count: number }>(
      "SELECT kind, count FROM tally WHERE count > 0 AND kind NOT IN ('seen', 'quoted') ORDER BY kind",
    );
    return [
      `\`${purchase?.state}\``,
      ...Object.values(balance ?? {}).map((micros) => micros.toLocaleString("en-US")),
      bookings.map(({ kind }) => `\`${kind}\``).join(", "),
      counts.map(({ kind, count }) => `\`${kind}\` ${count}`).join(", "),
    ];
  }

  countBookings(): number {
    return this.#temp.query<{ count: number }>("SELECT count(*) AS count FROM booking")[0]?.count ?? 0;
  }
}

function parseMovement(cell: string): { readonly movement: string; readonly at: number | null } {
  const [, movement = cell, at] = /^(.+) at ([\d,]+)$/.exec(cell) ?? [];
  return { movement, at: at === undefined ? null : Number(at.replaceAll(",", "")) };
}

test.each(HEADINGS)("%s", async (heading) => {
  const temp = await openTempLedger();
  const rows = tableBelow(PAGE, heading);
  const story = new Story(
    temp,
    rows.some(([, , reserved]) => reserved === "210,000"),
  );
  for (const [cell = "", ...line] of rows) {
    const { movement, at } = parseMovement(cell);
    const booked = story.countBookings();
    await story.play(movement, at);
    expect({ movement: cell, line: story.readLine(booked) }).toEqual({ movement: cell, line });
  }
  await temp.ledger.endRun({ runId: RUN, state: "completed", reason: null, now: NOON });
  expect((await temp.ledger.audit({ budgets: [], now: NOON })).violations).toEqual([]);
});

test("the page plays every transition of a purchase, and every kind of booking", () => {
  const rows = HEADINGS.flatMap((heading) => tableBelow(PAGE, heading));
  const played = new Set(rows.flatMap(([cell = ""]) => parseMovement(cell).movement.split(", ")));
  expect(Object.keys(TRANSITIONS).filter((name) => !played.has(name))).toEqual([]);
  const booked = new Set(rows.flatMap((row) => codeIn(row[6] ?? "")));
  expect([...booked].sort()).toEqual([...BOOKING_KINDS].sort());
});
