/** The web interface over HTTP: every page of `PAGES`, its headers, the files that it loads, and errors as pages. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { PAGES } from "../../../../src/serve/web/pages/all-pages.ts";
import { createServiceWorld, type ServiceWorld } from "../../../doubles/service-world.ts";

const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

let world: ServiceWorld;
const look = (path: string, headers: Record<string, string> = {}) =>
  world.call("GET", path, { headers: { ...BROWSER, ...headers } });

beforeAll(async () => {
  world = await createServiceWorld({
    sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: 3, bodyBytes: 200 }] },
    config: {
      sites: [{ host: "news.example", policy: "standard" }],
      serve: { port: 0, token: "the-token-of-the-service" },
    },
  });
});

afterAll(() => world.close());

const inMenu = PAGES.filter(({ menu }) => menu !== null);

it.each(inMenu.map(({ path, menu }) => [path, menu?.name]))(
  "shows %s, and marks it in the navigation",
  async (path, name) => {
    const page = await look(path ?? "/");
    expect(page.status).toBe(200);
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(page.text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(page.text).toContain(`<a href="${path}" aria-current="page">${name}</a>`);
    expect(page.text.match(/<h1>/g)).toHaveLength(1);
  },
);

it("lets a page load its own files and nothing else, and keeps it out of frames and caches", async () => {
  const { headers } = await look("/settings");
  expect(headers).toMatchObject({
    "cache-control": "no-store",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  });
  expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; /);
  expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
  expect(headers["content-security-policy"]).not.toContain("unsafe");
});

it("names the files of pages by their content, so that they can be kept for ever", async () => {
  const { text } = await look("/settings");
  const files = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? "");
  expect(files).toHaveLength(3);
  for (const path of files) {
    const file = await look(path);
    expect(file.status).toBe(200);
    expect(file.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  }
  expect((await look("/assets/000000000000-style.css")).status).toBe(404);
});

it("shows an error as a page to who asked for a page, and as a problem document to a program", async () => {
  const page = await look("/nothing?<script>");
  expect(page).toMatchObject({ status: 404, headers: { "content-type": "text/html; charset=utf-8" } });
  expect(page.text).toContain("<h1>Not found</h1>");
  const unknown = await look("/runs/run_unknown");
  expect(unknown.status).toBe(404);
  expect(unknown.text).toContain("There is no run run_unknown.");
  expect(unknown.text).toContain("<code>licet runs</code> lists the runs.");
  expect((await world.call("GET", "/nothing")).json).toMatchObject({ code: "ROUTE_NOT_FOUND" });
  expect((await look("/api/v1/nothing")).json).toMatchObject({ code: "ROUTE_NOT_FOUND" });
});

it("shows the settings without a secret, as `licet check --json` has them", async () => {
  const { text } = await look("/settings");
  expect(text).not.toContain("the-token-of-the-service");
  expect(text).toContain("news.example");
});
