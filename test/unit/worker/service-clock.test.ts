import { expect, test } from "vitest";
import { createServiceClock } from "../../../src/worker/service-clock.ts";
import { createFakeClock } from "../../doubles/fake-clock.ts";

test("a worker says the time of its service, and once that its machine has another one", () => {
  const machine = createFakeClock();
  const said: string[] = [];
  const clock = createServiceClock(machine, (message) => said.push(message));
  clock.set(machine.now() - 59_000);
  expect(said).toEqual([]);
  clock.set(machine.now() - 180_000);
  clock.set(machine.now() - 180_000);
  expect(said).toEqual([expect.stringContaining("the clock of this machine is 180 s ahead of that of the service")]);
  machine.advance(5_000);
  expect(clock.now()).toBe(machine.now() - 180_000);
});
