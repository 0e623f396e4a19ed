/** Documents, doubts and open items over HTTP, in a ledger that has some. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ONE_PRICE } from "../../../doubles/cli-world.ts";
import { createServiceWorld, type ServiceWorld } from "../../../doubles/service-world.ts";
import { type ApiClient, createApiClient, TOKEN } from "./api-client.ts";

const PAGES = 12;

let world: ServiceWorld;
let api: ApiClient;
let runId: string;

beforeAll(async () => {
  world = await createServiceWorld({
    sandbox: {
      sites: [
        { kind: "synthetic", host: "good.example", pages: PAGES, bodyBytes: 200 },
        { kind: "synthetic", host: "bad.example", pages: 3, bodyBytes: 200 },
      ],
      rates: ONE_PRICE,
    },
    config: {
      serve: { port: 0, token: TOKEN },
      budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
      sites: [
        { host: "good.example", policy: "standard" },
        { host: "bad.example", policy: "standard" },
      ],
    },
  });
  api = createApiClient(world);
  const agent = await world.openAgent();
  ({ runId } = await agent.run({ hosts: ["good.example"] }));
});

afterAll(() => world.close());

describe("statements over HTTP", () => {
  it("are those of the month that is asked for, or of the one that ended last", async () => {
    const month = new Date().toISOString().slice(0, 7);
    expect(await api.get(`/statement?month=${month}&by=license&site=good.example`, "Statement")).toMatchObject({
      month,
      complete: false,
      totals: [{ currency: "USD", total: { pages: PAGES } }],
    });
    expect(await api.get("/statement", "Statement")).toMatchObject({ by: "site", complete: true, lines: [] });
  });
});

describe("spend over HTTP", () => {
  it("is that of the last days, or of those that are asked for", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const spent = { currency: "USD", settledMicros: 10_000 * PAGES, inDoubtMicros: 0, bought: PAGES };
    expect(await api.get("/spend?site=good.example", "SpendReport")).toMatchObject({
      to: today,
      days: [{ day: today, ...spent }],
      sites: [{ host: "good.example", ...spent }],
      totals: [spent],
    });
    expect(await api.get("/spend?from=2026-01-01&to=2026-01-02", "SpendReport")).toMatchObject({
      days: [],
      totals: [],
    });
    for (const days of ["to=2026-01-02", "from=2026-02-30", "from=2024-01-01&to=2026-01-01"]) {
      expect(await api.refused("GET", `/spend?${days}`)).toMatchObject({ status: 400 });
    }
  });
});

describe("sites over HTTP", () => {
  it("are listed page by page, and one has its prices", async () => {
    const { sites, nextCursor } = await api.get("/sites?limit=1", "SitesReport");
    expect(sites).toMatchObject([{ host: "bad.example" }]);
    expect(await api.get(`/sites?limit=1&cursor=${nextCursor}`, "SitesReport")).toMatchObject({
      sites: [{ host: "good.example", stored: { pages: PAGES, isAtLeast: false } }],
      nextCursor: null,
    });
    expect(await api.get("/sites/good.example?maxPrice=0.01%20USD", "SiteDetails")).toMatchObject({
      prices: { pages: PAGES, asked: { maxPriceMicros: 10_000, pages: PAGES } },
    });
    expect(await api.refused("GET", "/sites/good.example?maxPrice=much")).toMatchObject({ code: "USAGE_INVALID" });
    expect(await api.refused("GET", "/sites/none.example")).toMatchObject({ code: "USAGE_INVALID" });
  });
});

describe("a search for documents over HTTP", () => {
  it("finds them, and has the evidence of one", async () => {
    const { documents, nextCursor } = await api.get(
      "/documents/search?site=good.example&limit=2",
      "DocumentSearchReport",
    );
    expect(documents).toHaveLength(2);
    expect(nextCursor).toMatch(/^s/);
    const [first] = documents;
    expect(await api.get(`/documents/${first?.purchaseId}/evidence`, "DocumentDetails")).toMatchObject({
      version: { url: first?.url, hash: first?.hash },
    });
    expect(await api.refused("GET", "/documents/search?cursor=x")).toMatchObject({ code: "REQUEST_INVALID" });
    expect(await api.refused("GET", "/documents/999999/evidence")).toMatchObject({ code: "DOCUMENT_NOT_FOUND" });
  });
});

describe("denials over HTTP", () => {
  it("are those of the last days, of a run or of a site", async () => {
    expect(await api.get("/denials?site=bad.example", "DenialsReport")).toMatchObject({ site: "bad.example", runs: 1 });
    expect(await api.get(`/denials?run=${runId}`, "DenialsReport")).toMatchObject({
      runId,
      total: 0,
      nextCursor: null,
    });
    expect(await api.refused("GET", "/denials?cursor=1")).toMatchObject({ status: 400, code: "REQUEST_INVALID" });
    expect(await api.refused("GET", "/denials?run=run_none")).toMatchObject({ status: 404, code: "RUN_NOT_FOUND" });
  });
});

describe("documents over HTTP", () => {
  it("come page by page, each once, with their evidence and without their texts", async () => {
    const seen: number[] = [];
    for (let cursor = ""; ; ) {
      const page = await api.get(`/documents?limit=5${cursor}`, "DocumentPage");
      expect(page.documents.every((document) => !("html" in document) && !("markdown" in document))).toBe(true);
      seen.push(...page.documents.map(({ purchaseId }) => purchaseId));
      if (page.nextCursor === null) {
        break;
      }
      cursor = `&cursor=${page.nextCursor}`;
    }
    expect(new Set(seen).size).toBe(PAGES);
    expect(seen).toHaveLength(PAGES);
  });

  it("are chosen by run, site and time, with their texts where they are asked for", async () => {
    const ofRun = await api.get(`/documents?run=${runId}&content=true&limit=100`, "DocumentPage");
    expect(ofRun.documents).toHaveLength(PAGES);
    const [first] = ofRun.documents;
    expect(first?.html ?? first?.markdown).toEqual(expect.any(String));
    expect(await api.get(`/documents/${first?.purchaseId}`, "Document")).toEqual(first);
    const none = { documents: [], nextCursor: null };
    expect(await api.get("/documents?site=bad.example", "DocumentPage")).toEqual(none);
    expect(await api.get("/documents?since=2090-01-01", "DocumentPage")).toEqual(none);
    expect(await api.get(`/documents?since=${Date.now() + 1_000_000}`, "DocumentPage")).toEqual(none);
  });

  it("are never sent as a page, whatever a browser asks for", async () => {
    const answer = await world.call("GET", "/api/v1/documents?content=true", { headers: { accept: "text/html" } });
    expect(answer.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "x-content-type-options": "nosniff",
    });
  });
});

it("explains a page that is stored and one that is not", async () => {
  const page = await api.get("/documents?limit=1", "DocumentPage");
  const url = encodeURIComponent(page.documents[0]?.url ?? "");
  expect((await api.get(`/explain?url=${url}`, "Explanation")).conclusion.reason).toBe("unchanged");
  const unknown = encodeURIComponent("https://good.example/never-seen");
  expect((await api.get(`/explain?url=${unknown}`, "Explanation")).record).toBeNull();
});

describe("a person's word over HTTP", () => {
  it("settles one purchase in doubt and releases the other", async () => {
    world.sandbox.setFaults({ "reset-after-charge": 1 });
    await (await world.openAgent()).run({ hosts: ["bad.example"] });
    world.sandbox.setFaults({});
    const { inDoubt } = await api.get("/status", "Status");
    const [first, second] = inDoubt.map(({ purchaseId }) => `/purchases/${purchaseId}/resolve`);
    const forged = { charged: true, by: "the director" };
    expect(await api.refused("POST", first ?? "", { body: forged })).toMatchObject({ code: "REQUEST_INVALID" });
    const word = { charged: true, keepOff: true, reason: "the invoice of May" };
    expect(await api.post(first ?? "", "ResolvedPurchase", word)).toMatchObject({
      state: "settled",
      keptOff: true,
    });
    expect(await api.post(second ?? "", "ResolvedPurchase", { charged: false })).toMatchObject({
      state: "released",
      keptOff: false,
    });
    const again = await api.refused("POST", first ?? "", { body: { charged: false } });
    expect(again).toMatchObject({ status: 409, code: "PURCHASE_NOT_IN_DOUBT" });
    expect((await api.get("/status", "Status")).totals.inDoubt).toBe(inDoubt.length - 2);
  });

  it("is kept with the name of the token and the reason, in pages", async () => {
    const { acts, nextCursor } = await api.get("/log?limit=1", "ActLog");
    expect(acts).toMatchObject([{ kind: "purchase_not_charged", by: "serve.token", reason: null }]);
    const older = await api.get(`/log?limit=1&cursor=${nextCursor}`, "ActLog");
    const reason = "the invoice of May";
    expect(older).toMatchObject({ acts: [{ kind: "purchase_charged", by: "serve.token", reason }], nextCursor: null });
    expect(await api.refused("GET", "/log?cursor=x")).toMatchObject({ status: 400, code: "REQUEST_INVALID" });
  });

  it("closes an open item, once", async () => {
    world.sandbox.setFaults({ "over-charge": 1 });
    await (await world.openAgent()).run({ hosts: ["bad.example"], fresh: true });
    world.sandbox.setFaults({});
    const { openItems, total } = await api.get("/open-items", "OpenItemList");
    expect(openItems).toHaveLength(total);
    const item = openItems.find(({ kind }) => kind === "overcharged");
    expect(item).toMatchObject({ host: "bad.example" });
    const path = `/open-items/${item?.id}/close`;
    expect(await api.post(path, "ClosedItem")).toEqual({ ...item, state: "closed" });
    expect((await api.get("/open-items", "OpenItemList")).total).toBe(total - 1);
    expect(await api.refused("POST", path)).toMatchObject({ status: 404, code: "OPEN_ITEM_NOT_FOUND" });
  });

  it("reports what waits", async () => {
    expect(await api.post("/report", "FlushReport", { retryRejected: true })).toMatchObject({ pending: 0 });
  });
});
