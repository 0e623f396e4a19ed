/** What a purchase depends on: a chargeable request is written once, and `sent: false` is always true. */
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { sendJson } from "../../doubles/loopback-server.ts";
import { createClient, openClient, PAGE, TOKEN } from "./client-on-loopback.ts";

const REQUEST = { url: PAGE, token: TOKEN, format: "markdown" } as const;
const CONTENT = { content: { body: "x" } };

test("a server that reads the request and hangs up sees it exactly once", async () => {
  const { client, server } = await openClient((request) => request.socket.destroy());
  expect(await client.fetchContent(REQUEST)).toMatchObject({ kind: "unanswered", reason: "reset", sent: true });
  expect(server.received).toHaveLength(1);
});

test("a server that resets a kept-alive connection after the second request sees that one exactly once", async () => {
  const { client, server } = await openClient(
    (request, response, index) => {
      if (index === 0) {
        sendJson(response, CONTENT);
      } else {
        request.socket.resetAndDestroy();
      }
    },
    { concurrency: 1 },
  );
  expect(await client.fetchContent(REQUEST)).toMatchObject({ kind: "content" });
  expect(await client.fetchContent(REQUEST)).toMatchObject({ kind: "unanswered", reason: "reset", sent: true });
  expect(server.received).toHaveLength(2);
  expect(server.connections).toBe(1);
});

test("a server that hangs up in the middle of the answer sees the request exactly once", async () => {
  const { client, server } = await openClient((request, response) => {
    response.writeHead(200, { "content-length": "1000" });
    response.write('{"content":', () => request.socket.destroy());
  });
  expect(await client.fetchContent(REQUEST)).toMatchObject({ kind: "unanswered", reason: "reset", sent: true });
  expect(server.received).toHaveLength(1);
});

test("many requests at once on failing connections are each seen exactly once", async () => {
  const { client, server } = await openClient(
    (request, response, index) => (index % 3 === 0 ? request.socket.destroy() : sendJson(response, CONTENT)),
    { concurrency: 8 },
  );
  const urls = Array.from({ length: 60 }, (_, index) => `https://news.example/${index}`);
  const answers = await Promise.all(urls.map((url) => client.fetchContent({ ...REQUEST, url })));
  expect(server.received.map((request) => request.target).sort()).toEqual(
    urls.map((url) => `/dev/v2/content/${encodeURIComponent(url)}`).sort(),
  );
  expect(answers.filter((answer) => answer.kind === "unanswered")).toHaveLength(20);
  for (const answer of answers) {
    expect(answer.kind === "content" || (answer.kind === "unanswered" && answer.sent)).toBe(true);
  }
});

test("connections that the server closed while they were idle cost no request and cause no false report", async () => {
  const { client, server } = await openClient((_request, response) => sendJson(response, CONTENT), { concurrency: 4 });
  for (let round = 1; round <= 5; round += 1) {
    const answers = await Promise.all([1, 2, 3, 4].map(() => client.fetchContent(REQUEST)));
    for (const answer of answers) {
      // Whatever is unanswered may only be called unsent if the server has not seen it.
      expect(answer.kind === "content" || (answer.kind === "unanswered" && !answer.sent)).toBe(true);
    }
    expect(server.received).toHaveLength(round * 4);
    await server.dropConnections();
  }
});

test("a connection that closes at the moment of the request never makes `sent` wrong", async () => {
  const { client, server } = await openClient((_request, response) => sendJson(response, CONTENT), { concurrency: 1 });
  let unsent = 0;
  const rounds = 40;
  for (let round = 0; round < rounds; round += 1) {
    const [answer] = await Promise.all([client.fetchContent(REQUEST), server.dropConnections()]);
    unsent += answer.kind === "unanswered" && !answer.sent ? 1 : 0;
  }
  expect(server.received.length).toBeLessThanOrEqual(rounds - unsent);
});

test("a refused connection is certainly unsent", async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const { port } = closed.address() as { port: number };
  await new Promise<void>((resolve) => closed.close(() => resolve()));
  const client = createClient(`http://127.0.0.1:${port}`);
  expect(await client.fetchContent(REQUEST)).toMatchObject({
    kind: "unanswered",
    reason: "no_connection",
    sent: false,
    detail: "no connection (ECONNREFUSED)",
  });
});

test("a name that does not resolve is certainly unsent", async () => {
  const client = createClient("http://gateway.invalid");
  expect(await client.fetchContent(REQUEST)).toMatchObject({ reason: "no_connection", sent: false });
});

test("a token that does not fit into a header is certainly unsent, and is not echoed", async () => {
  const { client, server } = await openClient((_request, response) => sendJson(response, CONTENT));
  const answer = await client.fetchContent({ ...REQUEST, token: "evil\r\nx-injected: 1" });
  expect(answer).toMatchObject({ kind: "unanswered", reason: "no_connection", sent: false });
  expect(JSON.stringify(answer)).not.toContain("evil");
  expect(server.received).toEqual([]);
});

test.each([
  [408, "server_error"],
  [500, "server_error"],
  [502, "server_error"],
  [503, "server_error"],
])("status %i is unanswered and not repeated", async (status, reason) => {
  const { client, server } = await openClient((_request, response) => {
    response.writeHead(status, { location: "http://127.0.0.1:1/elsewhere", "retry-after": "0" });
    response.end();
  });
  expect(await client.fetchContent(REQUEST)).toMatchObject({ kind: "unanswered", reason, sent: true });
  expect(server.received).toHaveLength(1);
});

test.each([301, 302, 307, 308])(
  "a redirect (%i) is refused: it is not followed, and its target is reported",
  async (status) => {
    const { client, server } = await openClient((_request, response) => {
      response.writeHead(status, { location: "https://login.example/sign-in?next=secret" });
      response.end();
    });
    expect(await client.fetchContent(REQUEST)).toMatchObject({
      kind: "refused",
      status,
      detail: "a redirect to https://login.example",
    });
    expect(server.received).toHaveLength(1);
  },
);

test("a report is sent exactly once, whatever happens to it", async () => {
  const { client, server } = await openClient((request) => request.socket.destroy());
  expect(await client.reportUsage(Buffer.from("{}"))).toMatchObject({ kind: "unanswered", retryAfterMs: null });
  expect(server.received).toHaveLength(1);
});

test("an abort while waiting at the gate is unsent, an abort in flight is not", async () => {
  const { client, server } = await openClient(() => {}, { concurrency: 1 });
  const inFlight = new AbortController();
  const waiting = new AbortController();
  const first = client.fetchContent(REQUEST, inFlight.signal);
  const second = client.fetchContent(REQUEST, waiting.signal);
  await server.arrived(1);
  waiting.abort();
  expect(await second).toMatchObject({ kind: "unanswered", reason: "no_connection", sent: false });
  inFlight.abort();
  expect(await first).toMatchObject({ kind: "unanswered", reason: "reset", sent: true });
  expect(server.received).toHaveLength(1);
});

test("close ends active and waiting requests, and nothing is sent afterwards", async () => {
  const { client, server } = await openClient(() => {}, { concurrency: 1 });
  const content = client.fetchContent(REQUEST);
  const rates = client.quotePage(PAGE);
  const refused = expect(rates).rejects.toMatchObject({ code: "INTERRUPTED" });
  await server.arrived(1);
  await client.close();
  expect(await content).toMatchObject({ kind: "unanswered", reason: "reset", sent: true });
  await refused;
  expect(await client.fetchContent(REQUEST)).toMatchObject({ sent: false });
  await client.close();
  expect(server.received).toHaveLength(1);
});
