/** `/ledger/v1`: who may ask, and what comes of whoever may not. */
import { expect, onTestFinished, test } from "vitest";
import { packageVersion } from "../../../src/package-directory.ts";
import { LEDGER_HEADERS, LEDGER_PATHS } from "../../../src/worker/http-names.ts";
import { createServiceClient } from "../../../src/worker/service-client.ts";
import { createServiceWorld } from "../../doubles/service-world.ts";

const TOKENS = [
  { name: "operator", token: "acting-token", can: "act" },
  { name: "finance", token: "reading-token", can: "read" },
  { name: "fleet", token: "worker-token", can: "work" },
];
const HELLO = { name: "worker:1", places: 4 };

async function open() {
  const world = await createServiceWorld({
    sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: 1 }] },
    config: { sites: [{ host: "news.example", policy: "standard" }], serve: { port: 0, tokens: TOKENS } },
  });
  onTestFinished(() => world.close());
  const hello = (token: string, version = packageVersion()) =>
    world.call("POST", LEDGER_PATHS.hello, {
      headers: { authorization: `Bearer ${token}`, [LEDGER_HEADERS.version]: version },
      body: HELLO,
    });
  return { ...world, hello };
}

test("a worker's token opens the ledger for workers and nothing else, and no other token opens that", async () => {
  const { call, hello } = await open();
  for (const token of ["acting-token", "reading-token"]) {
    expect(await hello(token)).toMatchObject({ status: 403, json: { code: "TOKEN_OTHER_RIGHT" } });
  }
  expect(await hello("another")).toMatchObject({ status: 401, json: { code: "TOKEN_REQUIRED" } });
  for (const [method, path] of [
    ["GET", "/api/v1/status"],
    ["GET", "/metrics"],
    ["POST", "/api/v1/runs"],
  ] as const) {
    const answer = await call(method, path, { headers: { authorization: "Bearer worker-token" } });
    expect(answer).toMatchObject({ status: 403, json: { code: "TOKEN_OTHER_RIGHT" } });
  }
});

test("a worker of another version is refused with both versions", async () => {
  const { hello } = await open();
  expect(await hello("worker-token", "0.0.1")).toMatchObject({
    status: 409,
    json: { code: "WORKER_VERSION", details: { worker: "0.0.1", service: packageVersion() } },
  });
});

test("a service with the embedded queue says that no other machine reaches it", async () => {
  const { service } = await open();
  const client = createServiceClient({ url: service.url, token: "worker-token", version: packageVersion() });
  const hello = client.hello(HELLO, AbortSignal.timeout(5_000));
  await expect(hello).rejects.toMatchObject({ code: "QUEUE_NOT_SHARED", hint: expect.stringContaining("queue.url") });
});

test("a session that the service does not know is over", async () => {
  const { service } = await open();
  const client = createServiceClient({ url: service.url, token: "worker-token", version: packageVersion() });
  const exchange = client.exchangeAs(() => "nobody");
  const body = { bytes: Buffer.from([0, 0, 0, 0]), isCompressed: false };
  await expect(exchange({ number: 1, done: 0 }, body, AbortSignal.timeout(5_000))).rejects.toMatchObject({
    code: "WORKER_EXPIRED",
  });
});

test("what is not from a worker is refused without a look at the ledger", async () => {
  const { call } = await open();
  const headers = { authorization: "Bearer worker-token", [LEDGER_HEADERS.version]: packageVersion() };
  expect(await call("POST", LEDGER_PATHS.beat, { headers, body: { session: "a" } })).toMatchObject({ status: 400 });
  expect(await call("POST", LEDGER_PATHS.messages, { headers, body: {} })).toMatchObject({
    status: 400,
    json: { code: "REQUEST_INVALID" },
  });
});

test("a service that nobody reaches is named without the token", async () => {
  const client = createServiceClient({ url: "http://127.0.0.1:9", token: "worker-token", version: "1" });
  const error: unknown = await client.hello(HELLO, AbortSignal.timeout(5_000)).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "SERVICE_UNREACHABLE", details: { url: "http://127.0.0.1:9" } });
  expect(String(error)).not.toContain("worker-token");
});
