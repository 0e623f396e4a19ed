import { afterEach, describe, expect, it } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { acquire } from "../../../src/pipeline/acquire/acquire.ts";
import { contentAnswer, gatewayError } from "../../doubles/scripted-gateway.ts";
import { createStageWorld, NEVER, type StageWorld } from "./stage-world.ts";

let world: StageWorld;
afterEach(() => world.close());

const PATHS = ["/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h"];
/** Places of the pages under way, in these worlds. */
const PLACES = 4;

/** The ledger on a disk that is full while `isFull` says so: nothing that grows it can be written. */
function onFullDisk(ledger: Ledger, isFull: () => boolean): Ledger {
  return new Proxy(ledger, {
    get: (target, name) =>
      name === "settlePurchase" && isFull()
        ? () => Promise.reject(gatewayError("DISK_FULL"))
        : Reflect.get(target, name),
  });
}

describe("a disk that is full when content arrives", () => {
  it("starts nothing more, keeps the received content, and continues when there is space", async () => {
    let whenRoomCame = 0;
    world = await createStageWorld();
    const leaseId = await world.leasePurchases(PATHS);
    const { clock, gateway } = world;
    const roomAt = clock.now() + 30_000;
    const ledger = onFullDisk(world.ledger, () => {
      const isFull = clock.now() < roomAt;
      whenRoomCame = isFull ? gateway.requests("fetchContent").length : whenRoomCame;
      return isFull;
    });
    await world.drive(acquire({ ...world.deps, ledger }, leaseId, NEVER));
    expect(whenRoomCame).toBeGreaterThan(0);
    expect(whenRoomCame).toBeLessThanOrEqual(PLACES);
    expect(world.said.filter(({ event }) => event === "warned")).not.toEqual([]);
    expect(world.deps.buyingHold.isActive).toBe(false);
    expect(await world.ends(PATHS)).toEqual(PATHS.map(() => "settled"));
  });

  it("is not called over before the last content is written", async () => {
    world = await createStageWorld();
    const leaseId = await world.leasePurchases(PATHS);
    const { clock } = world;
    const roomAt = clock.now() + 30_000;
    const failing = new Set<number>();
    const failingAtSuccess: number[] = [];
    let writtenMeanwhile = 0;
    const ledger = new Proxy(world.ledger, {
      get: (target, name) =>
        name === "settlePurchase"
          ? (...args: Parameters<Ledger["settlePurchase"]>) => {
              const [{ purchaseId }] = args;
              const isFirst = failing.size === 0;
              if (failing.has(purchaseId) ? clock.now() < roomAt : isFirst) {
                failing.add(purchaseId);
                return Promise.reject(gatewayError("DISK_FULL"));
              }
              failing.delete(purchaseId);
              writtenMeanwhile += failing.size > 0 ? 1 : 0;
              return target.settlePurchase(...args);
            }
          : Reflect.get(target, name),
    });
    const outagePolicy: typeof world.deps.outagePolicy = {
      ...world.deps.outagePolicy,
      keepsContent: () => true,
      reportSuccess: (place) => {
        if (place === "ledger") {
          failingAtSuccess.push(failing.size);
        }
      },
    };
    await world.drive(acquire({ ...world.deps, ledger, outagePolicy }, leaseId, NEVER));
    expect(failingAtSuccess).not.toEqual([]);
    expect(failingAtSuccess.filter((count) => count > 0)).toEqual([]);
    expect(writtenMeanwhile).toBeGreaterThan(0);
  });

  it("discards the received content after a while, or when the process is told to end, and has started nothing else", async () => {
    for (const isTold of [false, true]) {
      const stop = new AbortController();
      const opened = await createStageWorld({
        script: {
          fetchContent: () => {
            if (isTold) {
              stop.abort();
            }
            return contentAnswer();
          },
        },
      });
      world = opened;
      const leaseId = await world.leasePurchases(PATHS);
      const before = world.clock.now();
      const work = acquire({ ...world.deps, ledger: onFullDisk(world.ledger, () => true) }, leaseId, stop.signal);
      await expect(world.drive(work)).rejects.toMatchObject({ code: "DISK_FULL" });
      expect(world.clock.now() - before < 60_000).toBe(isTold);
      const ends = await world.ends(PATHS);
      expect(ends.filter((end) => end === "started").length).toBeLessThanOrEqual(PLACES);
      expect(ends.filter((end) => end === "reserved").length).toBeGreaterThanOrEqual(PATHS.length - PLACES);
      if (!isTold) {
        await world.close();
      }
    }
  });

  it("requests no other token when there is no space to start a purchase", async () => {
    world = await createStageWorld();
    const leaseId = await world.leasePurchases(PATHS);
    const ledger = new Proxy(world.ledger, {
      get: (target, name) =>
        name === "startPurchase" ? () => Promise.reject(gatewayError("DISK_FULL")) : Reflect.get(target, name),
    });
    await expect(world.drive(acquire({ ...world.deps, ledger }, leaseId, NEVER))).rejects.toMatchObject({
      code: "DISK_FULL",
    });
    expect(await world.ends(PATHS)).toEqual(PATHS.map(() => "reserved"));
    expect(world.gateway.requests("issueContentToken").length).toBeLessThanOrEqual(PLACES);
    expect(world.gateway.requests("fetchContent")).toEqual([]);
  });
});
