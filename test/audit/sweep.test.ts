/** Each column of each table is damaged in each simple way. The audit notices it, or the column is on a list that says why it cannot. */
import Database from "better-sqlite3";
import { beforeAll, describe, expect, test } from "vitest";
import { createLedgerBytes } from "./audited-world.ts";
import { BLIND, listSpots, PARTLY_BLIND } from "./blind-spots.ts";
import { readTables } from "./mutations.ts";
import { SCENARIOS } from "./scenarios.ts";
import { SERVICE_ROWS } from "./service-rows.ts";
import { type Swept, sweep } from "./sweep.ts";

const BLIND_SPOTS = listSpots(BLIND);
const SPOTS = [...BLIND_SPOTS, ...listSpots(PARTLY_BLIND)];
const isBlind = (spot: number) => spot < BLIND_SPOTS.length;

let bytes: Buffer;
let swept: readonly Swept[];
beforeAll(async () => {
  bytes = await createLedgerBytes(async (ledger) => {
    // A plan leaves nothing behind, so damage to its rows loses nothing.
    for (const { fill } of SCENARIOS.filter(({ leavesNothing }) => leavesNothing !== true)) {
      await fill(ledger);
    }
  }, SERVICE_ROWS);
  swept = [...sweep(bytes, SPOTS)];
}, 600_000);

describe("the audit, when one row is damaged,", () => {
  test("notices the damage wherever it can be noticed", () => {
    const missed = swept.filter(({ outcome, spots }) => outcome === "unnoticed" && spots.length === 0);
    expect(missed.map(describeDamage)).toEqual([]);
  });

  test("does not notice the damage in the listed places", () => {
    const seen = swept.filter(({ outcome, spots }) => outcome === "noticed" && spots.some(isBlind));
    expect(seen.map(describeDamage)).toEqual([]);
  });

  test("misses damage in each listed place", () => {
    const missing = new Set(swept.flatMap(({ outcome, spots }) => (outcome === "unnoticed" ? spots : [])));
    expect(SPOTS.filter((_, index) => !missing.has(index)).map(({ place, why }) => `${place}: ${why}`)).toEqual([]);
  });

  test("was tested on each table and column of the schema", () => {
    const db = new Database(bytes);
    const places = readTables(db).flatMap(({ name, columns }) => [
      name,
      ...columns.map((column) => `${name}.${column.name}`),
    ]);
    db.close();
    const tried = new Set(swept.map(({ place }) => place));
    expect(places.filter((place) => !tried.has(place))).toEqual([]);
    expect(tried.size).toBe(places.length);
  });
});

function describeDamage({ place, mutation: { kind, values, row } }: Swept): string {
  const toText = (value: unknown) =>
    JSON.stringify(value, (_key, part) => (part?.type === "Buffer" ? "(bytes)" : part));
  return `${place} ${kind} ${toText(values)} of ${toText(row)}`;
}
