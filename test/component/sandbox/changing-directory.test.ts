/** A site whose files change while the sandbox runs. */
import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/sandbox/sandbox.ts";
import { call, KEY } from "./gateway-caller.ts";

const DAY_MS = 86_400_000;
const LAST_MOD = "2026-01-05T00:00:00.000Z";

let dir: string;
let gateway: Sandbox;
let receiver: Server;
let notified: string[];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "licet-changing-"));
  await write("one.md", "# One", new Date(LAST_MOD));
  await write("two.html", "<h1>Two</h1><p>Text.</p>", new Date("2026-01-04"));
  notified = [];
  receiver = createServer((message, response) => {
    message.setEncoding("utf8").on("data", (text: string) => {
      const { contentUrl, notificationType } = JSON.parse(text);
      notified.push(`${notificationType} ${contentUrl}`);
    });
    message.on("end", () => response.end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  gateway = await startSandbox({
    sites: [{ host: "n.example", kind: "directory", dir }],
    rates: { default: [{ license: "ON_DEMAND_LICENSE", price: 0.01 }] },
    webhooks: [{ id: "main", url, secret: "s" }],
  });
});
afterEach(async () => {
  await gateway.close();
  await new Promise((resolve) => receiver.close(resolve));
  await rm(dir, { recursive: true, force: true });
});

async function write(name: string, text: string, modifiedAt?: Date): Promise<void> {
  const path = join(dir, name);
  await writeFile(path, text);
  if (modifiedAt !== undefined) {
    await utimes(path, modifiedAt, modifiedAt);
  }
}

const catalog = async (): Promise<Record<string, string>> => {
  const { json } = await call(gateway, "GET", "/dev/v2/content/n.example/catalog/list", KEY);
  return Object.fromEntries(
    json.pages.map(({ pageUrl, lastMod }: Record<string, string>) => [
      pageUrl?.replace("https://n.example", ""),
      lastMod,
    ]),
  );
};
const rates = (path: string) =>
  call(gateway, "GET", `/dev/v2/rates/${encodeURIComponent(`https://n.example${path}`)}`, KEY);

async function readContent(path: string): Promise<string> {
  const url = `https://n.example${path}`;
  const order = {
    url,
    userAgent: "licet-demo",
    maxPriceMicros: 10_000,
    currency: "USD",
    licenseType: "ON_DEMAND_LICENSE",
  };
  const headers = { ...KEY, "Content-Type": "application/json" };
  const { json } = await call(gateway, "POST", "/dev/v2/tokens/content", headers, JSON.stringify(order));
  const content = await call(gateway, "GET", `/dev/v2/content/${encodeURIComponent(url)}`, {
    ServiceToken: json.token,
    "User-Agent": "licet-demo",
  });
  return content.json.content.body;
}

describe("a file that changes", () => {
  test("moves the page's lastMod, changes its content, and notifies the subscribers", async () => {
    expect(await catalog()).toMatchObject({ "/one": LAST_MOD });
    expect(await readContent("/one")).toBe("# One");
    await write("one.md", "# One, corrected", new Date("2026-01-06"));
    expect(await readContent("/one")).toBe("# One, corrected");
    expect(await catalog()).toMatchObject({ "/one": "2026-01-06T00:00:00.000Z" });
    await gateway.webhooksSettled();
    expect(notified).toEqual(["UPDATED https://n.example/one"]);
  });

  test("moves the lastMod on even if an older file replaced it", async () => {
    await write("one.md", "# An old version", new Date("2025-01-01"));
    const lastMod = (await catalog())["/one"] ?? "";
    expect(Date.parse(lastMod)).toBeGreaterThan(Date.parse(LAST_MOD));
    expect((await catalog())["/one"]).toBe(lastMod);
  });

  test("has the date of a moved clock, and the files that did not change keep theirs", async () => {
    gateway.moveClock(DAY_MS);
    await write("one.md", "# One, tomorrow", new Date("2026-01-06"));
    expect(await catalog()).toEqual({ "/one": "2026-01-07T00:00:00.000Z", "/two": "2026-01-04T00:00:00.000Z" });
  });
});

describe("a new file", () => {
  test("is in the catalog, and its page is announced", async () => {
    await mkdir(join(dir, "news"));
    await write("news/three.md", "# Three");
    expect(Object.keys(await catalog())).toContain("/news/three");
    await gateway.webhooksSettled();
    expect(notified).toEqual(["CREATED https://n.example/news/three"]);
  });

  test("is a page before the catalog was read again", async () => {
    await write("three.md", "# Three");
    expect((await rates("/three")).status).toBe(200);
  });
});

describe("a file that is removed", () => {
  test("leaves the catalog, and its page is unknown", async () => {
    await rm(join(dir, "one.md"));
    expect((await rates("/one")).status).toBe(404);
    expect(Object.keys(await catalog())).toEqual(["/two"]);
  });

  test("with its directory, leaves a site without pages until there are new ones", async () => {
    await rename(dir, `${dir}-away`);
    expect(await catalog()).toEqual({});
    await rename(`${dir}-away`, dir);
    expect(Object.keys(await catalog())).toEqual(["/one", "/two"]);
  });

  test("leaves its page to another file of the same address", async () => {
    await write("one.html", "<h1>HTML</h1><p>The other file of the page.</p>");
    await rm(join(dir, "one.md"));
    expect(await readContent("/one")).toContain("The other file");
  });
});

test("a page that was given or removed at run time stays so until its file changes", async () => {
  gateway.updatePage({ url: "https://n.example/one", markdown: "# Given" });
  gateway.removePage("https://n.example/two");
  expect(Object.keys(await catalog())).toEqual(["/one"]);
  expect(await readContent("/one")).toBe("# Given");
  await write("one.md", "# From the file again");
  await write("two.html", "<h1>Two again</h1>");
  expect(Object.keys(await catalog()).sort()).toEqual(["/one", "/two"]);
  expect(await readContent("/one")).toBe("# From the file again");
});
