/**
 * The highest possible rate: undici sends the same two requests a page (token and content) over as many connections, and stores
 * nothing. It has no policy, no budget and no ledger. With `stores` it writes the rows of a bought page (plain-rows.mjs), for `pagesUnderWay` at once.
 */
import { Pool } from "undici";

const { url, host, concurrency, stores = false, pagesUnderWay = concurrency } = JSON.parse(process.argv[2]);
const pool = new Pool(url, { connections: concurrency, pipelining: 1 });
const agent = "licet-demo/1.0";

async function call(method, path, headers, body) {
  const answer = await pool.request({
    method,
    path,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) {
    throw new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 200)}`);
  }
  return JSON.parse(text);
}

async function readCatalog() {
  const urls = [];
  let pageToken = "";
  do {
    const query = `?pageSize=1000${pageToken === "" ? "" : `&pageToken=${encodeURIComponent(pageToken)}`}`;
    const page = await call("GET", `/dev/v2/content/${encodeURIComponent(host)}/catalog/list${query}`, {
      servicekey: "sandbox-key",
    });
    urls.push(...page.pages.map((entry) => entry.pageUrl));
    pageToken = page.pageToken ?? "";
  } while (pageToken !== "");
  return urls;
}

const urls = await readCatalog();
const rows = stores ? (await import("./plain-rows.mjs")).openPlainRows() : null;
const started = performance.now();
await rows?.add(urls);
let next = 0;
async function work() {
  while (next < urls.length) {
    const id = next++;
    const pageUrl = urls[id];
    const { token } = await call(
      "POST",
      "/dev/v2/tokens/content",
      { servicekey: "sandbox-key", "content-type": "application/json" },
      {
        url: pageUrl,
        userAgent: agent,
        maxPriceMicros: 1000,
        currency: "USD",
        licenseType: "ON_DEMAND_LICENSE",
        format: "markdown",
      },
    );
    await rows?.start(id, token);
    const { content } = await call("GET", `/dev/v2/content/${encodeURIComponent(pageUrl)}`, {
      servicetoken: token,
      "user-agent": agent,
      "service-accept-content": "text/markdown",
    });
    await rows?.settle(id, content.body);
  }
}
await Promise.all(Array.from({ length: pagesUnderWay }, work));
const seconds = (performance.now() - started) / 1000;
rows?.close();
await pool.close();
process.stdout.write(`${JSON.stringify({ pages: urls.length, seconds, pagesPerSecond: urls.length / seconds })}\n`);
