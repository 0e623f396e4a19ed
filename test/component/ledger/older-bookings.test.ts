/** The bookings that a ledger from before gets, against those that the triggers of today write for the same history. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { RESOLUTION_SCENARIOS } from "../../audit/resolution-scenarios.ts";
import { SCENARIOS } from "../../audit/scenarios.ts";
import { openTempLedger, type TempLedger } from "../../doubles/temp-ledger.ts";

const MIGRATIONS = new URL("../../../migrations/", import.meta.url);
const NAMES = [
  "purchases in doubt",
  "pages bought with fees",
  "reports that are frozen",
  "a purchase that costs nothing",
];

function readBackfill(): string {
  const file = readdirSync(MIGRATIONS).find((name) => name.startsWith("0012_")) ?? "";
  const statements = readFileSync(new URL(file, MIGRATIONS), "utf8").split("--> statement-breakpoint\n");
  return statements.find((sql) => sql.startsWith("INSERT INTO `booking`")) ?? "";
}

interface Row {
  readonly kind: string;
  readonly purchase: number | null;
  readonly report: number | null;
}

const readRows = ({ query }: TempLedger) =>
  query<Row>(
    "SELECT kind, purchase_id AS purchase, usage_batch_id AS report FROM booking ORDER BY kind, purchase_id, usage_batch_id",
  );

test("a ledger from before gets the same bookings, in the order of their instants, and its audit finds nothing", async () => {
  const world = await openTempLedger();
  const chosen = SCENARIOS.filter(({ name }) => NAMES.some((begin) => name.startsWith(begin)));
  expect(chosen).toHaveLength(NAMES.length);
  for (const { fill } of [...chosen, ...RESOLUTION_SCENARIOS]) {
    await fill(world.ledger);
  }
  const bookings = readRows(world);
  expect(new Set(bookings.map(({ kind }) => kind)).size).toBe(6);
  const before = await world.ledger.audit({ budgets: [], now: 0 });

  world.tamper(`DELETE FROM booking; ${readBackfill()}`);

  expect(readRows(world)).toEqual(bookings);
  expect(
    world.query(
      "SELECT seq FROM (SELECT seq, at, lag(at) OVER (ORDER BY seq) AS before FROM booking) WHERE at < before",
    ),
  ).toEqual([]);
  expect((await world.ledger.audit({ budgets: [], now: 0 })).violations).toEqual(before.violations);
});
