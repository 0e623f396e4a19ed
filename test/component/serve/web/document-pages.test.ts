/** The pages of documents over HTTP: hostile titles, addresses and texts stay text, and the text of a document can do nothing. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { ONE_PRICE } from "../../../doubles/cli-world.ts";
import { createServiceWorld, type ServiceWorld } from "../../../doubles/service-world.ts";
import { createWebClient } from "../../../doubles/web-client.ts";

const MARKUP = "<script>alert(1)</script><img src=x onerror=alert(2)>";
const TITLES = [MARKUP, '"><svg onload=alert(3)>', "bell\u0007 \u202Efdp.exe\u202C", "long".repeat(2_500), "plain"];
const PATHS = ["/<script>alert(5)</script>", '/a"onmouseover=alert(6)', "/javascript:alert(7)", "/long", "/plain"];

let world: ServiceWorld;
const { read: look } = createWebClient(() => world);

beforeAll(async () => {
  world = await createServiceWorld({
    sandbox: {
      sites: [
        {
          kind: "pages",
          host: "news.example",
          pages: PATHS.map((url, index) => ({
            url,
            title: TITLES[index] ?? "",
            markdown: `# ${MARKUP}\n\n[a link](javascript:alert(8)) ${"word".repeat(2_500)}\n\nsecond \u0007 paragraph`,
          })),
        },
      ],
      rates: ONE_PRICE,
    },
    config: {
      serve: { port: 0 },
      budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
      sites: [{ host: "news.example", policy: "standard" }],
    },
  });
});

afterAll(() => world.close());

it("says what to do first, and then finds documents", async () => {
  expect(await look("/documents")).toContain("No document is stored yet. <code>licet run</code>");
  await (await world.openAgent()).run();
  const text = await look("/documents");
  expect(text.match(/<a href="\/documents\/\d+">/g)).toHaveLength(PATHS.length);
  expect(await look("/documents?title=PLAIN")).toContain("news.example/plain");
  expect(await look("/documents?title=nowhere")).toContain("No document matches.");
  expect(await look("/documents?limit=2")).toContain('rel="next"');
});

it("shows hostile titles and addresses as text, in the list and on the page of each", async () => {
  const list = await look("/documents");
  const ids = [...list.matchAll(/href="\/documents\/(\d+)"/g)].map(([, id]) => id);
  for (const path of ["/documents", "/denials", "/sites/news.example", ...ids.map((id) => `/documents/${id}`)]) {
    const text = await look(path);
    expect(text).not.toMatch(/<script>alert|<img src=x|<svg onload|href="javascript:|onmouseover=alert\(6\)"/);
    expect(text).not.toContain("\u0007");
    expect(text).not.toContain("\u202E");
  }
  expect(list).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
});

it("shows one document with its evidence, and its text in a frame that may do nothing", async () => {
  const [, id] = /href="\/documents\/(\d+)"/.exec(await look("/documents")) ?? [];
  const page = await world.call("GET", `/documents/${id}`, { headers: { accept: "text/html" } });
  expect(page.text).toContain(
    `<iframe class="preview" sandbox="" title="Text of the document" src="/documents/${id}/text">`,
  );
  expect(page.headers["content-security-policy"]).toContain("frame-src 'self'");
  expect(page.text).toContain(`licet documents ${id} --json`);
  expect(page.text).toMatch(/<data class="amount" value="10000" data-currency="USD">0\.01 USD<\/data>/);
  const text = await world.call("GET", `/documents/${id}/text`);
  expect(text.headers).toMatchObject({
    "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'self'",
    "x-frame-options": "SAMEORIGIN",
    "cache-control": "no-store",
  });
  expect(text.text).not.toMatch(/<script|<img|<a /);
  expect(text.text).not.toContain("\u0007");
  expect(text.text).toContain("second");
  for (const missing of ["/documents/999999", "/documents/999999/text"]) {
    expect((await world.call("GET", missing, { headers: { accept: "text/html" } })).status).toBe(404);
  }
  expect((await world.call("GET", "/documents/x")).status).toBe(400);
});
