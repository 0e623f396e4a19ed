/** README and docs/: their examples, links and lists against the repository. Each test names what is wrong and where. */
import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { ConfigInput } from "../../src/config/config-input.ts";
import { parseConfig } from "../../src/config/load-config.ts";
import { codeBlocks, codeIn, exists, listFiles, read, tableBelow } from "../tidy/repository.ts";

const files = listFiles();
const documents = files.filter((file) => file.endsWith(".md") && !file.startsWith("test/"));

const SCHEMA = "config/licet.schema.json";

describe("documents", () => {
  test("the README shows how to see the demo and how to run the tests", () => {
    const commands = codeBlocks(read("README.md")).map(({ text }) => text);
    expect(commands.some((text) => text.includes("npm ci && npm run demo"))).toBe(true);
    expect(commands.some((text) => text.includes("npm ci && npm test"))).toBe(true);
  });

  test("an example that claims to be a file has the text of that file", () => {
    const claims = documents.flatMap((file) => codeBlocks(read(file)).map((block) => ({ file, ...block })));
    for (const { file, claims: path, text } of claims) {
      if (path !== null) {
        const expected = exists(path) ? withoutSchemaAddress(read(path)).trim() : "a file that exists";
        expect.soft(withoutSchemaAddress(text).trim(), `${file}: ${path}`).toBe(expected);
      }
    }
    expect(claims.filter(({ file, claims: path }) => file === "README.md" && path !== null).length).toBe(1);
  });

  test("each address of the JSON Schema is right where it stands, and the same in every document that users copy from", () => {
    const placed = files.filter(
      (file) => file.endsWith(".yaml") && /^(config|docs)\//.test(file) && posix.basename(file) !== "compose.yaml",
    );
    for (const file of placed) {
      expect.soft(posix.join(posix.dirname(file), schemaAddressesIn(read(file)).join()), file).toBe(SCHEMA);
    }
    const copied = documents.filter((file) => file !== "CHANGELOG.md").flatMap((file) => schemaAddressesIn(read(file)));
    expect(new Set(copied)).toEqual(new Set([`./node_modules/licet/${SCHEMA}`]));
  });

  test("YAML examples that are not files are sections of a configuration that is valid with them", () => {
    const whole: ConfigInput = parse(read("config/examples/first-steps.yaml"));
    const env = { LICET_API_KEY: "key", LICET_GATEWAY_URL: "https://gateway.example" };
    const sections = codeBlocks(read("docs/configuration.md")).filter(
      ({ language, claims }) => language === "yaml" && claims === null,
    );
    expect(sections.length).toBeGreaterThan(0);
    for (const { text } of sections) {
      expect(() => parseConfig({ ...whole, ...parse(text) }, { cwd: ".", env })).not.toThrow();
    }
  });

  test("each promise of the README has its mechanism and its tests in docs/reliability.md", () => {
    const list = read("README.md").split("## What never happens\n")[1]?.split("\n## ")[0] ?? "";
    const numbers = [...list.matchAll(/^(\d)\. \*\*/gm)].map(([, number]) => number);
    const promises = tableBelow(read("docs/reliability.md"), "## Mechanisms");
    expect(numbers).toEqual(["1", "2", "3", "4", "5", "6", "7"]);
    expect(promises.map(([promise = ""]) => promise.split(" ")[0])).toEqual(numbers);
    const held = promises.map(([, , tests = ""]) => [...tests.matchAll(/\(\.\.\/test\/[^)]+\.test\.ts\)/g)].length);
    expect(held.every((count) => count > 0)).toBe(true);
  });

  test("each type that docs/commands.md names for --json is in docs/reference.md", () => {
    const named = [...read("docs/commands.md").matchAll(/\[`(\w+)`\]\(reference\.md#(\w+)\)/g)];
    const known = new Set([...read("docs/reference.md").matchAll(/^### `(\w+)`$/gm)].map(([, name]) => name));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(([, name = "", anchor]) => !known.has(name) || anchor !== name.toLowerCase())).toEqual([]);
  });

  test("TypeScript examples are files, so that they are compiled", () => {
    const loose = documents.flatMap((file) =>
      codeBlocks(read(file)).flatMap(({ language, claims }) => (language === "ts" && claims === null ? [file] : [])),
    );
    expect(loose).toEqual([]);
  });

  test("their paths and links exist", () => {
    const broken = documents.flatMap((file) => brokenPaths(file).map((path) => `${file}: ${path}`));
    expect(broken).toEqual([]);
  });

  test("their links lead to headings that exist", () => {
    const anchors = new Map(documents.map((file) => [file, anchorsOf(read(file))]));
    const broken = documents.flatMap((file) =>
      [...read(file).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)].flatMap(([, to = "", anchor = ""]) => {
        const target = to === "" ? file : posix.normalize(posix.join(posix.dirname(file), to));
        return anchors.get(target)?.has(anchor) === false ? [`${file}: ${to}#${anchor}`] : [];
      }),
    );
    expect(broken).toEqual([]);
  });
});

describe("decision records", () => {
  const records = files.filter((file) => file.startsWith("docs/decisions/")).sort();

  // Several who work at once have a range each, so there may be gaps.
  test("have a number each", () => {
    const numbers = records.map((file) => Number(posix.basename(file).slice(0, 4)));
    expect(numbers.filter((number) => !(number > 0))).toEqual([]);
    expect(numbers).toEqual([...new Set(numbers)]);
  });

  test("have a context, a decision that says what we will do, and consequences", () => {
    const whole =
      /^# (\d{4}): .+\n[\s\S]*^## Context\n[\s\S]+^## Decision\n[\s\S]*\b[Ww]e will\b[\s\S]*^## Consequences\n/m;
    const broken = records.filter((file) => whole.exec(read(file))?.[1] !== posix.basename(file).slice(0, 4));
    expect(broken).toEqual([]);
  });

  test("have a status, and both records say so where one supersedes a part of the other", () => {
    const statuses = new Map(
      records.map((file) => [
        posix.basename(file).slice(0, 4),
        /^# .+\n\n(Status: (?:in force|superseded by \[)[\s\S]+?)\n\n/.exec(read(file))?.[1]?.replaceAll("\n", " ") ??
          "",
      ]),
    );
    expect([...statuses].filter(([, status]) => status === "")).toEqual([]);
    const named = (text: string) => [...text.matchAll(/\[(\d{4})\]/g)].map(([, number = ""]) => number);
    const later = [...statuses].flatMap(([number, status]) =>
      named(status.replaceAll(/It supersedes \[\d{4}\]/g, "")).map((other) => `${other} supersedes ${number}`),
    );
    const earlier = [...statuses].flatMap(([number, status]) =>
      [...status.matchAll(/It supersedes \[(\d{4})\]/g)].map(([, other]) => `${number} supersedes ${other}`),
    );
    expect(earlier.sort()).toEqual([...new Set(later)].sort());
  });
});

function withoutSchemaAddress(text: string): string {
  return text.replace(/\$schema=\S+/, "$schema=");
}

function schemaAddressesIn(text: string): string[] {
  return [...text.matchAll(/\$schema(?:=|": ")([^\s"`]+)/g)].map(([, address = ""]) => address);
}

/** The anchors of the headings, as GitHub makes them. */
function anchorsOf(markdown: string): ReadonlySet<string> {
  const headings = markdown.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** Backticked paths from the root and relative links that lead nowhere. */
function brokenPaths(file: string): string[] {
  const text = read(file);
  const paths = codeIn(text.replace(/^```[\s\S]*?^```$/gm, "")).filter((code) =>
    /^(src|jobs|test|docs|config|migrations|bench)\/[\w./-]*$/.test(code),
  );
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, link = ""]) =>
    posix.normalize(posix.join(posix.dirname(file), link)),
  );
  return [...paths, ...links].filter((path) => !exists(path));
}
