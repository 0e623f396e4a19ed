import { expect, onTestFinished, test } from "vitest";
import { acquire } from "../../../src/pipeline/acquire/acquire.ts";
import { gatewayError } from "../../doubles/scripted-gateway.ts";
import { createStageWorld } from "../pipeline/stage-world.ts";

const PATHS = ["/a", "/b", "/c"];

test("a worker that stops gives up the tokens that wait for its share", async () => {
  const world = await createStageWorld();
  onTestFinished(() => world.close());
  const leaseId = await world.leasePurchases(PATHS);
  const stop = new AbortController();
  const { gateway } = world;
  const asked: (AbortSignal | undefined)[] = [];
  const waiting: typeof gateway.issueContentToken = (_request, signal) =>
    new Promise((_resolve, reject) => {
      asked.push(signal);
      signal?.addEventListener("abort", () => reject(gatewayError("INTERRUPTED")), { once: true });
    });
  const deps = { ...world.deps, gateway: { ...gateway, issueContentToken: waiting }, tokenStop: stop.signal };
  const done = acquire(deps, leaseId, stop.signal);
  while (asked.length === 0) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  stop.abort();
  await world.drive(done);
  expect(asked.every((signal) => signal === stop.signal)).toBe(true);
  expect(await world.ends(PATHS)).toEqual(["reserved", "reserved", "reserved"]);
});
