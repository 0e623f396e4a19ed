import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createDelay } from "../../../src/sandbox/http/delay.ts";
import { createContentCache } from "../../../src/sandbox/pages/content-cache.ts";
import type { Page } from "../../../src/sandbox/pages/page.ts";
import { call, KEY, PAGE_URL, startGateway } from "./gateway-caller.ts";

describe("a delay", () => {
  test("runs actions in the order of their deadlines, never early", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const delay = createDelay();
    const begun = performance.now();
    const ran: number[] = [];
    for (const ms of [9, 3, 0, 6, 12]) {
      delay.after(ms, () => {
        expect(performance.now() - begun).toBeGreaterThanOrEqual(ms);
        ran.push(ms);
      });
    }
    await vi.runAllTimersAsync();
    expect(ran).toEqual([0, 3, 6, 9, 12]);
  });

  test("that was cancelled runs nothing, and can be used again", async () => {
    const delay = createDelay();
    const ran: string[] = [];
    delay.after(0, () => ran.push("cancelled"));
    delay.cancel();
    await new Promise<void>((resolve) => delay.after(1, resolve));
    expect(ran).toEqual([]);
  });

  test("delays every answer, but not its effect", async () => {
    const gateway = await startGateway({ latencyMs: 5 });
    const path = `/dev/v2/rates/${encodeURIComponent(PAGE_URL)}`;
    const begun = performance.now();
    expect((await call(gateway, "GET", path, KEY)).status).toBe(200);
    expect((await call(gateway, "GET", path)).status).toBe(401);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(10);
    await gateway.close();
  });
});

describe("the cache of rendered pages", () => {
  let rendered: string[] = [];
  const page = (url: string, version = 1, chars = 10): Page => ({
    url,
    host: "a.example",
    lastMod: undefined,
    version,
    indexing: true,
    access: "open",
    render: (format) => {
      rendered.push(`${url}@${version}.${format}`);
      const metadata = { author: "", description: "", imageUrl: "", modified: "", published: "", title: "" };
      return { header: "", body: "x".repeat(chars), footer: "", metadata };
    },
  });

  test("renders a page once a format, and again when it has changed", () => {
    rendered = [];
    const cache = createContentCache(100_000);
    const first = cache.contentPrefix(page("u"), "markdown");
    expect(cache.contentPrefix(page("u"), "markdown")).toBe(first);
    cache.contentPrefix(page("u"), "html");
    cache.contentPrefix(page("u", 2), "markdown");
    expect(rendered).toEqual(["u@1.markdown", "u@1.html", "u@2.markdown"]);
    expect(JSON.parse(`${first}}`)).toMatchObject({ content: { body: "xxxxxxxxxx" } });
  });

  test("removes the entry that was not used for the longest time, and never stores an oversized page", () => {
    rendered = [];
    const cache = createContentCache(4_000);
    for (const url of ["a", "b", "c", "a", "d", "e", "a"]) {
      cache.contentPrefix(page(url, 1, 700), "markdown");
    }
    expect(rendered.filter((entry) => entry.startsWith("a"))).toHaveLength(1);
    rendered = [];
    cache.contentPrefix(page("b", 1, 700), "markdown");
    expect(rendered).toHaveLength(1);
    for (let turn = 0; turn < 2; turn += 1) {
      cache.contentPrefix(page("giant", 1, 2_000), "markdown");
    }
    expect(rendered).toHaveLength(3);
  });
});
