/** False alarms: the audit reports nothing for a correct ledger, and exactly the gateway's faults for a ledger of a faulty gateway. */
import { describe, expect, test } from "vitest";
import { auditAfter, createLedgerBytes } from "./audited-world.ts";
import { fillWithAll, SCENARIOS } from "./scenarios.ts";

describe("the audit of", () => {
  test.each(SCENARIOS)("$name", async ({ fill, named = [] }) => {
    const { violations } = auditAfter(await createLedgerBytes(fill), "");
    const unexpected = violations.filter(({ detail }) => !named.some((words) => detail.includes(words)));
    expect(unexpected).toEqual([]);
    expect(violations).toHaveLength(named.length);
  });

  test("all of these histories in one ledger", async () => {
    const { violations } = auditAfter(await createLedgerBytes(fillWithAll), "");
    const named = SCENARIOS.flatMap((scenario) => scenario.named ?? []);
    expect(violations.filter(({ detail }) => !named.some((words) => detail.includes(words)))).toEqual([]);
  });
});
