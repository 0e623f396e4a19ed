import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSlots } from "../../../src/pipeline/work/slots.ts";

/** Work that ends when it is told to. */
function createWork() {
  const started: number[] = [];
  const ends = new Map<number, (failed: boolean) => void>();
  const work = (id: number) => () => {
    started.push(id);
    return new Promise<number>((resolve, reject) => {
      ends.set(id, (failed) => (failed ? reject(new Error(`${id} failed`)) : resolve(id)));
    });
  };
  return { started, ends, work };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("slots", () => {
  it("start work at once while one is free, and the rest in order as others end or fail", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.tuple(fc.nat(), fc.boolean()), { minLength: 1, maxLength: 12 }),
        async (count, order) => {
          const { started, ends, work } = createWork();
          const slots = createSlots(count);
          const results = order.map((_one, id) => slots.run(work(id)).catch((error: Error) => error.message));
          for (let ended = 0; ended < order.length; ended += 1) {
            await settled();
            expect(started).toEqual(order.map((_one, id) => id).slice(0, count + ended));
            const [pick, failed] = order[ended] as [number, boolean];
            const running = [...ends.keys()];
            const id = running[pick % running.length] as number;
            ends.get(id)?.(failed);
            ends.delete(id);
          }
          await Promise.all(results);
        },
      ),
    );
  });

  it("give the result and the failure of the work", async () => {
    const slots = createSlots(1);
    await expect(slots.run(async () => "done")).resolves.toBe("done");
    await expect(slots.run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    await expect(slots.run(async () => "again")).resolves.toBe("again");
  });

  it("grow: what waits starts at once, and no slot is lost", async () => {
    const { started, ends, work } = createWork();
    const slots = createSlots(1);
    const results = [0, 1, 2].map((id) => slots.run(work(id)));
    slots.grow(2);
    await settled();
    expect(started).toEqual([0, 1]);
    slots.grow(Number.POSITIVE_INFINITY);
    await settled();
    expect(started).toEqual([0, 1, 2]);
    for (const end of ends.values()) {
      end(false);
    }
    expect(await Promise.all(results)).toEqual([0, 1, 2]);
  });
});
