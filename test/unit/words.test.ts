/** Words that the project chose: spellings, and the documents that a comment may name. */
import { describe, expect, test } from "vitest";
import { listFiles, read } from "../tidy/repository.ts";

const files = listFiles();
const sources = files.filter((file) => /^(src|jobs)\/.*\.ts$/.test(file));
const documents = files.filter((file) => file.endsWith(".md") && !file.startsWith("test/"));

describe("comments of the sources", () => {
  const COMMENT = /^\s*(?:\/\*|\*|\/\/).*|\s\/\/ .*/gm;
  const findInComments = (pattern: RegExp) =>
    sources.flatMap((file) =>
      [...read(file).matchAll(COMMENT)].flatMap(([text]) => (pattern.test(text) ? [`${file}: ${text.trim()}`] : [])),
    );

  test("name no document that the package does not contain: they are in its .d.ts files too", () => {
    expect(
      findInComments(
        /\bdesign §|\b(design|style|gateway-spec|gateway-notes|CONTRIBUTING)\.md|\bgateway-(spec|notes) §/,
      ),
    ).toEqual([]);
  });

  test("spell the noun as in code: license", () => {
    expect(findInComments(/\blicences?\b/i)).toEqual([]);
  });
});

test("documents spell the noun as people do: licence; `license` is code", () => {
  const prose = (text: string) => text.replace(/^```[\s\S]*?^```$/gm, "").replace(/`[^`]*`|\]\([^)]*\)/g, "");
  const hits = documents.flatMap((file) =>
    [...prose(read(file)).matchAll(/.*\b[Ll]icenses?\b.*/g)].map(([line]) => `${file}: ${line}`),
  );
  expect(hits).toEqual([]);
});
