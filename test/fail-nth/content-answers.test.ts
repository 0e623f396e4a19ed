/** What happens to a paid page whose chargeable request gets each fault: exactly as the design says (§ Purchases). */
import { afterAll, describe, expect, test } from "vitest";
import type { LedgerFacts } from "./accounts.ts";
import { createFaultPoint, type Duration } from "./fault.ts";
import { NTH_SEED, sayTried, TRIES_ALL } from "./loop.ts";
import { TIGHT_PLAN } from "./plans.ts";
import { runWithFault } from "./run-with-fault.ts";
import { WIRE_FAULTS } from "./wire-faults.ts";
import { removeTemplate } from "./world.ts";

afterAll(removeTemplate);

/** State and reason of a purchase, and how often the gateway charged for it. */
type Outcome = readonly [end: string, charges: number];

const SETTLED: Outcome = ["settled", 1];
const REFUSED: Outcome = ["released content_refused", 0];
/** The gateway charged, and the token does not open the page a second time. */
const SPENT: Outcome = ["in_doubt token_spent", 1];
/** Nothing ever answered: whether it was charged, only the gateway knows. */
const SILENT: Outcome = ["in_doubt unanswered", 0];
const SILENT_AND_CHARGED: Outcome = ["in_doubt unanswered", 1];

/** One answer that went wrong; every answer. */
const OUTCOMES: Readonly<Record<string, readonly [single: Outcome, lasting: Outcome]>> = {
  "no connection": [SETTLED, ["released never_sent", 0]],
  "a reset before it is read": [SETTLED, SILENT],
  "a reset while it is worked on": [SPENT, SILENT_AND_CHARGED],
  "a reset in the middle of its answer": [SPENT, SILENT_AND_CHARGED],
  "an answer that ends in the middle": [SPENT, SILENT_AND_CHARGED],
  "silence, and it never arrived": [SETTLED, SILENT],
  "silence, and it was done": [SPENT, SILENT_AND_CHARGED],
  "a 200 with half of its JSON": [SPENT, SPENT],
  "a 200 without a body": [SPENT, SPENT],
  "a 200 that is too large": [SPENT, SPENT],
  "a 200 that is a page of a proxy": [SPENT, SPENT],
  "a 200 with an object of another shape": [SPENT, SPENT],
  "a 200 with null": [SPENT, SPENT],
  "a 200 with an empty list": [SPENT, SPENT],
  "400": [REFUSED, REFUSED],
  "401": [REFUSED, REFUSED],
  "403": [REFUSED, REFUSED],
  "404": [REFUSED, REFUSED],
  "413": [REFUSED, REFUSED],
  "429": [SETTLED, ["released rate_limited", 0]],
  "408": [SETTLED, SILENT],
  "500": [SETTLED, SILENT],
  "502": [SETTLED, SILENT],
  "503": [SETTLED, SILENT],
  "504": [SETTLED, SILENT],
  "408, and it was done": [SPENT, SILENT_AND_CHARGED],
  "500, and it was done": [SPENT, SILENT_AND_CHARGED],
  "502, and it was done": [SPENT, SILENT_AND_CHARGED],
  "503, and it was done": [SPENT, SILENT_AND_CHARGED],
  "504, and it was done": [SPENT, SILENT_AND_CHARGED],
};

const DURATIONS: readonly Duration[] = ["single", "lasting"];
const isContent = (operation: string) => operation === "GET content";

/** Each fault once: a single one or a lasting one, in turns, and the other with the next seed. */
const TRIED = sayTried("single or lasting, in turns");

const CASES = WIRE_FAULTS.flatMap((wire, turn) =>
  DURATIONS.map((duration, index) => {
    const outcome = OUTCOMES[wire.name]?.[index] ?? (["not in the table", 0] as const);
    return [`${wire.name} (${duration})`, outcome[0], { wire, duration, outcome }] as const;
  }).filter((_case, index) => TRIES_ALL || index === (NTH_SEED + turn) % DURATIONS.length),
);

describe(`the content request of a paid page gets (${TRIED})`, () => {
  test.each(CASES)("%s: %s", async (_title, _end, { wire, duration, outcome: [end, charges] }) => {
    const point = createFaultPoint(1, duration, isContent);
    const leavings = duration === "single" ? wire.single : wire.lasting;
    const faults = { wire: { fault: wire.fault, requests: point } };
    const run = await runWithFault(TIGHT_PLAN, { faults, point, leavings });
    expect(run.problems).toEqual([]);
    expect(run.error).toBe(null);

    const { purchases, balance } = run.left;
    // What is released gives its money back: a page that is decided after that can be reserved too.
    expect(purchases.length).toBeGreaterThanOrEqual(TIGHT_PLAN.affordable);
    const struck = duration === "single" ? 1 : purchases.length;
    const others = purchases.length - struck;
    expect(purchases.map(toEnd).sort()).toEqual([...fill(struck, end), ...fill(others, "settled")].sort());
    // The budget counts what is in doubt at its quoted price, whether it was charged or not.
    const doubts = purchases.filter(({ state }) => state === "in_doubt");
    expect(balance.inDoubt).toBe(doubts.reduce((sum, { quoted }) => sum + quoted, 0));
    expect(balance.reserved).toBe(0);
    // And it is not bought again: two more runs later, the gateway has what it had.
    expect(doubts.map(({ url }) => run.charges.get(url) ?? 0)).toEqual(fill(doubts.length, charges));
    const later = run.repaired.purchases.filter(({ url }) => doubts.some((doubt) => doubt.url === url));
    expect(later.map(toEnd)).toEqual(fill(doubts.length, end));
  });

  test("and the table leaves nothing out", () => {
    expect(WIRE_FAULTS.map(({ name }) => name).sort()).toEqual(Object.keys(OUTCOMES).sort());
  });
});

function toEnd({ state, reason }: LedgerFacts["purchases"][number]): string {
  return state === "settled" || reason === null ? state : `${state} ${reason}`;
}

function fill<Value>(count: number, value: Value): Value[] {
  return Array.from({ length: count }, () => value);
}
