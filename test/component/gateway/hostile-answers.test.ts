import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { MAX_PROBLEM_BYTES } from "../../../src/gateway/exchange.ts";
import { MAX_DETAIL_CHARS } from "../../../src/gateway/problem.ts";
import { sendJson } from "../../doubles/loopback-server.ts";
import { API_KEY, openClient, PAGE, TOKEN } from "./client-on-loopback.ts";

const REQUEST = { url: PAGE, token: TOKEN, format: "markdown" } as const;
const CONTENT = JSON.stringify({ content: { body: "x".repeat(1000) } });

test("an answer of exactly the largest size is read, and one byte more is refused", async () => {
  const exact = await openClient((_request, response) => response.end(CONTENT), { maxAnswerBytes: CONTENT.length });
  expect(await exact.client.fetchContent(REQUEST)).toMatchObject({ kind: "content" });
  const tight = await openClient((_request, response) => response.end(CONTENT), { maxAnswerBytes: CONTENT.length - 1 });
  expect(await tight.client.fetchContent(REQUEST)).toMatchObject({
    kind: "unanswered",
    reason: "too_large",
    sent: true,
  });
});

test("an endless answer is cut off at the limit, and the call is not repeated", async () => {
  const { client, server } = await openClient(
    (_request, response) => {
      const pour = () => {
        while (!response.destroyed && response.write("x".repeat(10_000))) {
          // until the buffer is full
        }
      };
      response.on("drain", pour);
      pour();
    },
    { maxAnswerBytes: 50_000 },
  );
  await expect(client.quotePage(PAGE)).rejects.toMatchObject({ code: "GATEWAY_ANSWER_TOO_LARGE" });
  expect(server.received).toHaveLength(1);
});

test.each([
  ["gzip", true],
  ["GZIP", true],
  ["identity", false],
])("reads an answer in %s although no coding was requested", async (coding, isZipped) => {
  const { client } = await openClient((_request, response) => {
    response.writeHead(200, { "content-encoding": coding });
    response.end(isZipped ? gzipSync(CONTENT) : CONTENT);
  });
  expect(await client.fetchContent(REQUEST)).toMatchObject({ kind: "content" });
});

test("a compressed answer may not inflate beyond the limit", async () => {
  const { client } = await openClient(
    (_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(gzipSync(CONTENT));
    },
    { maxAnswerBytes: CONTENT.length - 1 },
  );
  expect(await client.fetchContent(REQUEST)).toMatchObject({ kind: "unanswered", reason: "too_large" });
});

test.each([
  ["gzip that is none", "gzip", CONTENT],
  ["a coding nobody knows", "zstd-9000", CONTENT],
])("%s is a bad body", async (_name, coding, body) => {
  const { client } = await openClient((_request, response) => {
    response.writeHead(200, { "content-encoding": coding });
    response.end(body);
  });
  expect(await client.fetchContent(REQUEST)).toMatchObject({ kind: "unanswered", reason: "bad_body", sent: true });
});

test("bytes that are not UTF-8 become replacement characters, whatever the charset is", async () => {
  const { client } = await openClient((_request, response) => {
    response.writeHead(200, { "content-type": "application/json; charset=utf-16" });
    response.end(Buffer.concat([Buffer.from('\ufeff{"content":{"body":"a'), Buffer.of(0xff), Buffer.from('b"}}')]));
  });
  expect(await client.fetchContent(REQUEST)).toMatchObject({ content: { body: "a\ufffdb" } });
});

test("an answer that is not HTTP is a bad body", async () => {
  const { client } = await openClient((request) => {
    request.socket.end("SSH-2.0-OpenSSH_9.6\r\n\r\n");
  });
  expect(await client.fetchContent(REQUEST)).toMatchObject({ kind: "unanswered", reason: "bad_body", sent: true });
});

test("headers without end are too large", async () => {
  const { client } = await openClient((request) => {
    request.socket.write(`HTTP/1.1 200 OK\r\n${"x-filler: ".padEnd(1000, "y")}\r\n`.padEnd(100));
    request.socket.end(`${`x-filler: ${"y".repeat(1000)}\r\n`.repeat(40)}\r\n`);
  });
  expect(await client.fetchContent(REQUEST)).toMatchObject({ kind: "unanswered", reason: "too_large", sent: true });
});

test("informational answers are not the answer", async () => {
  const { client } = await openClient((_request, response) => {
    response.writeEarlyHints({ link: "</style.css>; rel=preload" });
    response.writeProcessing();
    response.end(CONTENT);
  });
  expect(await client.fetchContent(REQUEST)).toMatchObject({ kind: "content" });
});

test.each([
  ["that never comes", () => {}],
  ["that stops in the middle", (write: (text: string) => void) => write('{"content":')],
])("an answer %s ends in a timeout", async (_name, begin) => {
  const { client, server } = await openClient((_request, response) => begin((text) => response.write(text)), {
    timeoutMs: 60,
  });
  expect(await client.fetchContent(REQUEST)).toMatchObject({ kind: "unanswered", reason: "timeout", sent: true });
  expect(server.received).toHaveLength(1);
});

test("an answer that comes byte by byte ends in a timeout too", async () => {
  const { client } = await openClient(
    (_request, response) => {
      const drip = setInterval(() => response.write(" "), 5);
      response.on("close", () => clearInterval(drip));
    },
    { timeoutMs: 60 },
  );
  expect(await client.fetchContent(REQUEST)).toMatchObject({
    kind: "unanswered",
    reason: "timeout",
    detail: "the whole answer took too long",
  });
});

test("a timeout of a repeatable call is repeated, then reported", async () => {
  const { client, server } = await openClient(() => {}, { timeoutMs: 60, retries: 1 });
  await expect(client.quotePage(PAGE)).rejects.toMatchObject({ code: "GATEWAY_TIMEOUT", retry: "later" });
  expect(server.received).toHaveLength(2);
});

test("a refusal of any size keeps its status; its text is one short line without key, token and control characters", async () => {
  const { client } = await openClient((request, response) => {
    const echo = JSON.stringify(request.headers) + request.target;
    const text = `\u001b[31m${API_KEY.slice(0, 5)}\u0000${API_KEY.slice(5)}\u202e ${TOKEN} ${echo}`;
    sendJson(response, { title: text, detail: "z".repeat(3 * MAX_PROBLEM_BYTES) }, 403);
  });
  const answer = await client.fetchContent(REQUEST);
  expect(answer).toMatchObject({ kind: "refused", status: 403 });
  const { detail } = answer as { detail: string };
  expect(detail.length).toBeLessThanOrEqual(MAX_DETAIL_CHARS);
  expect(detail).not.toMatch(/\p{Cc}|\p{Cf}/u);
  expect(detail).not.toContain(API_KEY);
  expect(detail).not.toContain(TOKEN);
});

test("a proxy's page is reported by its title, an empty body by its status", async () => {
  const { client } = await openClient((_request, response, index) => {
    response.writeHead(index === 0 ? 403 : 404, { "content-type": "text/html", "x-request-id": "id-7" });
    response.end(index === 0 ? "<html><head><title>Forbidden\n by us</title><body>long</body></html>" : "");
  });
  expect(await client.fetchContent(REQUEST)).toMatchObject({ detail: "Forbidden by us", requestId: "id-7" });
  expect(await client.fetchContent(REQUEST)).toMatchObject({ detail: "status 404 without an explanation" });
});
