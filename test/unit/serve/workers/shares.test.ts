import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toWholeShare } from "../../../../src/gateway/whole-share.ts";
import { createShares, SERVICE, UNKNOWN } from "../../../../src/serve/workers/shares.ts";

const GATEWAY = toWholeShare({ concurrency: 64, requestsPerSecond: 200 });

function createDealt(whole = GATEWAY, isAfterDeath = false) {
  return createShares(whole, { onChange: () => {}, isAfterDeath });
}

describe("the shares of the gateway's limits", () => {
  test("a service alone has all of them", () => {
    expect(createDealt().of(SERVICE)).toMatchObject({ concurrency: 64, requestsPerSecond: 200, burst: 10 });
  });

  test("a worker gets nothing before the service keeps to less, and then what it wants", () => {
    const shares = createDealt();
    shares.set("a", 16);
    expect(shares.of("a").concurrency).toBe(0);
    const { concurrency, version } = shares.of(SERVICE);
    expect(concurrency).toBe(48);
    shares.confirm(SERVICE, version);
    expect(shares.of("a")).toMatchObject({ concurrency: 16, requestsPerSecond: 50, burst: 5 });
  });

  test("an old confirmation frees nothing", () => {
    const shares = createDealt();
    shares.set("a", 16);
    const { version } = shares.of(SERVICE);
    shares.set("b", 16);
    shares.confirm(SERVICE, version);
    expect([shares.of("a").concurrency, shares.of("b").concurrency]).toEqual([0, 0]);
    shares.confirm(SERVICE, shares.of(SERVICE).version);
    expect([shares.of("a").concurrency, shares.of("b").concurrency]).toEqual([16, 16]);
  });

  test("what a dead worker had is dealt again when nothing of it is under way", () => {
    const shares = createDealt();
    shares.set("a", 62);
    shares.confirm(SERVICE, shares.of(SERVICE).version);
    shares.set("b", 62);
    shares.set("a", 0);
    expect(shares.of("b").concurrency).toBe(0);
    shares.remove("a");
    expect(shares.of("b").concurrency).toBe(62);
  });

  test("where there are fewer places than workers, who has jobs comes first, and then who has a share", () => {
    const shares = createDealt(toWholeShare({ concurrency: 3, requestsPerSecond: null }));
    for (const id of ["a", "b", "c"]) {
      shares.set(id, 4);
      for (const holder of [SERVICE, "a", "b"]) {
        shares.confirm(holder, shares.of(holder).version);
      }
    }
    const placesOf = () => ["a", "b", "c"].map((id) => shares.of(id).concurrency);
    expect(placesOf()).toEqual([1, 1, 0]);
    shares.set("c", 4, true);
    shares.confirm("b", shares.of("b").version);
    expect(placesOf()).toEqual([1, 0, 1]);
    // It ends its jobs, and nobody has a reason to take its share.
    shares.set("c", 4);
    expect(placesOf()).toEqual([1, 0, 1]);
  });

  test("after the death of a service, its workers may still have their shares", () => {
    const shares = createDealt(GATEWAY, true);
    expect(shares.of(SERVICE).concurrency).toBe(2);
    shares.set("a", 16);
    expect(shares.of("a").concurrency).toBe(0);
    shares.remove(UNKNOWN);
    expect(shares.of("a").concurrency).toBe(16);
  });

  test("a gateway of one request at a time is the service's", () => {
    const shares = createDealt(toWholeShare({ concurrency: 1, requestsPerSecond: null }));
    shares.set("a", 16);
    shares.confirm(SERVICE, shares.of(SERVICE).version);
    expect([shares.of(SERVICE).concurrency, shares.of("a").concurrency]).toEqual([1, 0]);
  });

  test("no limit of the rate stays no limit", () => {
    const shares = createDealt(toWholeShare({ concurrency: 8, requestsPerSecond: null }));
    shares.set("a", 16);
    shares.confirm(SERVICE, shares.of(SERVICE).version);
    expect(shares.of("a")).toMatchObject({ concurrency: 6, requestsPerSecond: null });
  });

  test("whatever comes, what all may use together is within the whole, and all of it is dealt in the end", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("set" as const), id: fc.constantFrom("a", "b", "c", "d"), wants: fc.nat(40) }),
      fc.record({ kind: fc.constant("remove" as const), id: fc.constantFrom("a", "b", "c", "d"), wants: fc.nat(1) }),
      fc.record({
        kind: fc.constant("confirm" as const),
        id: fc.constantFrom("a", "b", "c", "d", SERVICE),
        wants: fc.nat(1),
      }),
    );
    const limits = fc.record({
      concurrency: fc.integer({ min: 1, max: 100 }),
      requestsPerSecond: fc.option(fc.integer({ min: 1, max: 400 })),
    });
    fc.assert(
      fc.property(limits, fc.array(step, { maxLength: 30 }), (limit, steps) => {
        const whole = toWholeShare(limit);
        const shares = createDealt(whole);
        const ids = new Set([SERVICE]);
        /** The most that each may still use, as it knows it: each version since the one that it has confirmed. */
        const used = new Map<string, ReturnType<typeof shares.of>[]>();
        const look = () => {
          for (const id of ids) {
            const share = shares.of(id);
            const known = used.get(id) ?? [];
            used.set(id, known.at(-1)?.version === share.version ? known : [...known, share]);
          }
          const most = (pick: (share: ReturnType<typeof shares.of>) => number) =>
            [...used.values()].reduce((sum, known) => sum + Math.max(...known.map(pick)), 0);
          expect(most(({ concurrency }) => concurrency)).toBeLessThanOrEqual(whole.concurrency);
          if (whole.requestsPerSecond !== null) {
            const inASecond = most(({ requestsPerSecond, burst }) => (requestsPerSecond ?? 0) + burst);
            expect(inASecond).toBeLessThanOrEqual(whole.requestsPerSecond + whole.burst + 1e-3);
          }
        };
        const confirm = (id: string) => {
          used.set(id, [shares.of(id)]);
          shares.confirm(id, shares.of(id).version);
          look();
        };
        look();
        for (const { kind, id, wants } of steps) {
          if (kind === "set") {
            ids.add(id);
            shares.set(id, wants);
          } else if (kind === "remove") {
            ids.delete(id);
            used.delete(id);
            shares.remove(id);
          } else if (ids.has(id)) {
            confirm(id);
          }
          look();
        }
        for (let round = 0; round < 3; round += 1) {
          for (const id of ids) {
            confirm(id);
          }
        }
        const dealt = [...ids].reduce((sum, id) => sum + shares.of(id).concurrency, 0);
        expect(dealt).toBe(whole.concurrency);
      }),
    );
  });
});
