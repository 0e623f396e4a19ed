/** A key that looks like no other text is planted in the environment; afterwards every byte that licet wrote is searched for it. */

import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CliEnd, cliHere } from "../doubles/cli-here.ts";
import { startCli } from "../doubles/cli-process.ts";
import { type EndpointName, HANG_UP, honestRate, LICENSE, RawAnswer, SILENCE } from "./hostile-gateway.ts";
import { API_KEY, createHostileWorld, type HostileWorld, pageUrls } from "./hostile-world.ts";

const WEBHOOK_SECRET = "canary-hook-93ae77d1c04b";
const ENV = { LICET_API_KEY: API_KEY, LICET_WEBHOOK_SECRET: WEBHOOK_SECRET };
const PAGES = pageUrls(6);
const WEBHOOKS = [
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the configuration's own way to name the environment
  { id: "main", path: "/hooks", url: "https://agent.example/hooks", secret: "${LICET_WEBHOOK_SECRET}" },
];

let world: HostileWorld;
const ends: CliEnd[] = [];
beforeEach(async () => {
  ends.length = 0;
  world = await createHostileWorld({
    pages: PAGES,
    env: ENV,
    config: { webhooks: WEBHOOKS },
    gateway: { timeoutMs: 300 },
  });
});
afterEach(() => world.close());

async function licet(...args: string[]): Promise<void> {
  ends.push(await cliHere(args, { cwd: world.directory, env: ENV }));
}

/** As an attacker would search: any spelling that gives the secret away, in any file and in all that was printed. */
async function findLeaks(secrets: readonly string[]): Promise<string[]> {
  const needles = secrets.flatMap((secret) => [
    secret,
    secret.toUpperCase(),
    Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  ]);
  const files = (await readdir(world.directory, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const texts = await Promise.all(
    files.map(async ({ parentPath, name }) => ({ name, bytes: await readFile(join(parentPath, name)) })),
  );
  const printed = ends.map(({ stdout, stderr }, index) => ({
    name: `output ${index}`,
    bytes: Buffer.from(stdout + stderr),
  }));
  expect(texts.length).toBeGreaterThan(1);
  return [...texts, ...printed].flatMap(({ name, bytes }) =>
    needles.filter((needle) => bytes.includes(needle)).map((needle) => `${name}: ${needle}`),
  );
}

const EVERYTHING: readonly EndpointName[] = ["catalog", "rates", "rate", "token", "content", "report", "history"];

/** Answers that echo the key, each for all endpoints that are sent it. */
const ECHOES: readonly (readonly [name: string, answer: unknown])[] = [
  ...[400, 401, 403, 404, 422, 500, 503].map(
    (status) =>
      [
        `${status} as JSON`,
        new RawAnswer(
          status,
          JSON.stringify({
            title: API_KEY,
            detail: `key ${API_KEY} is unknown`,
            code: API_KEY,
            requestId: `r-${API_KEY}`,
          }),
          {
            "x-request-id": API_KEY,
            "www-authenticate": API_KEY,
          },
        ),
      ] as const,
  ),
  ["401 as a page", new RawAnswer(401, `<html><title>ServiceKey: ${API_KEY}</title></html>`)],
  ["401 as a text that is cut", new RawAnswer(401, `${" ".repeat(8192 - 20)}${API_KEY}`)],
  ["401 as a long text", new RawAnswer(401, `${"<br>".repeat(2_000)}${"x".repeat(285)}${API_KEY}`)],
  ["401 with the key in pieces", new RawAnswer(401, API_KEY.split("").join("\u200b"))],
  ["401 with the key encoded", new RawAnswer(401, JSON.stringify({ detail: `/?key=${encodeURIComponent(API_KEY)}` }))],
  [
    "a redirect to a host of that name",
    new RawAnswer(302, "", { location: `https://${API_KEY}.evil.example/?${API_KEY}` }),
  ],
  ["a success of another shape", new RawAnswer(200, JSON.stringify({ error: API_KEY }))],
  ["a success that is not JSON", new RawAnswer(200, API_KEY)],
];

describe("the API key is in no log, error, file or ledger", () => {
  test.each(ECHOES)("when a gateway repeats it in %s", async (_, answer) => {
    await world.run();
    for (const name of EVERYTHING) {
      world.gateway.twists[name] = name === "content" ? (honest) => honest : () => answer;
    }
    await world.use([{ url: PAGES[0] ?? "" }]);
    await world.run();
    await world.report();
    await licet("status");
    await licet("history");
    await licet("explain", PAGES[0] ?? "", "--json");
    await licet("audit", "--json");
    expect(await findLeaks([API_KEY, WEBHOOK_SECRET])).toEqual([]);
  });

  test("when a gateway repeats it in answers that are used", async () => {
    world.gateway.twists.catalog = (honest) => ({
      pages: [
        ...(honest as { pages: object[] }).pages.map((page) => ({ ...page, lastMod: API_KEY, propertyId: API_KEY })),
        { pageUrl: `https://evil.example/?key=${API_KEY}` },
        { pageUrl: `https://news.example/?key=${API_KEY}` },
      ],
    });
    world.gateway.twists.rates = (_, { json }) =>
      (json as { urls: string[] }).urls.map((url, index) => ({
        url,
        rates: [
          {
            ...honestRate(),
            license: { ...LICENSE, licensePath: `https://l.example/${API_KEY}`, permissions: [{ name: API_KEY }] },
          },
          ...(index % 2 === 0 ? [{ error: `no rate for ${API_KEY}` }] : []),
        ],
      }));
    world.gateway.twists.report = (honest) =>
      (honest as object[]).map((receipt) => ({ ...receipt, url: `https://x.example/${API_KEY}` }));
    world.gateway.twists.history = () => ({ Items: [{ deliveryUrl: `https://x.example/${API_KEY}` }] });
    await world.run();
    for (const command of [
      ["status"],
      ["history"],
      ["explain", PAGES[0] ?? ""],
      ["export", "--format", "jsonl", "--out", "out"],
    ]) {
      await licet(...command);
      await licet(...command, "--json");
    }
    expect(world.gateway.charges.length).toBeGreaterThanOrEqual(PAGES.length);
    expect(await findLeaks([API_KEY, WEBHOOK_SECRET])).toEqual([]);
  });

  test.each([
    ["hangs up", HANG_UP],
    ["is silent", SILENCE],
  ])("when a gateway %s", async (_, answer) => {
    for (const name of EVERYTHING) {
      world.gateway.twists[name] = () => answer;
    }
    await world.run();
    await licet("history", "--json");
    expect(ends.every(({ code }) => code !== 0)).toBe(true);
    expect(await findLeaks([API_KEY, WEBHOOK_SECRET])).toEqual([]);
  });

  test("when every part of its configuration is wrong, and when it throws the environment", async () => {
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the configuration's own way to name the environment
    for (const [name, text] of [
      [
        "bad.yaml",
        "gateway: {baseUrl: '${LICET_API_KEY}', apiKey: '${LICET_API_KEY} ', agentId: '${LICET_WEBHOOK_SECRET}\\n', service: '${LICET_API_KEY}'}",
      ],
      [
        "bad.json",
        '{"gateway": {"apiKey": "${LICET_API_KEY}", "baseUrl": "http://${LICET_API_KEY}@x/"}, "queue": {"url": "${LICET_API_KEY}"}}',
      ],
      ["bad.mjs", `throw new Error("no such key: ${API_KEY}")`],
      [
        "bad.ts",
        `export default { gateway: "${API_KEY}" as string, ...((): never => { throw new TypeError("x".repeat(490) + "${API_KEY}"); })() }`,
      ],
    ] as const) {
      // biome-ignore-end lint/suspicious/noTemplateCurlyInString: it ends here
      await world.write(name, text);
      await licet("status", "--config", name);
      await licet("status", "--config", name, "--json");
      await world.write(name, "");
    }
    expect(ends.map(({ code }) => code)).toEqual(ends.map(() => 2));
    expect(await findLeaks([API_KEY, WEBHOOK_SECRET])).toEqual([]);
  });
});

test("the API key goes only to the gateway, and never with a content request: a redirect is not followed", async () => {
  const heard: string[] = [];
  const elsewhere = createServer((request, response) => {
    heard.push(JSON.stringify(request.headers));
    response.end("{}");
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
  const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
  try {
    for (const status of [301, 302, 303, 307, 308]) {
      for (const name of EVERYTHING) {
        const sentKey: unknown[] = [];
        for (const other of EVERYTHING) {
          world.gateway.twists[other] = (honest, { headers }) => {
            if (other === "content") {
              sentKey.push(headers.servicekey);
            }
            return other === name ? new RawAnswer(status, "", { location, refresh: `0; url=${location}` }) : honest;
          };
        }
        if (status === 307) {
          await world.run();
        }
        await licet("history");
        expect(sentKey.filter((key) => key !== undefined)).toEqual([]);
      }
    }
    expect(heard).toEqual([]);
    expect(world.gateway.asked.content).toBeGreaterThan(0);
  } finally {
    elsewhere.close();
  }
});

describe("--debug logs every request", () => {
  test.each([
    ["as text", []],
    ["as JSON", ["--json"]],
  ])("%s, without key, tokens and webhook secret", async (_, options) => {
    let failures = 0;
    world.gateway.twists.catalog = (honest) =>
      failures++ === 0 ? new RawAnswer(500, API_KEY, { "x-request-id": API_KEY }) : honest;
    world.gateway.twists.content = (honest, { headers, page }) =>
      page === PAGES[1] ? new RawAnswer(404, JSON.stringify({ detail: headers.servicetoken })) : honest;
    world.gateway.twists.report = () => new RawAnswer(401, API_KEY);
    for (const command of [["run"], ["explain", PAGES[0] ?? ""], ["history"], ["report"], ["check"]]) {
      await licet(...command, "--debug", ...options);
    }
    const logged = ends.map(({ stderr }) => stderr).join("");
    for (const part of ["/catalog/list", "/rates/", "/tokens/content", "/dev/v2/content/", "/selfReport", "/history"]) {
      expect(logged).toContain(part);
    }
    expect(logged).toMatch(options.length === 0 ? /^licet: GET http:\S+ 500 in \d+ ms \(catalog\)$/m : /"status":500,/);
    expect(await findLeaks([API_KEY, WEBHOOK_SECRET, ...world.gateway.tokens])).toEqual([]);
  });
});

describe("one-time tokens", () => {
  test("are in no file and no output once the run has ended", async () => {
    world.gateway.twists.content = (honest, { headers, page }) =>
      page === PAGES[1]
        ? new RawAnswer(404, JSON.stringify({ detail: `no page for ${String(headers.servicetoken)}` }))
        : page === PAGES[2]
          ? new RawAnswer(
              500,
              JSON.stringify({ detail: String(headers.servicetoken), requestId: headers.servicetoken }),
            )
          : honest;
    await world.run();
    for (const command of [["status"], ["explain", PAGES[1] ?? ""], ["explain", PAGES[2] ?? ""]]) {
      await licet(...command, "--json");
    }
    await world.closeLedger();
    expect(world.gateway.tokens.length).toBeGreaterThanOrEqual(PAGES.length);
    expect(await findLeaks(world.gateway.tokens)).toEqual([]);
  });
});

test("a real process that is killed with the key in its environment writes the key to no file and no output", async () => {
  world.gateway.twists.content = () => SILENCE;
  const running = startCli(["run", "--json"], { cwd: world.directory, env: ENV });
  await world.gateway.whenAsked("content", 1);
  running.child.kill("SIGKILL");
  const { stdout, stderr } = await running.result;
  ends.push({ code: 137, stdout, stderr });
  expect(world.query("SELECT count(*) AS count FROM purchase WHERE state = 'started'")).not.toEqual([{ count: 0 }]);
  expect(await findLeaks([API_KEY, WEBHOOK_SECRET])).toEqual([]);
});
