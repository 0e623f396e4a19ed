import { describe, expect, it } from "vitest";
import { createMisdirectedCheck, loggablePath } from "../../../../src/serve/webhooks/misdirected-delivery.ts";

const WEBHOOKS = [
  { id: "main", path: "/webhooks/main" },
  { id: "other", path: "/webhooks/Other" },
];
const find = createMisdirectedCheck(WEBHOOKS);
const SIGNED = "sha256=00ff";
const post = (path: string, authorization: string | undefined = SIGNED) =>
  find({ method: "POST", path, authorization });

describe("a request that no route takes", () => {
  it.each([
    ["a slash at the end", "/webhooks/main/", "main"],
    ["two slashes", "//webhooks/main", "main"],
    ["other letters", "/Webhooks/MAIN", "main"],
    ["other letters than those of the configuration", "/webhooks/other", "other"],
    ["an escape", "/webhooks/%6Dain", "main"],
    ["a prefix that the proxy left", "/licet/webhooks/main", "main"],
    ["a prefix that the proxy stripped", "/main", "main"],
    ["all of it stripped", "/", null],
    ["a part of a name", "/ain", null],
    ["another path", "/hooks/news", null],
    ["an escape that cannot be read", "/%ff/webhooks/main", "main"],
  ])("with %s is a delivery to the webhook that it is near", (_what, path, id) => {
    expect(post(path)?.webhook?.id ?? null).toBe(id);
    expect(post(path)).not.toBeNull();
  });

  it("without a signature is a delivery only where it is near", () => {
    expect(find({ method: "POST", path: "/webhooks/main/", authorization: undefined })).not.toBeNull();
    expect(find({ method: "POST", path: "/hooks/news", authorization: undefined })).toBeNull();
  });

  it("with a token, with another method or of a service without webhooks is none", () => {
    expect(post("/webhooks/main/", "Bearer x")).toBeNull();
    expect(find({ method: "GET", path: "/webhooks/main/", authorization: SIGNED })).toBeNull();
    expect(createMisdirectedCheck([])({ method: "POST", path: "/x", authorization: SIGNED })).toBeNull();
  });
});

it("a path in a log is printable and short", () => {
  expect(loggablePath("/a\u001b[31mb\u00e9\n")).toBe("/a?[31mb??");
  expect(loggablePath(`/${"x".repeat(9_000)}`)).toHaveLength(201);
});
