import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_LINE_BYTES } from "../../../../src/agent/lists/text-lines.ts";
import { type BadLine, readUses } from "../../../../src/cli/input/use-file.ts";

async function read(...chunks: readonly (string | Uint8Array)[]) {
  const bad: BadLine[] = [];
  const good: unknown[] = [];
  async function* source() {
    for (const chunk of chunks) {
      yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    }
  }
  for await (const use of readUses(source(), (line) => bad.push(line))) {
    good.push(use);
  }
  return { good, bad };
}

describe("a line", () => {
  test.each([
    ['{"url":"u"}', { url: "u" }],
    ['{"url":"u","times":3}', { url: "u", times: 3 }],
    ['{"url":"u","usedAt":"2026-01-02"}', { url: "u", usedAt: "2026-01-02" }],
    ['{"url":"u","usedAt":1700000000000,"key":"k"}', { url: "u", usedAt: 1_700_000_000_000, key: "k" }],
  ])("%s is a use", async (line, use) => {
    expect(await read(line)).toEqual({ good: [use], bad: [] });
  });

  test.each([
    ["{", "it is not JSON"],
    ["[]", "expected object"],
    ["null", "expected object"],
    ["{}", "url"],
    ['{"url":""}', "url"],
    ['{"url":"u","times":0}', "times"],
    ['{"url":"u","times":1.5}', "times"],
    ['{"url":"u","times":1e300}', "times"],
    ['{"url":"u","times":"2"}', "times"],
    ['{"url":"u","usedAt":1.5}', "usedAt"],
    ['{"url":"u","tmies":2}', "tmies"],
  ])("%s is bad, and says why", async (line, reason) => {
    expect(await read(line)).toEqual({ good: [], bad: [{ line: 1, reason: expect.stringContaining(reason) }] });
  });
});

test("a bad line affects only itself and is reported with its number; empty lines are counted and ignored", async () => {
  const { good, bad } = await read('{"url":"a"}\n\n{"url":\r\n{"url":"b"}\r\n');
  expect(good).toEqual([{ url: "a" }, { url: "b" }]);
  expect(bad).toEqual([{ line: 3, reason: "it is not JSON" }]);
});

test("a byte order mark is not a part of the first line, and the last line needs no end", async () => {
  expect((await read('\ufeff{"url":"a"}\n{"url":"b"}')).good).toEqual([{ url: "a" }, { url: "b" }]);
});

test("a line may be 64 KiB long and not a byte more, and what follows it is read", async () => {
  const frame = '{"url":""}'.length;
  const fits = `{"url":"${"a".repeat(MAX_LINE_BYTES - frame)}"}`;
  const { good, bad } = await read(`${fits}\n`, `${fits} \n`, '{"url":"b"}\n');
  expect(good).toHaveLength(2);
  expect(bad).toEqual([{ line: 2, reason: `longer than ${MAX_LINE_BYTES} bytes` }]);
});

test("however the bytes are cut into chunks, the lines are the same", async () => {
  const text = Buffer.from('{"url":"ä🦀"}\n{"url":\n{"url":"b","times":2}\n');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(text.length), { maxLength: 8 }), async (cuts) => {
      const edges = [0, ...cuts.sort((a, b) => a - b), text.length];
      const chunks = edges.slice(1).map((end, index) => text.subarray(edges[index], end));
      expect(await read(...chunks)).toEqual(await read(text));
    }),
  );
});
