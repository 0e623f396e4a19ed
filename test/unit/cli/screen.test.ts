import { expect, test } from "vitest";
import { createScreen } from "../../../src/cli/watch/screen.ts";

const UP = (rows: number) => `\r\u001b[${rows}A`;
const END = "\u001b[J\u001b[?7h";

function open(rows: number) {
  const written: string[] = [];
  const stdout = {
    isTerminal: true,
    columns: () => 80,
    rows: () => rows,
    write: async (text: string) => void written.push(text),
  };
  return { screen: createScreen({ stdout }), written };
}

test("a frame is written over the one before, line by line, in one write, and never cleared first", async () => {
  const { screen, written } = open(24);
  await screen.show("one\ntwo\nthree\n");
  await screen.show("one\nzwei\n");
  expect(written).toEqual([
    `\u001b[?7l\rone\u001b[K\ntwo\u001b[K\nthree\u001b[K\n${END}`,
    `\u001b[?7l${UP(3)}one\u001b[K\nzwei\u001b[K\n${END}`,
  ]);
});

test("the same frame is not written again", async () => {
  const { screen, written } = open(24);
  await screen.show("same\n");
  await screen.show("same\n");
  expect(written).toHaveLength(1);
});

test("a frame that is higher than the terminal is cut, and says so", async () => {
  const { screen, written } = open(4);
  await screen.show("1\n2\n3\n4\n5\n");
  expect(written[0]).toContain("1\u001b[K\n2\u001b[K\n  … 3 more lines\u001b[K\n");
});
