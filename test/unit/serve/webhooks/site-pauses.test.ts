import { expect, it } from "vitest";
import { createSitePauses } from "../../../../src/serve/webhooks/site-pauses.ts";
import { createFakeClock } from "../../../doubles/fake-clock.ts";

const HOST = "news.example";
const EIGHT_HOURS_MS = 8 * 3_600_000;
const SILENT = { debug: () => {}, info: () => {}, warn: () => {} };

it("a pause of a clock that was ahead ends when the clock is right again", () => {
  const clock = createFakeClock();
  const pauses = createSitePauses({ clock, log: SILENT });
  clock.jump(EIGHT_HOURS_MS);
  pauses.pause(HOST, 5_000);
  expect(pauses.until(HOST)).toBe(clock.now() + 5_000);
  clock.turnBack(EIGHT_HOURS_MS);
  expect(pauses.until(HOST)).toBe(0);
});
