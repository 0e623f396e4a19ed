import { expect, test } from "vitest";
import { createListDigest } from "../../../src/list/list-digest.ts";

const digestOf = (...lines: string[]) => {
  const digest = createListDigest();
  for (const line of lines) {
    digest.add(line);
  }
  return digest.read();
};

test("the digest of the first lines does not depend on those behind them", () => {
  const digest = createListDigest();
  digest.add("a");
  const first = digest.read();
  digest.add("b");
  expect(first).toBe(digestOf("a"));
  expect(digest.read()).toBe(digestOf("a", "b"));
});

test("lines that are other lines, or divided in another way, have another digest", () => {
  expect(new Set([digestOf(), digestOf(""), digestOf("ab"), digestOf("a", "b"), digestOf("b", "a")]).size).toBe(5);
});
