/** What the embedded queue does not have: it says so, by the name that the caller used, and says where it is to be had. */
import { describe, expect, test } from "vitest";
import { type BullmqBackend, openWorld, TOKEN, takeExpected } from "./bullmq-world.ts";

export function describeRefusals(backend: () => BullmqBackend): void {
  const open = () => openWorld(backend());
  const refused = (operation: string) => ({
    code: "CONFIG_INVALID",
    message: `the embedded queue does not have ${operation}`,
    hint: expect.stringContaining("redis://"),
  });

  describe("the embedded queue refuses by name", () => {
    test("flows", async () => {
      const { queue, add, openWorker } = open();
      const { classes, connection } = backend();
      const flows = new classes.FlowProducer({ connection: connection() });
      const flow = { name: "parent", queueName: queue.name, children: [{ name: "child", queueName: queue.name }] };
      await expect(flows.add(flow)).rejects.toMatchObject(refused("addFlow (flows)"));
      await flows.close();
      await expect(add("child", { parent: { id: "1", queue: queue.qualifiedName } })).rejects.toMatchObject(
        refused("jobs with a parent (flows)"),
      );
      await add("a");
      const job = await takeExpected(openWorker(null));
      await expect(job.moveToWaitingChildren(TOKEN)).rejects.toMatchObject(refused("moveToWaitingChildren (flows)"));
    });

    test("deduplication, and no job of the same call is added", async () => {
      const { queue } = open();
      const jobs = [
        { name: "a", data: 0 },
        { name: "b", data: 0, opts: { deduplication: { id: "x" } } },
      ];
      await expect(queue.addBulk(jobs)).rejects.toMatchObject(refused("the job option deduplication"));
      expect(await queue.getJobCountByTypes()).toBe(0);
    });

    test("rate limits", async () => {
      const { queue, openWorker } = open();
      await expect(queue.rateLimit(100)).rejects.toMatchObject(refused("rateLimit (rate limits)"));
      await expect(queue.setGlobalRateLimit(1, 100)).rejects.toMatchObject(refused("setGlobalRateLimit (rate limits)"));
      expect(() => openWorker(null, { limiter: { max: 1, duration: 1 } })).toThrow(
        "the worker option limiter (rate limits)",
      );
    });

    test("metrics", () => {
      const { openWorker } = open();
      expect(() => openWorker(null, { metrics: { maxDataPoints: 1 } })).toThrow("the worker option metrics");
    });
  });
}
