import { expect, it } from "vitest";
import { errorOf, loadText, MINIMAL } from "./config-text.ts";

const inServe = (text: string) => `${MINIMAL}serve: ${text}\n`;
const withWebhooks = (...webhooks: string[]) =>
  `${MINIMAL}webhooks:\n${webhooks.map((one) => `  - ${one}\n`).join("")}`;
const webhook = (id: string, path: string) => `{ id: ${id}, path: ${path}, url: "https://a.example/x", secret: s }`;
const withAlert = (alert: string) => `${MINIMAL}alerts:\n  - ${alert}\n`;
const withSchedule = (schedule: string) => `${MINIMAL}    schedule: ${schedule}\n`;

it.each([
  ["no token beyond loopback", inServe("{ host: 0.0.0.0 }"), "serve.token is missing: 0.0.0.0 is not loopback"],
  ["a short token beyond loopback", inServe("{ host: 0.0.0.0, token: short }"), "serve.token is too short for 0.0.0.0"],
  [
    "a short token with a name beyond loopback",
    inServe("{ host: 0.0.0.0, tokens: [{ name: a, token: short }] }"),
    "serve.tokens[0].token is too short for 0.0.0.0",
  ],
  [
    "a name of two tokens",
    inServe("{ tokens: [{ name: a, token: t1 }, { name: a, token: t2 }] }"),
    "serve.tokens[1].name is already the name of another token",
  ],
  [
    "a token with two names",
    inServe("{ token: t1, tokens: [{ name: a, token: t1 }] }"),
    "serve.tokens[0].token is already another token",
  ],
  ["a name of licet itself", inServe("{ tokens: [{ name: service, token: t1 }] }"), "is a name that licet itself uses"],
  ["a right that does not exist", inServe("{ tokens: [{ name: a, token: t1, can: spend }] }"), "serve.tokens[0].can"],
  ["a port that does not exist", inServe("{ port: 65536 }"), "serve.port must be at most 65535"],
  ["a short time to stop", inServe("{ shutdownMs: 1 }"), "serve.shutdownMs must be at least 1000"],
  ["a proxy that is not an address", inServe("{ trustProxy: [proxy.example] }"), "is not an IP address"],
  ["a path of the service", withWebhooks(webhook("a", "/api/x")), "webhooks[0].path is a path of the service itself"],
  [
    "an id of another webhook",
    withWebhooks(webhook("a", "/a"), webhook("a", "/b")),
    "already the id of another webhook",
  ],
  ["a path of another webhook", withWebhooks(webhook("a", "/a"), webhook("b", "/a")), "already the path of another"],
  ["an alert for nobody", withAlert("{ on: [run_failed] }"), "alerts[0] has no receiver"],
  ["an alert for two", withAlert('{ on: [run_failed], exec: [a], webhook: "https://a.example" }'), "has two receivers"],
  ["a secret for a program", withAlert("{ on: [run_failed], exec: [a], secret: s }"), "signs only what a webhook"],
  ["half a cron expression", withSchedule('"0 */6 * *"'), "sites[0].schedule"],
  ["a time zone that does not exist", withSchedule('{ cron: "0 6 * * *", timeZone: Europe/Nowhere }'), "timeZone"],
])("refuses %s", async (_name, text, message) => {
  expect((await errorOf(loadText(text))).message).toContain(message);
});

it("names no token that it refuses", async () => {
  const text = inServe("{ token: the-very-same-token, tokens: [{ name: a, token: the-very-same-token }] }");
  expect((await errorOf(loadText(text))).message).not.toContain("very-same");
});

it("warns of a short token on loopback", async () => {
  expect((await loadText(inServe("{ token: short }"))).warnings).toContainEqual(
    expect.stringContaining("serve.token can be guessed: it has 5 characters"),
  );
});
