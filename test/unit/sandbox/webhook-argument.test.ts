import { describe, expect, test } from "vitest";
import { parseWebhookArgument } from "../../../src/sandbox/webhooks/subscriptions.ts";

describe("parseWebhookArgument", () => {
  test("reads the fields, with commas and equals signs in their values", () => {
    expect(
      parseWebhookArgument(
        "url=http://127.0.0.1:8403/hook?a=1,2&b=3,secret=a,b=c,id=main,hosts=a.example+b.example,encoding=base64,prefix=sha256=",
      ),
    ).toEqual({
      url: "http://127.0.0.1:8403/hook?a=1,2&b=3",
      secret: "a,b=c",
      id: "main",
      hosts: ["a.example", "b.example"],
      encoding: "base64",
      prefix: "sha256=",
    });
  });

  test.each([
    ["http://127.0.0.1/", /write url=…,secret=…/],
    ["url=http://127.0.0.1/", /secret/],
    ["url=127.0.0.1,secret=s", /http:\/\//],
    ["url=http://x/,secret=s,encoding=md5", /encoding/],
    ["url=http://x/,secret=s,secret=t", /secret is given twice/],
    ["__proto__=1,url=http://x/,secret=s", /fields are/],
    ["", /without =/],
  ])("refuses %j", (text, reason) => {
    expect(() => parseWebhookArgument(text)).toThrow(reason);
  });
});
