import { afterEach, describe, expect, it } from "vitest";
import type { ErrorCode } from "../../../src/errors.ts";
import { walk } from "../../../src/pipeline/walk/walk.ts";
import { catalogPage, type GatewayScript, gatewayError } from "../../doubles/scripted-gateway.ts";
import { createStageWorld, NEVER, pageUrl, type StageWorld } from "./stage-world.ts";

let world: StageWorld;
afterEach(() => world.close());

async function open(listCatalog: NonNullable<GatewayScript["listCatalog"]>): Promise<StageWorld> {
  world = await createStageWorld({ script: { listCatalog } });
  return world;
}

async function walkPage(signal: AbortSignal = NEVER): Promise<void> {
  await walk(world.deps, await world.lease("walk"), signal);
}

async function site() {
  const [summary] = (await world.ledger.readRun(world.runId)).sites;
  if (summary === undefined) {
    throw new Error("the run has no site");
  }
  return summary;
}

const fail = (code: ErrorCode) => () => {
  throw gatewayError(code);
};

describe("the walk stage", () => {
  it("counts entries that are not pages of the site, with the reason, and keeps the rest", async () => {
    await open(() =>
      catalogPage(
        [pageUrl("/a"), pageUrl("/excluded/b"), "https://other.example/c", "not a url", "ftp://news.example/d", ""],
        { unreadable: 2 },
      ),
    );
    await walkPage();
    expect(await site()).toMatchObject({ seen: 2, excluded: 1, rejected: 6, walkEnded: true, stop: null });
  });

  it("counts a page once that the catalog lists twice", async () => {
    await open((_request, call) => catalogPage([pageUrl("/a")], { nextPageToken: call === 1 ? "two" : null }));
    await walkPage();
    await walkPage();
    expect(await site()).toMatchObject({ seen: 1, walkEnded: true });
  });

  it("says so when the catalog has a page under http and https", async () => {
    await open(() => catalogPage([pageUrl("/a"), pageUrl("/a").replace("https:", "http:"), pageUrl("/b")]));
    await walkPage();
    expect(world.said.filter(({ event }) => event === "twoSchemes")).toEqual([
      {
        event: "twoSchemes",
        text: JSON.stringify({ host: "news.example", example: "http://news.example/a", namedBy: "catalog" }),
      },
    ]);
  });

  it("treats spellings of one page as one page", async () => {
    await open(() => catalogPage(["/caf%c3%a9", "/caf%C3%A9", "/%7Eb", "/~b"].map((path) => pageUrl(path))));
    await walkPage();
    expect(await site()).toMatchObject({ seen: 2 });
  });

  it("sends the token of each catalog page with the next request", async () => {
    await open(({ pageToken }) =>
      catalogPage([pageUrl(`/${pageToken ?? "first"}`)], { nextPageToken: pageToken === null ? "two" : null }),
    );
    await walkPage();
    await walkPage();
    expect(world.gateway.requests("listCatalog").map(({ pageToken }) => pageToken)).toEqual([null, "two"]);
  });

  it("treats a date in the future as now: the next walk must not skip newer pages", async () => {
    await open((_request, call) =>
      catalogPage([{ pageUrl: pageUrl("/a"), lastMod: "2030-01-01T00:00:00Z" }], {
        nextPageToken: call === 1 ? "2" : null,
      }),
    );
    const records: unknown[] = [];
    const { ledger } = world;
    const deps = {
      ...world.deps,
      ledger: new Proxy(ledger, {
        get: (target, name) =>
          name === "recordCatalogPage"
            ? (record: Parameters<typeof ledger.recordCatalogPage>[0]) => {
                records.push(record.entries[0]?.lastModAt, record.next.newestAt);
                return target.recordCatalogPage(record);
              }
            : Reflect.get(target, name),
      }),
    };
    await walk(deps, await world.lease("walk"), NEVER);
    expect(records).toEqual([world.clock.now(), world.clock.now()]);
  });

  it("ends with a warning when the catalog returns to a page that was read", async () => {
    await open(() => catalogPage([pageUrl("/a")], { nextPageToken: "again" }));
    await walkPage();
    await walkPage();
    expect((await site()).walkEnded).toBe(true);
    expect(world.said.filter(({ event }) => event === "warned")).toHaveLength(1);
    expect((await site()).walkWarning).not.toBeNull();
  });

  it.each<[ErrorCode, string]>([
    ["GATEWAY_FORBIDDEN", "not_enabled"],
    ["GATEWAY_NOT_FOUND", "walk_failed"],
    ["GATEWAY_REFUSED", "walk_failed"],
    ["GATEWAY_ANSWER_TOO_LARGE", "walk_failed"],
  ])("stops the site at %s on the first page: %s", async (code, stop) => {
    await open(fail(code));
    await walkPage();
    expect((await site()).stop).toBe(stop);
    expect(world.said.map(({ event }) => event)).toEqual(["siteStopped"]);
    expect((await world.ledger.readProgress({ runId: world.runId, now: world.clock.now() })).openBatches).toBe(0);
  });

  it.each<ErrorCode>(["GATEWAY_UNREACHABLE", "GATEWAY_UNAUTHORIZED", "GATEWAY_REDIRECTED"])(
    "throws %s on the first page: the whole run cannot go on",
    async (code) => {
      await open(fail(code));
      await expect(walkPage()).rejects.toMatchObject({ code });
      expect((await site()).stop).toBeNull();
      expect(world.clock.sleeping).toBe(0);
    },
  );

  it("ends the walk with a warning when the catalog fails in the middle, and keeps what was found", async () => {
    await open((_request, call) => {
      if (call > 1) {
        throw gatewayError("GATEWAY_REFUSED");
      }
      return catalogPage([pageUrl("/a")], { nextPageToken: "two" });
    });
    await walkPage();
    await walkPage();
    expect(await site()).toMatchObject({ stop: null, walkEnded: true, seen: 1 });
    expect((await site()).walkWarning).toContain("past page 1");
    await world.lease("quote");
  });

  it("reads a page again after a temporary failure, with a growing wait, and stops after the last attempt", async () => {
    await open(fail("GATEWAY_TIMEOUT"));
    const waits: number[] = [];
    for (let attempt = 1; attempt < world.deps.limits.batchAttempts; attempt++) {
      await walkPage();
      const progress = await world.ledger.readProgress({ runId: world.runId, now: world.clock.now() });
      waits.push((progress.nextReadyAt as number) - world.clock.now());
      world.clock.advance(waits.at(-1) as number);
    }
    await walkPage();
    expect(waits).toEqual([375, 750]);
    expect((await site()).stop).toBe("walk_failed");
  });

  it("waits for an unreachable gateway in the middle of a walk: it has answered before", async () => {
    await open((_request, call) => {
      if (call === 2) {
        throw gatewayError("GATEWAY_UNREACHABLE");
      }
      return catalogPage([pageUrl(`/${call}`)], { nextPageToken: call === 1 ? "two" : null });
    });
    await walkPage();
    await walkPage();
    world.clock.advance(60_000);
    await walkPage();
    expect(await site()).toMatchObject({ seen: 2, walkEnded: true, stop: null });
  });

  it("requeues the batch at once when it is stopped", async () => {
    await open(() => catalogPage([pageUrl("/a")]));
    await walkPage(AbortSignal.abort());
    expect(world.gateway.calls).toHaveLength(0);
    await walkPage();
    expect((await site()).seen).toBe(1);
  });

  it("records nothing under a lease that another worker has by now", async () => {
    await open(() => catalogPage([pageUrl("/a")]));
    const stale = await world.lease("walk");
    world.clock.advance(world.deps.limits.leaseMs);
    await world.lease("walk");
    await walk(world.deps, stale, NEVER);
    expect(world.gateway.calls).toHaveLength(0);
    expect(world.said).toEqual([]);
  });

  it("says what to do when a resumed run has a site that is no longer configured", async () => {
    await open(() => catalogPage([]));
    const deps = { ...world.deps, sites: new Map() };
    await expect(walk(deps, await world.lease("walk"), NEVER)).rejects.toMatchObject({ code: "USAGE_INVALID" });
  });
});
