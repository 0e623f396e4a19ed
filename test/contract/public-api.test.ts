/** The library's public face. The golden file is updated by `npx vitest run test/contract/public-api.test.ts -u`. */
import { expect, test } from "vitest";
import { type PublicName, readPublicApi } from "./public-api.ts";

const GOLDEN = "../golden/public-api.md";

/** The declarations that `test/build-once.ts` had emitted. */
const api: readonly PublicName[] = readPublicApi("dist/src/index.d.ts");

test("names and signatures are those of the golden file, so that each change shows in review", async () => {
  const sections = api.map(({ name, declaration }) => `## ${name}\n\n\`\`\`ts\n${declaration}\n\`\`\`\n`);
  await expect(['# What `import … from "licet"` gives\n', ...sections].join("\n")).toMatchFileSnapshot(GOLDEN);
});

test("each type that a signature names can be imported", () => {
  const exported = new Set(api.map(({ declaredName }) => declaredName));
  const missing = api.flatMap(({ name, uses }) =>
    uses.filter((use) => !exported.has(use)).map((use) => `${name} names ${use}`),
  );
  expect(missing).toEqual([]);
});

test("each name has a description", () => {
  expect(api.filter(({ isDocumented }) => !isDocumented).map(({ name }) => name)).toEqual([]);
});

test("every declaration was found", () => {
  expect(api.length).toBeGreaterThan(80);
  expect(api.filter(({ declaration }) => declaration === "").map(({ name }) => name)).toEqual([]);
});
