import { expect, it } from "vitest";
import { createWrongTokens } from "../../../../src/serve/http/wrong-tokens.ts";
import { createFakeClock } from "../../../doubles/fake-clock.ts";

const QUIET = { debug: () => {}, info: () => {}, warn: () => {} };

it("lets each wrong login wait longer than those that wait already, up to a limit", async () => {
  const clock = createFakeClock();
  const wrong = createWrongTokens(QUIET, clock);
  const all = Array.from({ length: 40 }, () => wrong.slowDown());
  expect(clock.sleeps).toEqual([500, 1000, 2000, 4000, ...Array.from({ length: 36 }, () => 8000)]);
  clock.advance(8_000);
  await Promise.all(all);
  void wrong.slowDown();
  expect(clock.sleeps.at(-1)).toBe(500);
});

it("answers no guess at once, however many wait: the one that has waited longest is answered in its place", async () => {
  const clock = createFakeClock();
  const wrong = createWrongTokens(QUIET, clock);
  const answered: number[] = [];
  for (let guess = 0; guess < 1_003; guess += 1) {
    void wrong.slowDown().then(() => answered.push(guess));
  }
  await new Promise((resolve) => setImmediate(resolve));
  expect(answered).toEqual([0, 1, 2]);
  expect(clock.sleeping).toBe(1_000);
});
