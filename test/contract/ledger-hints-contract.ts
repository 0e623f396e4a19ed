import { describe, expect, it } from "vitest";
import type { NewHint } from "../../src/ledger/hint-ledger.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { createHint } from "../doubles/hint-driver.ts";
import { NOON } from "../doubles/ledger-shop.ts";

/** What every ledger promises of notifications that it records. */
export function describeRecordedHints(open: () => Promise<Ledger>): void {
  describe("recordHints", () => {
    const record = (ledger: Ledger, ...hints: NewHint[]) => ledger.recordHints({ hints, now: NOON });

    it("records a notification once, in one call and across calls", async () => {
      const ledger = await open();
      const hint = createHint("/a");
      expect(await record(ledger, hint, hint)).toEqual({ results: ["recorded", "known"] });
      expect(await record(ledger, { ...hint, source: "history" })).toEqual({ results: ["known"] });
    });

    it.each([
      ["another page", createHint("/b")],
      ["another date", createHint("/a", { timestamp: "2026-11-20T12:00:00.000000001Z" })],
      ["another kind", createHint("/a", { kind: "created" })],
    ])("takes one with %s for another one", async (_name, other) => {
      const ledger = await open();
      expect(await record(ledger, createHint("/a"), other)).toEqual({ results: ["recorded", "recorded"] });
    });

    it("records one anew that was of no configured site before", async () => {
      const ledger = await open();
      const unknown = createHint("/a", { host: null, state: "unknown_site" });
      expect(await record(ledger, unknown, unknown)).toEqual({ results: ["recorded", "known"] });
      expect(await record(ledger, createHint("/a"))).toEqual({ results: ["recorded"] });
      expect(await record(ledger, unknown)).toEqual({ results: ["known"] });
    });

    it("keeps only the newest of those that it ignores", async () => {
      const ledger = await open();
      const ignored = Array.from({ length: 5_001 }, (_, n) =>
        createHint(`/${n}`, { host: null, state: "unknown_site" }),
      );
      await record(ledger, ...ignored);
      const [oldest, second] = ignored as [NewHint, NewHint, ...NewHint[]];
      expect(await record(ledger, second)).toEqual({ results: ["known"] });
      expect(await record(ledger, oldest)).toEqual({ results: ["recorded"] });
    });
  });
}
