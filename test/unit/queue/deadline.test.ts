import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DeadlineError, withDeadline } from "../../../src/queue/deadline.ts";

describe("withDeadline", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("gives the result or the error that comes in time, and leaves no timer", async () => {
    expect(await withDeadline(10, Promise.resolve("a"))).toBe("a");
    await expect(withDeadline(10, Promise.reject(new Error("b")))).rejects.toThrow("b");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("rejects at the deadline and not before", async () => {
    let settled: unknown = "pending";
    const bounded = withDeadline(10, new Promise(() => {})).catch((error: unknown) => {
      settled = error;
    });
    await vi.advanceTimersByTimeAsync(9);
    expect(settled).toBe("pending");
    await vi.advanceTimersByTimeAsync(1);
    await bounded;
    expect(settled).toBeInstanceOf(DeadlineError);
  });
});
