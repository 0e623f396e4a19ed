import { expect, test } from "vitest";
import { movePurchase, PURCHASE_ACCOUNTS, PURCHASE_BOOKINGS } from "../../../src/account/purchase-accounts.ts";
import { toMicros } from "../../../src/money/micros.ts";
import { TRANSITIONS } from "../../../src/purchase/purchase.ts";
import { bookAt } from "../../../src/statement/booking.ts";

const PURCHASE = { currency: "USD", setAsideMicros: toMicros(110), charge: null };
const FREE = { ...PURCHASE, setAsideMicros: toMicros(0) };
const SETTLED = { state: "settled" } as const;
const IN_DOUBT = { state: "in_doubt" } as const;

test("reserved and started count the same: a start writes no movement, and a release need not ask which it was", () => {
  expect(PURCHASE_ACCOUNTS.started).toEqual(PURCHASE_ACCOUNTS.reserved);
});

test("only legal transitions are booked", () => {
  const legal = Object.values(TRANSITIONS).flatMap(({ from, to }) => from.map((state) => `${state} ${to}`));
  const booked = Object.entries(PURCHASE_BOOKINGS).flatMap(([from, kinds]) =>
    Object.keys(kinds).map((to) => `${from} ${to}`),
  );
  expect(booked.filter((move) => !legal.includes(move))).toEqual([]);
});

test("a doubt about nothing is not booked, and its charge came late", () => {
  expect(movePurchase(FREE, { state: "started" }, IN_DOUBT).booking).toBeNull();
  expect(movePurchase(FREE, IN_DOUBT, { state: "released", reason: "resolved_not_charged" }).booking).toBeNull();
  expect(movePurchase(FREE, IN_DOUBT, SETTLED).booking).toBe("charged_late");
  expect(movePurchase(FREE, { state: "started" }, SETTLED).booking).toBe("charged");
});

test("a charge counts in its own currency, what was set aside in that of the quote", () => {
  const charge = { currency: "EUR", micros: toMicros(120), feeMicros: toMicros(20) };
  expect(movePurchase({ ...PURCHASE, charge }, { state: "started" }, SETTLED).amounts).toEqual([
    { account: "reservedMicros", currency: "USD", micros: -110 },
    { account: "settledMicros", currency: "EUR", micros: 120 },
    { account: "feeMicros", currency: "EUR", micros: 20 },
  ]);
});

test("content of a purchase that was taken back counts as approved again", () => {
  const from = { state: "released", reason: "token_unused" } as const;
  expect(movePurchase(PURCHASE, from, SETTLED).counters).toEqual([
    { counter: "approved", reason: "", by: 1 },
    { counter: "released", reason: "token_unused", by: -1 },
    { counter: "settled", reason: "", by: 1 },
  ]);
});

test.each([
  ["the first booking", 100, null, 100],
  ["a later fact", 100, 90, 100],
  ["the same instant", 100, 100, 100],
  ["a fact before the booking made last", 100, 101, 101],
  ["a fact 31 days before it", 0, 31 * 86_400_000, 31 * 86_400_000],
  ["a fact longer before it: one of the clocks was wrong", 0, 31 * 86_400_000 + 1, 0],
])("books %s", (_name, factAt, lastAt, at) => {
  expect(bookAt(factAt, { lastAt, closedMonths: [] })).toBe(at);
});

test("books nothing in closed months, also where the booking made last is in one", () => {
  const closedMonths = [
    { startsAt: 200, endsAt: 300 },
    { startsAt: 100, endsAt: 200 },
    { startsAt: 400, endsAt: 500 },
  ];
  const at = (factAt: number, lastAt: number | null = null) => bookAt(factAt, { lastAt, closedMonths });
  expect([at(99), at(100), at(299), at(300), at(450), at(500)]).toEqual([99, 300, 300, 300, 500, 500]);
  expect(at(99, 250)).toBe(300);
});
