import { expect, it } from "vitest";
import { logOutagesOnce } from "../../../../src/serve/log/log-outages-once.ts";
import type { LogFields } from "../../../../src/serve/log/service-log.ts";
import { createFakeClock } from "../../../doubles/fake-clock.ts";

const QUEUE: LogFields = { dependency: "queue" };
const HOUR_MS = 3_600_000;

function open() {
  const clock = createFakeClock();
  const lines: string[] = [];
  const at = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
  const log = logOutagesOnce({ debug: at("debug"), info: at("info"), warn: at("warn") }, clock);
  return { clock, lines, log };
}

it("has one line when a dependency is away and one when it is back, whoever notices", () => {
  const { lines, log } = open();
  log.warn("a probe fails", QUEUE);
  log.warn("runs wait", QUEUE);
  log.warn("the gateway is away", { dependency: "gateway" });
  log.warn("something else");
  log.info("runs go on", QUEUE);
  log.info("a probe succeeds", QUEUE);
  log.info("something else ended");
  expect(lines).toEqual([
    "warn: a probe fails",
    "debug: runs wait",
    "warn: the gateway is away",
    "warn: something else",
    "info: runs go on",
    "debug: a probe succeeds",
    "info: something else ended",
  ]);
});

it("logs the next outage, and one whose end nobody saw after an hour", () => {
  const { clock, lines, log } = open();
  log.warn("first", QUEUE);
  log.info("back", QUEUE);
  log.warn("second", QUEUE);
  clock.advance(HOUR_MS - 1);
  log.warn("still the second", QUEUE);
  clock.advance(1);
  log.warn("third", QUEUE);
  expect(lines).toEqual(["warn: first", "info: back", "warn: second", "debug: still the second", "warn: third"]);
});
