/** What no correct client sends. Each case is a request of the real client, changed in one place. */
import { expect, it } from "vitest";
import type { ArrivedRequest } from "./model-gateway.ts";
import { API_KEY, openModelWorld, START_AT, USER_AGENT, urlOf, useOf } from "./model-world.ts";

type Kind = "catalog" | "rate" | "batch" | "token" | "crawl" | "content" | "report" | "history";
type Change = (request: ArrivedRequest) => ArrivedRequest;

/** One request of each kind, as the real client wrote it; all of them have been served. */
async function recordRequests() {
  const world = openModelWorld();
  const { client, buyToken, fetch, report, requests } = world;
  await client.listCatalog({ host: "one.example", pageToken: null, pageSize: 2 });
  await client.quotePage(urlOf(1));
  await client.quoteBatch([urlOf(1)]);
  const token = await buyToken(urlOf(1), 7_000, { licenseType: "CUSTOM_LICENSE", licenseCuid: "lic-c" });
  await client.issueIndexingToken(urlOf(1));
  await fetch(urlOf(1), token);
  await report("r-1", [useOf(urlOf(1))]);
  await client.listHistory({ nextToken: null, size: 25, daysAgo: 3 });
  const kinds: readonly Kind[] = ["catalog", "rate", "batch", "token", "crawl", "content", "report", "history"];
  const byKind = new Map(kinds.map((kind, index) => [kind, requests[index] as ArrivedRequest]));
  return { ...world, byKind, token };
}

const cases: readonly (readonly [string, Kind, Change, number])[] = [
  ...(["catalog", "rate", "batch", "token", "crawl", "report", "history"] as const).flatMap((kind) => [
    [`a ${kind} request without the key`, kind, without("ServiceKey"), 401] as const,
    [`a ${kind} request with another key`, kind, header("ServiceKey", "other"), 401] as const,
    [`a ${kind} request of another agent`, kind, header("user-agent", "curl/8"), 401] as const,
    [`a ${kind} request with a token`, kind, header("ServiceToken", "token"), 400] as const,
    [`a ${kind} request with an unknown query`, kind, onPath(/$/, "?x=1"), 400] as const,
  ]),
  ["content with the key", "content", header("ServiceKey", API_KEY), 400],
  ["content with the key in another header", "content", header("authorization", `Bearer ${API_KEY}`), 400],
  ["content without a token", "content", without("ServiceToken"), 401],
  ["content with a token that nobody issued", "content", header("ServiceToken", "made.up.token"), 401],
  ["content with the key as its token", "content", header("ServiceToken", API_KEY), 400],
  ["content of another page than the token's", "content", onPath("one.example%2F1", "one.example%2F2"), 401],
  ["content for another agent than the token's", "content", header("user-agent", `${USER_AGENT} or so`), 401],
  ["content for no agent", "content", without("user-agent"), 401],
  ["content without a format", "content", without("Service-Accept-Content"), 400],
  ["content in an unknown format", "content", header("Service-Accept-Content", "text/plain"), 400],
  ["content in another format than the token's", "content", header("Service-Accept-Content", "text/html"), 400],
  ["content with a query of its own", "content", onPath(/$/, "?a=b"), 400],
  ["content with a body", "content", (request) => ({ ...request, body: Buffer.from("{}") }), 400],
  ["content of an address that is not encoded", "content", onPath(/content\/.*/, `content/${urlOf(1)}`), 400],
  ["content of an address that is half encoded", "content", onPath("%2F1", "/1"), 400],
  ["content of an address encoded twice", "content", onPath(/%/g, "%25"), 400],
  ["content of an address with broken escapes", "content", onPath("%2F1", "%FF1"), 400],
  ["a rate of an address that is not encoded", "rate", onPath(/rates\/.*/, `rates/${urlOf(1)}`), 400],
  ["a rate of an address encoded twice", "rate", onPath(/%/g, "%25"), 400],
  ["a catalog of a host with a slash", "catalog", onPath("one.example", "one.example/"), 400],
  ["a catalog with a page token that was never given", "catalog", onPath(/$/, "&pageToken=made-up"), 400],
  ["a catalog with an empty page token", "catalog", onPath(/$/, "&pageToken="), 400],
  ["a catalog in pages of nothing", "catalog", onPath("pageSize=2", "pageSize=0"), 400],
  ["a catalog in two page sizes", "catalog", onPath(/$/, "&pageSize=3"), 400],
  ["a history in pages of a word", "history", onPath("size=25", "size=all"), 400],
  ["a history with a next token", "history", onPath(/$/, "&next-token=x"), 400],
  ["an unknown path", "rate", onPath("rates", "prices"), 404],
  ["a path under another version", "batch", onPath("/v2/", "/v3/"), 404],
  ["a batch that is got", "batch", (request) => ({ ...request, method: "GET", body: null }), 400],
  ["a page's rate that is posted", "rate", (request) => ({ ...request, method: "POST" }), 404],
  ["a report under another service's name", "report", onPath("/service/", "/tollbit/"), 404],
  [
    "a header that comes twice",
    "batch",
    (request) => ({ ...request, headers: [...request.headers, ...request.headers] }),
    400,
  ],
  ...(["batch", "token", "crawl", "report"] as const).flatMap((kind) => [
    [`a ${kind} body that is not said to be JSON`, kind, without("content-type"), 400] as const,
    [`a ${kind} body that is not JSON`, kind, body(() => "{"), 400] as const,
    [`a ${kind} body that is a list`, kind, body(() => "[]"), 400] as const,
    [
      `a ${kind} body that is not UTF-8`,
      kind,
      (request: ArrivedRequest) => ({ ...request, body: Buffer.of(0xff) }),
      400,
    ] as const,
    [`no ${kind} body`, kind, (request: ArrivedRequest) => ({ ...request, body: null }), 400] as const,
    [`a ${kind} body with the key`, kind, field("note", API_KEY), 400] as const,
  ]),
  ["a batch of no addresses", "batch", field("urls", []), 400],
  ["a batch of something else", "batch", field("urls", [1]), 400],
  ...["url", "userAgent", "maxPriceMicros", "currency", "licenseType", "licenseCuid", "format"].map(
    (name) => [`a content token without ${name}`, "token", field(name, undefined), 400] as const,
  ),
  ["a content token with a cap of half a micro", "token", field("maxPriceMicros", 0.5), 400],
  ["a content token with a cap below nothing", "token", field("maxPriceMicros", -1), 400],
  ["a content token for another format", "token", field("format", "pdf"), 400],
  ["a content token for another agent", "token", field("userAgent", "curl/8"), 401],
  ["a content token for a licence that was never on offer", "token", field("licenseCuid", "lic-9"), 404],
  ["an indexing token without url", "crawl", field("url", undefined), 400],
  ["an indexing token without userAgent", "crawl", field("userAgent", undefined), 400],
  ["a report without the UserAgent header", "report", without("UserAgent"), 401],
  ["a report without an id", "report", field("idempotencyId", ""), 400],
  ["a report without uses", "report", field("usage", []), 400],
  ["a report of no use", "report", field("usage", [useOf(urlOf(1), 0)]), 400],
  ["a report of half a use", "report", field("usage", [useOf(urlOf(1), 0.5)]), 400],
  ["a report of an unknown page", "report", onlyUse({ ...useOf("https://one.example/99") }), 400],
  ["a report of an unknown licence", "report", onlyUse({ ...useOf(urlOf(1)), licenseCuid: "lic-9" }), 400],
  [
    "a report of a custom licence without its id",
    "report",
    onlyUse({ url: urlOf(1), timesUsed: 1, licenseType: "CUSTOM_LICENSE" }),
    400,
  ],
  ["a known report with another body", "report", field("more", true), 409],
];

it.each(cases)("%s is refused and recorded as a protest", async (_name, kind, change, status) => {
  const { gateway, account, byKind } = await recordRequests();
  expect(account.protests).toEqual([]);
  const charges = account.charges.length;
  const reports = account.reports.filter(({ outcome }) => outcome !== "rejected").length;
  const answer = gateway.handle(change(byKind.get(kind) as ArrivedRequest), START_AT + 1);
  expect({ status: answer.status, protests: account.protests.length }).toEqual({ status, protests: 1 });
  expect(answer.body).not.toContain(API_KEY);
  expect(account.charges).toHaveLength(charges);
  expect(account.reports.filter(({ outcome }) => outcome !== "rejected")).toHaveLength(reports);
});

it("keeps every content request and every report, the refused ones too", async () => {
  const { gateway, account, byKind, token } = await recordRequests();
  gateway.handle(header("ServiceKey", API_KEY)(byKind.get("content") as ArrivedRequest), START_AT + 1);
  gateway.handle(body(() => "{")(byKind.get("report") as ArrivedRequest), START_AT + 2);
  expect(account.contentRequests).toMatchObject([
    { token, url: urlOf(1), at: START_AT, status: 200 },
    { token, url: urlOf(1), at: START_AT + 1, status: 400 },
  ]);
  const refused = { idempotencyId: "", body: "{", at: START_AT + 2, outcome: "rejected", uses: [] };
  expect(account.reports[1]).toEqual(refused);
});

it("records no protest for what a correct client may meet: a used token, a removed page, a withdrawn license", async () => {
  const { gateway, account, byKind } = await recordRequests();
  const again = (kind: Kind) => gateway.handle(byKind.get(kind) as ArrivedRequest, START_AT + 1).status;
  expect(again("content")).toBe(401);
  gateway.addPage("one.example", { url: urlOf(1), lastMod: null, rates: [] }, START_AT + 1);
  expect(again("token")).toBe(400);
  gateway.removePage(urlOf(1));
  expect([again("token"), again("crawl"), again("rate"), again("batch")]).toEqual([404, 404, 404, 200]);
  expect(account.protests).toEqual([]);
});

function without(name: string): Change {
  return (request) => {
    const index = request.headers.indexOf(name);
    expect(index).toBeGreaterThanOrEqual(0);
    return { ...request, headers: request.headers.toSpliced(index, 2) };
  };
}

function header(name: string, value: string): Change {
  return (request) => {
    const index = request.headers.indexOf(name);
    const others = index < 0 ? request.headers : request.headers.toSpliced(index, 2);
    return { ...request, headers: [...others, name, value] };
  };
}

function onPath(part: string | RegExp, instead: string): Change {
  return (request) => {
    const hasQuery = instead.startsWith("?") && request.path.includes("?");
    const path = request.path.replace(part, hasQuery ? instead.replace("?", "&") : instead);
    expect(path).not.toBe(request.path);
    return { ...request, path };
  };
}

function body(change: (text: string) => string): Change {
  return (request) => ({ ...request, body: Buffer.from(change(Buffer.from(request.body ?? []).toString())) });
}

function field(name: string, value: unknown): Change {
  return body((text) => JSON.stringify({ ...JSON.parse(text), [name]: value }));
}

function onlyUse(use: object): Change {
  return body(() => JSON.stringify({ idempotencyId: "r-2", usage: [use] }));
}
