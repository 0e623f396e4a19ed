import { describe, expect, test } from "vitest";
import { InProcessStore } from "../../../../src/queue/in-process/in-process-store.ts";
import { InProcessBackend } from "../../../../src/queue/in-process-backend.ts";

describe("the store of the embedded queue", () => {
  test("has one queue a name", () => {
    const store = new InProcessStore();
    expect(store.queue("a")).toBe(store.queue("a"));
    expect(store.queue("a")).not.toBe(store.queue("b"));
    expect(store.queue("a")).not.toBe(new InProcessStore().queue("a"));
  });

  test("lets a timer fire although somebody asks without a pause", async () => {
    const backend = new InProcessBackend(new InProcessStore(), "queue", {});
    let fired = false;
    setTimeout(() => {
      fired = true;
    }, 0);
    while (!fired) {
      await backend.getCounts(["waiting"]);
    }
    expect(fired).toBe(true);
  });
});

describe("a backend that is closed", () => {
  test("ends its waits, and those that begin later", async () => {
    const backend = new InProcessBackend(new InProcessStore(), "queue", {});
    const waits = [backend.waitForJob(600), backend.readEvents("$", 0)];
    await backend.close();
    expect(await Promise.all([...waits, backend.waitForJob(600), backend.readEvents("$", 0)])).toEqual(
      Array(4).fill(null),
    );
  });

  test("whose waits were only interrupted waits again", async () => {
    const store = new InProcessStore();
    const backend = new InProcessBackend(store, "queue", {});
    const first = backend.waitForJob(600);
    await backend.disconnectBlocking();
    await backend.reconnectBlocking();
    const second = backend.waitForJob(600);
    store.queue("queue").marker.markJobReady();
    expect([await first, await second]).toEqual([null, { member: "0", score: 0 }]);
  });
});
