/** Every document of docs/how-to, command by command, as a reader would type it. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createHowToWorld } from "./how-to/how-to-world.ts";
import { readHowTo } from "./how-to/read-how-to.ts";

const DOCUMENTS = new URL("../../docs/how-to/", import.meta.url);
/** Beside the how-tos: it is played in the same way. */
const OPERATIONS = "../operations.md";
/** Played with two machines: second-machine.test.ts. */
const SECOND_MACHINE = "second-machine.md";
const names = readdirSync(DOCUMENTS).filter((name) => name.endsWith(".md") && name !== "README.md");
const readDocument = (name: string) => readFileSync(new URL(name, DOCUMENTS), "utf8");

test.concurrent.for([...names.filter((name) => name !== SECOND_MACHINE), OPERATIONS])(
  "%s does what it says",
  async (name, { onTestFinished }) => {
    const world = await createHowToWorld();
    onTestFinished(() => world.close());
    await world.play(readDocument(name));
  },
);

test("the README of the how-tos names each of them, and each has commands", () => {
  const index = readDocument("README.md");
  expect(names.filter((name) => !index.includes(`(${name})`))).toEqual([]);
  expect(names.filter((name) => !readHowTo(readDocument(name)).some(({ kind }) => kind === "script"))).toEqual([]);
});
