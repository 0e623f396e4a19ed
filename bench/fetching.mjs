/**
 * How long one page takes at question time: the bare requests to the gateway (rates, token, content), `agent.fetch` of a page that is bought, and
 * `agent.fetch` of a page that is held. In turns, one call after the other, so that only the ratios within one run count.
 *
 *   npm run build && node bench/fetching.mjs [--pages 200] [--latency 0,50]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Pool } from "undici";
import { createAgent } from "../lib/index.js";
import { GATEWAY_CORE, startService } from "./processes.mjs";

const HOST = "bench.example";
const BODY_BYTES = 6000;
const USER_AGENT = "licet-demo/1.0";
const LICENSE = "ON_DEMAND_LICENSE";
const JSON_BODY = { servicekey: "sandbox-key", "content-type": "application/json" };
/** Calls before the measured ones, until V8 has compiled the code. */
const WARM_UP = 50;

const { values } = parseArgs({
  options: { pages: { type: "string", default: "200" }, latency: { type: "string", default: "0,50" } },
});
const pages = Number(values.pages);
for (const latency of values.latency.split(",")) {
  await measure(Number(latency));
}

async function measure(latencyMs) {
  const total = 2 * (pages + WARM_UP);
  const gateway = await startService(GATEWAY_CORE, "gateway-process.mjs", {
    pages: total,
    bodyBytes: BODY_BYTES,
    latencyMs,
  });
  const directory = mkdtempSync(join(tmpdir(), "licet-fetching-"));
  const pool = new Pool(gateway.ready.url, { connections: 1, pipelining: 1 });
  const agent = createAgent({
    gateway: {
      ...{ baseUrl: gateway.ready.url, apiKey: "sandbox-key", agentId: "licet-demo", requestsPerSecond: null },
    },
    ledger: { path: join(directory, "licet.sqlite") },
    budgets: [{ scope: "all", per: "month", limit: "1000 USD" }],
    policies: { standard: { rules: [{ allow: { license: LICENSE } }] } },
    sites: [{ host: HOST, policy: "standard" }],
  });
  const times = { bare: [], bought: [], held: [] };
  try {
    for (let turn = 0; turn < pages + WARM_UP; turn++) {
      const took = {
        bare: await timeOf(() => buyBare(pool, urlOf(2 * turn))),
        bought: await timeOf(() => fetchPage(agent, urlOf(2 * turn + 1), "bought")),
        held: await timeOf(() => fetchPage(agent, urlOf(2 * turn + 1), "stored")),
      };
      for (const [name, ms] of Object.entries(turn < WARM_UP ? {} : took)) {
        times[name].push(ms);
      }
    }
  } finally {
    await agent.close();
    await pool.close();
    await gateway.stop();
    rmSync(directory, { recursive: true, force: true });
  }
  const bare = medianOf(times.bare);
  for (const [name, all] of Object.entries(times)) {
    const ms = medianOf(all);
    console.log(
      `latency ${latencyMs} ms  ${name.padEnd(6)}  median ${ms.toFixed(2)} ms  ${(ms / bare).toFixed(3)} of bare`,
    );
  }
}

function urlOf(number) {
  return `https://${HOST}/articles/${String(number).padStart(7, "0")}`;
}

async function timeOf(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function medianOf(all) {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)];
}

async function fetchPage(agent, url, outcome) {
  const { results } = await agent.fetch([url]);
  if (results[0].outcome !== outcome) {
    throw new Error(`${url}: ${results[0].outcome}, not ${outcome}: ${results[0].detail}`);
  }
}

async function buyBare(pool, url) {
  await call(pool, "POST", "/dev/v2/rates/batch", JSON_BODY, { urls: [url] });
  const { token } = await call(pool, "POST", "/dev/v2/tokens/content", JSON_BODY, {
    ...{ url, userAgent: USER_AGENT, licenseType: LICENSE, format: "markdown" },
    ...{ maxPriceMicros: 1000, currency: "USD" },
  });
  await call(pool, "GET", `/dev/v2/content/${encodeURIComponent(url)}`, {
    ...{ servicetoken: token, "user-agent": USER_AGENT, "service-accept-content": "text/markdown" },
  });
}

async function call(pool, method, path, headers, body) {
  const answer = await pool.request({ method, path, headers, body: body === undefined ? null : JSON.stringify(body) });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) {
    throw new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 200)}`);
  }
  return JSON.parse(text);
}
