import { expect, it } from "vitest";
import { EventBus } from "../../../../src/agent/events/events.ts";
import type { ServiceLog } from "../../../../src/serve/log/service-log.ts";
import {
  createReadiness,
  PROBE_CACHE_MS,
  PROBE_TIMEOUT_MS,
  type Probe,
  watchGatewayTraffic,
} from "../../../../src/serve/process/readiness.ts";
import { createFakeClock } from "../../../doubles/fake-clock.ts";

const OK: Probe = async () => ({ ok: true, detail: "fine" });
const settle = () => new Promise((resolve) => setImmediate(resolve));

function createWorld(gateway: Probe) {
  const clock = createFakeClock();
  const lines: string[] = [];
  const log: ServiceLog = {
    debug: () => {},
    info: (message) => void lines.push(`info: ${message}`),
    warn: (message) => void lines.push(`warn: ${message}`),
  };
  return { clock, lines, readiness: createReadiness({ clock, log }, { ledger: OK, queue: OK, gateway, clock: OK }) };
}

it("probes once for all who ask within a few seconds, also at once", async () => {
  let probes = 0;
  const { clock, readiness } = createWorld(async () => {
    probes += 1;
    return { ok: true, detail: "fine" };
  });
  await Promise.all([readiness.read(), readiness.read()]);
  clock.advance(PROBE_CACHE_MS - 1);
  await readiness.read();
  expect(probes).toBe(1);
  clock.advance(1);
  await readiness.read();
  expect(probes).toBe(2);
});

it("logs each change once, and keeps since when it is so", async () => {
  let isThere = false;
  const { clock, lines, readiness } = createWorld(async () => ({
    ok: isThere,
    detail: isThere ? "fine" : "ECONNREFUSED",
  }));
  const began = clock.now();
  for (let asked = 0; asked < 3; asked++) {
    await readiness.read();
    clock.advance(PROBE_CACHE_MS);
  }
  expect((await readiness.read()).find(({ name }) => name === "gateway")).toMatchObject({ ok: false, since: began });
  isThere = true;
  clock.advance(PROBE_CACHE_MS);
  expect((await readiness.read()).every(({ ok }) => ok)).toBe(true);
  expect(lines).toEqual([
    "warn: the gateway is not reachable: GATEWAY_UNREACHABLE: ECONNREFUSED",
    "info: the gateway is reachable again: fine",
  ]);
  expect(readiness.last().find(({ name }) => name === "gateway")?.since).toBe(clock.now());
});

it("keeps what it knows of a dependency that cannot be asked, and takes one for well of which nothing is known", async () => {
  const answers: Awaited<ReturnType<Probe>>[] = [null, { ok: false, detail: "ECONNREFUSED" }, null];
  const { clock, lines, readiness } = createWorld(async () => answers.shift() ?? null);
  const found: unknown[] = [];
  for (let asked = 0; asked < 4; asked++) {
    found.push((await readiness.read()).find(({ name }) => name === "gateway")?.ok);
    clock.advance(PROBE_CACHE_MS);
  }
  expect(found).toEqual([true, false, false, false]);
  expect(lines).toEqual(["warn: the gateway is not reachable: GATEWAY_UNREACHABLE: ECONNREFUSED"]);
});

it("says what a probe threw, and does not wait for one that hangs", async () => {
  const failing = createWorld(async () => {
    throw new Error("cannot connect");
  });
  expect((await failing.readiness.read()).at(2)).toMatchObject({ ok: false, detail: "cannot connect" });
  const hanging = createWorld(() => new Promise(() => {}));
  const asked = hanging.readiness.read();
  await settle();
  hanging.clock.advance(PROBE_TIMEOUT_MS);
  expect((await asked).at(2)).toMatchObject({ name: "gateway", ok: false, detail: "no answer within 3000 ms" });
});

it("takes the gateway for away when its requests fail in a row, until one is answered or two minutes have passed", () => {
  const clock = createFakeClock();
  const bus = new EventBus();
  const traffic = watchGatewayTraffic(bus, clock);
  const ask = (status: number | null) =>
    bus.emit("gateway.request", {
      call: "catalog",
      method: "GET",
      url: "https://gateway.example/",
      status,
      failure: status === null ? "timeout" : null,
      durationMs: 1,
    });
  [503, null].map(ask);
  expect(traffic.read()).toBeNull();
  ask(503);
  expect(traffic.read()).toEqual({ ok: false, detail: "requests are answered 503" });
  // An answer that refuses is an answer.
  ask(404);
  expect(traffic.read()).toEqual({ ok: true, detail: "its requests are answered" });
  clock.advance(5_000);
  expect(traffic.read()).toBeNull();
  [null, null, null].map(ask);
  expect(traffic.read()).toEqual({ ok: false, detail: "requests get no answer: timeout" });
  clock.advance(120_000);
  expect(traffic.read()).toBeNull();
  // The key is refused, until a request with it is answered otherwise.
  ask(401);
  expect(traffic.read()).toMatchObject({ ok: false, code: "GATEWAY_UNAUTHORIZED" });
  ask(200);
  expect(traffic.read()).toEqual({ ok: true, detail: "its requests are answered" });
});
