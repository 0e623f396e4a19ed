/** A key that looks like no other text is planted in the environment; afterwards every byte that licet wrote is searched for it. */

import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
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

/** A gateway, a directory, and the ends of the commands that ran there: one for each test, since the tests run side by side. */
interface Place extends HostileWorld {
  readonly printed: CliEnd[];
  licet(...args: string[]): Promise<void>;
}

async function inPlace(work: (place: Place) => Promise<void>): Promise<void> {
  const world = await createHostileWorld({
    pages: PAGES,
    env: ENV,
    config: { webhooks: WEBHOOKS },
    gateway: { timeoutMs: 300 },
  });
  const printed: CliEnd[] = [];
  const licet = async (...args: string[]) => {
    printed.push(await cliHere(args, { cwd: world.directory, env: ENV }));
  };
  try {
    await work({ ...world, printed, licet });
  } finally {
    await world.close();
  }
}

/** As an attacker would search: any spelling that gives the secret away, in any file and in all that was printed. */
async function findLeaks({ directory, printed }: Place, secrets: readonly string[]): Promise<string[]> {
  const needles = secrets.flatMap((secret) => [
    secret,
    secret.toUpperCase(),
    Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  ]);
  const files = (await readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const texts = await Promise.all(
    files.map(async ({ parentPath, name }) => ({ name, bytes: await readFile(join(parentPath, name)) })),
  );
  const outputs = printed.map(({ stdout, stderr }, index) => ({
    name: `output ${index}`,
    bytes: Buffer.from(stdout + stderr),
  }));
  expect(texts.length).toBeGreaterThan(1);
  return [...texts, ...outputs].flatMap(({ name, bytes }) =>
    needles.filter((needle) => bytes.includes(needle)).map((needle) => `${name}: ${needle}`),
  );
}

const EVERYTHING: readonly EndpointName[] = ["catalog", "rates", "rate", "token", "content", "report", "history"];

/** Answers that echo the key, each for all endpoints that are sent it. */
const ECHOES: readonly (readonly [name: string, answer: unknown])[] = [
  ...[500, 503, 400, 401, 403, 404, 422].map(
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
  // First, because they wait longest.
  test.concurrent.each([
    ["is silent", SILENCE],
    ["hangs up", HANG_UP],
  ])("when a gateway %s", (_, answer) =>
    inPlace(async (place) => {
      for (const name of EVERYTHING) {
        place.gateway.twists[name] = () => answer;
      }
      await place.run();
      await place.licet("history", "--json");
      expect(place.printed.every(({ code }) => code !== 0)).toBe(true);
      expect(await findLeaks(place, [API_KEY, WEBHOOK_SECRET])).toEqual([]);
    }),
  );

  test.concurrent.each(ECHOES)("when a gateway repeats it in %s", (_, answer) =>
    inPlace(async (place) => {
      await place.run();
      for (const name of EVERYTHING) {
        place.gateway.twists[name] = name === "content" ? (honest) => honest : () => answer;
      }
      await place.use([{ url: PAGES[0] ?? "" }]);
      await place.run();
      await place.report();
      await place.licet("status");
      await place.licet("history");
      await place.licet("explain", PAGES[0] ?? "", "--json");
      await place.licet("audit", "--json");
      expect(await findLeaks(place, [API_KEY, WEBHOOK_SECRET])).toEqual([]);
    }),
  );

  test.concurrent("when a gateway repeats it in answers that are used", () =>
    inPlace(async (place) => {
      place.gateway.twists.catalog = (honest) => ({
        pages: [
          ...(honest as { pages: object[] }).pages.map((page) => ({ ...page, lastMod: API_KEY, propertyId: API_KEY })),
          { pageUrl: `https://evil.example/?key=${API_KEY}` },
          { pageUrl: `https://news.example/?key=${API_KEY}` },
        ],
      });
      place.gateway.twists.rates = (_, { json }) =>
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
      place.gateway.twists.report = (honest) =>
        (honest as object[]).map((receipt) => ({ ...receipt, url: `https://x.example/${API_KEY}` }));
      place.gateway.twists.history = () => ({ Items: [{ deliveryUrl: `https://x.example/${API_KEY}` }] });
      await place.run();
      for (const command of [
        ["status"],
        ["history"],
        ["explain", PAGES[0] ?? ""],
        ["export", "--format", "jsonl", "--out", "out"],
      ]) {
        await place.licet(...command);
        await place.licet(...command, "--json");
      }
      expect(place.gateway.charges.length).toBeGreaterThanOrEqual(PAGES.length);
      expect(await findLeaks(place, [API_KEY, WEBHOOK_SECRET])).toEqual([]);
    }));

  test.concurrent("when every part of its configuration is wrong, and when it throws the environment", () =>
    inPlace(async (place) => {
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
        await place.write(name, text);
        await place.licet("status", "--config", name);
        await place.licet("status", "--config", name, "--json");
        await place.write(name, "");
      }
      expect(place.printed.map(({ code }) => code)).toEqual(place.printed.map(() => 2));
      expect(await findLeaks(place, [API_KEY, WEBHOOK_SECRET])).toEqual([]);
    }));
});

test.concurrent("the API key goes only to the gateway, and never with a content request: a redirect is not followed", () =>
  inPlace(async (place) => {
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
            place.gateway.twists[other] = (honest, { headers }) => {
              if (other === "content") {
                sentKey.push(headers.servicekey);
              }
              return other === name ? new RawAnswer(status, "", { location, refresh: `0; url=${location}` }) : honest;
            };
          }
          if (status === 307) {
            await place.run();
          }
          await place.licet("history");
          expect(sentKey.filter((key) => key !== undefined)).toEqual([]);
        }
      }
      expect(heard).toEqual([]);
      expect(place.gateway.asked.content).toBeGreaterThan(0);
    } finally {
      elsewhere.close();
    }
  }));

describe("--debug logs every request", () => {
  test.concurrent.each([
    ["as text", []],
    ["as JSON", ["--json"]],
  ])("%s, without key, tokens and webhook secret", (_, options) =>
    inPlace(async (place) => {
      let failures = 0;
      place.gateway.twists.catalog = (honest) =>
        failures++ === 0 ? new RawAnswer(500, API_KEY, { "x-request-id": API_KEY }) : honest;
      place.gateway.twists.content = (honest, { headers, page }) =>
        page === PAGES[1] ? new RawAnswer(404, JSON.stringify({ detail: headers.servicetoken })) : honest;
      place.gateway.twists.report = () => new RawAnswer(401, API_KEY);
      for (const command of [["run"], ["explain", PAGES[0] ?? ""], ["history"], ["report"], ["check"]]) {
        await place.licet(...command, "--debug", ...options);
      }
      const logged = place.printed.map(({ stderr }) => stderr).join("");
      for (const part of [
        "/catalog/list",
        "/rates/",
        "/tokens/content",
        "/dev/v2/content/",
        "/selfReport",
        "/history",
      ]) {
        expect(logged).toContain(part);
      }
      expect(logged).toMatch(
        options.length === 0 ? /^licet: GET http:\S+ 500 in \d+ ms \(catalog\)$/m : /"status":500,/,
      );
      expect(await findLeaks(place, [API_KEY, WEBHOOK_SECRET, ...place.gateway.tokens])).toEqual([]);
    }),
  );
});

describe("one-time tokens", () => {
  test.concurrent("are in no file and no output once the run has ended", () =>
    inPlace(async (place) => {
      place.gateway.twists.content = (honest, { headers, page }) =>
        page === PAGES[1]
          ? new RawAnswer(404, JSON.stringify({ detail: `no page for ${String(headers.servicetoken)}` }))
          : page === PAGES[2]
            ? new RawAnswer(
                500,
                JSON.stringify({ detail: String(headers.servicetoken), requestId: headers.servicetoken }),
              )
            : honest;
      await place.run();
      for (const command of [["status"], ["explain", PAGES[1] ?? ""], ["explain", PAGES[2] ?? ""]]) {
        await place.licet(...command, "--json");
      }
      await place.closeLedger();
      expect(place.gateway.tokens.length).toBeGreaterThanOrEqual(PAGES.length);
      expect(await findLeaks(place, place.gateway.tokens)).toEqual([]);
    }));
});

test.concurrent("a real process that is killed with the key in its environment writes the key to no file and no output", () =>
  inPlace(async (place) => {
    place.gateway.twists.content = () => SILENCE;
    const running = startCli(["run", "--json"], { cwd: place.directory, env: ENV });
    await place.gateway.whenAsked("content", 1);
    running.child.kill("SIGKILL");
    const { stdout, stderr } = await running.result;
    place.printed.push({ code: 137, stdout, stderr });
    expect(place.query("SELECT count(*) AS count FROM purchase WHERE state = 'started'")).not.toEqual([{ count: 0 }]);
    expect(await findLeaks(place, [API_KEY, WEBHOOK_SECRET])).toEqual([]);
  }));
