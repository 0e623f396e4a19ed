import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalEscapes } from "../../../src/catalog/canonical-escapes.ts";
import { canonicalPageUrl, withOtherScheme } from "../../../src/catalog/page-url.ts";

test.each([
  ["/caf%c3%a9", "/caf%C3%A9"],
  ["/%7Ea", "/~a"],
  ["/%7ea%2d%2E%5F%39", "/~a-._9"],
  ["/a%2fb", "/a%2Fb"],
  ["/a%20b+c", "/a%20b+c"],
  ["/%25%37%45", "/%257E"],
  ["/%%37E", "/%%37E"],
  ["/%7%45", "/%7%45"],
  ["/%zz%", "/%zz%"],
  ["/plain", "/plain"],
])("%s is %s", (url, canonical) => {
  expect(canonicalEscapes(url)).toBe(canonical);
});

const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(..."% %% %2 %7E %7e ~ %41 a %2F %2f / %25 %3b ; %C3%A9 %c3%a9 %ff 4 1 E ? & =".split(" ")),
      fc.nat({ max: 255 }).map((byte) => `%${byte.toString(16).padStart(2, "0")}`),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

/** What a text says: characters, escaped bytes of characters that mean something else unescaped, and percent signs that begin nothing. */
function readMeaning(text: string): string[] {
  return [...text.matchAll(/%([0-9a-f]{2})|[\s\S]/gi)].map(([part, hex]) => {
    const character = hex === undefined ? "" : String.fromCharCode(Number.parseInt(hex, 16));
    return /^[\w.~-]$/.test(character) ? character : part.length === 1 ? part : part.toUpperCase();
  });
}

test("normalising any text twice gives the same as once, and the meaning stays", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const canonical = canonicalEscapes(text);
      expect(canonicalEscapes(canonical)).toBe(canonical);
      expect(readMeaning(canonical)).toEqual(readMeaning(text));
    }),
    { numRuns: 3_000 },
  );
});

test("the identity of a page belongs to that page, and two pages with different meanings keep two", () => {
  fc.assert(
    fc.property(anyText, anyText, (a, b) => {
      const [one = null, other] = [a, b].map((text) => canonicalPageUrl(`https://news.example/${text}`));
      expect(one === null ? null : canonicalPageUrl(one)).toBe(one);
      if (one !== null && one === other) {
        const [meant, meantToo] = [a, b].map((text) => readMeaning(new URL(`https://news.example/${text}`).href));
        expect(meant).toEqual(meantToo);
      }
    }),
    { numRuns: 3_000 },
  );
});

test("the other scheme's address, converted back, is the same address", () => {
  expect(withOtherScheme("https://news.example/a")).toBe("http://news.example/a");
  expect(withOtherScheme(withOtherScheme("https://news.example/a?b"))).toBe("https://news.example/a?b");
});
