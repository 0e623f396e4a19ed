import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EventBus } from "../../../../src/agent/events/events.ts";
import { withEvents } from "../../../../src/agent/events/gateway-events.ts";
import { createStageEvents } from "../../../../src/agent/events/stage-events.ts";
import type { RetryEvent } from "../../../../src/gateway/client-options.ts";
import { systemClock } from "../../../../src/time/clock.ts";

const CLIENT = { baseUrl: "http://gateway.example", apiKey: "key", agentId: "a", userAgent: "a/1" };
const STOP = { host: "news.example", stop: "not_enabled", detail: "ask for it" };

describe("an agent's events", () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  beforeEach(() => {
    warnings.length = 0;
    process.on("warning", note);
  });
  afterEach(() => {
    process.off("warning", note);
  });

  it("reach every listener although one of them throws, and the error never reaches the emitter", async () => {
    const bus = new EventBus();
    const heard: string[] = [];
    bus.on("warning", () => {
      throw new Error("a mistake");
    });
    bus.on("warning", ({ message }) => {
      heard.push(message);
    });
    bus.emit("warning", { message: "one" });
    expect(heard).toEqual(["one"]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings.map(({ message }) => message)).toEqual(["a listener of warning threw: a mistake"]);
  });

  it("do not reach a listener that was removed", () => {
    const bus = new EventBus();
    const heard: string[] = [];
    const listener = ({ message }: { message: string }) => {
      heard.push(message);
    };
    bus.on("warning", listener);
    bus.off("warning", listener);
    bus.emit("warning", { message: "one" });
    expect(heard).toEqual([]);
  });

  it("report once that a site was stopped, however many batches notice it", () => {
    const bus = new EventBus();
    const stops: unknown[] = [];
    bus.on("site.stopped", (event) => {
      stops.push(event);
    });
    const collected = createStageEvents(bus, systemClock);
    collected.events.siteStopped(STOP);
    collected.events.siteStopped(STOP);
    expect(stops).toEqual([{ ...STOP, hosts: ["news.example"] }]);
    expect(collected.warnings).toEqual(["news.example was stopped (not_enabled): ask for it"]);
  });

  it("report once for each site that rates cannot be bought, with the first example, and count them for the report", () => {
    const bus = new EventBus();
    const heard: string[] = [];
    bus.on("warning", ({ message }) => {
      heard.push(message);
    });
    const collected = createStageEvents(bus, systemClock);
    const flawed = { host: "news.example", url: "https://news.example/a", flaw: "priceMicros is a text" };
    collected.events.flawedRates({ ...flawed, count: 1 });
    collected.events.flawedRates({ ...flawed, count: 5, flaw: "it has expired" });
    expect(heard).toEqual([
      "news.example: a rate cannot be bought, such as one of https://news.example/a: priceMicros is a text",
    ]);
    expect(collected.warnings).toEqual([
      "news.example: 6 rates cannot be bought, such as one of https://news.example/a: priceMicros is a text",
    ]);
  });

  it("warn once for each site that has pages under http and https", () => {
    const collected = createStageEvents(new EventBus(), systemClock);
    for (const example of ["http://news.example/a", "http://news.example/b"]) {
      collected.events.twoSchemes({ host: "news.example", example, namedBy: "catalog" });
    }
    expect(collected.warnings).toEqual([expect.stringMatching(/http and https, such as http:\/\/news.example\/a/)]);
  });

  it("keep a bounded number of warnings for the report", () => {
    const collected = createStageEvents(new EventBus(), systemClock);
    for (let warning = 0; warning < 1_000; warning++) {
      collected.events.warned(`warning ${warning}`);
      collected.events.warned(`warning ${warning}`);
    }
    expect(collected.warnings).toHaveLength(100);
  });

  it("say at a bounded rate that the gateway is asked again, each call for itself", () => {
    const bus = new EventBus();
    let now = 1_000;
    const heard: string[] = [];
    bus.on("gateway.retry", ({ call, attempt, attempts }) => {
      heard.push(`${call} ${attempt} of ${attempts}`);
    });
    const { onRetry } = withEvents(CLIENT, bus, { now: () => now });
    const retry: RetryEvent = {
      call: "catalog",
      attempt: 1,
      because: "server_error",
      status: 503,
      retries: 4,
      delayMs: 200,
      waitMs: 200,
    };
    for (let millisecond = 0; millisecond < 1_000; millisecond++) {
      onRetry?.(retry);
      now++;
    }
    onRetry?.({ ...retry, call: "rate_batch", attempt: 9 });
    expect(heard).toEqual(["catalog 2 of 5", "catalog 2 of 5", "rate_batch 5 of 5"]);
  });

  it("describe a request only while somebody listens", () => {
    const bus = new EventBus();
    const options = withEvents(CLIENT, bus, systemClock);
    expect(options.onRequest).toBeUndefined();
    const heard: unknown[] = [];
    const listener = (event: object) => heard.push(event);
    bus.on("gateway.request", listener);
    const event = { call: "catalog", method: "GET", url: "u", status: 200, failure: null, durationMs: 1 } as const;
    options.onRequest?.(event);
    bus.off("gateway.request", listener);
    expect(options.onRequest).toBeUndefined();
    expect(heard).toEqual([event]);
  });
});
