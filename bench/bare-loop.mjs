/**
 * The highest possible rate: undici sends the same two requests a page (token and content) over as many connections, and stores
 * nothing. It has no policy, no budget and no ledger. With `stores` it writes the rows of a bought page (plain-rows.mjs), for `pagesUnderWay` at once.
 * Of one host, what is measured begins behind its catalog; of several, their catalogs and rates are measured too.
 */
import { Pool } from "undici";

const { url, hosts, concurrency, stores = false, pagesUnderWay = concurrency } = JSON.parse(process.argv[2]);
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

async function readCatalog(host) {
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

const post = (path, body) =>
  call("POST", path, { servicekey: "sandbox-key", "content-type": "application/json" }, body);

async function buy(pageUrl, { onToken, onContent } = {}) {
  const { token } = await post("/dev/v2/tokens/content", {
    url: pageUrl,
    userAgent: agent,
    maxPriceMicros: 1000,
    currency: "USD",
    licenseType: "ON_DEMAND_LICENSE",
    format: "markdown",
  });
  await onToken?.(token);
  const { content } = await call("GET", `/dev/v2/content/${encodeURIComponent(pageUrl)}`, {
    servicetoken: token,
    "user-agent": agent,
    "service-accept-content": "text/markdown",
  });
  await onContent?.(content.body);
}

async function buyOneSite([host]) {
  const urls = await readCatalog(host);
  const rows = stores ? (await import("./plain-rows.mjs")).openPlainRows() : null;
  const started = performance.now();
  await rows?.add(urls);
  let next = 0;
  const work = async () => {
    while (next < urls.length) {
      const id = next++;
      await buy(urls[id], {
        onToken: (token) => rows?.start(id, token),
        onContent: (body) => rows?.settle(id, body),
      });
    }
  };
  await Promise.all(Array.from({ length: pagesUnderWay }, work));
  rows?.close();
  return { pages: urls.length, started };
}

async function buyManySites(hosts) {
  const started = performance.now();
  const counts = await Promise.all(
    hosts.map(async (host) => {
      const urls = await readCatalog(host);
      await post("/dev/v2/rates/batch", { urls });
      await Promise.all(urls.map((pageUrl) => buy(pageUrl)));
      return urls.length;
    }),
  );
  return { pages: counts.reduce((sum, count) => sum + count, 0), started };
}

const { pages, started } = await (hosts.length === 1 ? buyOneSite : buyManySites)(hosts);
const seconds = (performance.now() - started) / 1000;
await pool.close();
process.stdout.write(`${JSON.stringify({ pages, seconds, pagesPerSecond: pages / seconds })}\n`);
