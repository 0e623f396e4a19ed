import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toSafeJson } from "../../../src/cli/output/safe-json.ts";
import { textTable } from "../../../src/cli/output/text-table.ts";
import { plainLines, plainText } from "../../../src/plain-text.ts";

/** Written apart from the code: by code point, what must never reach a terminal. */
function isDangerous(codePoint: number): boolean {
  return (
    codePoint < 0x20 ||
    (codePoint >= 0x7f && codePoint <= 0x9f) ||
    codePoint === 0xad ||
    codePoint === 0x61c ||
    (codePoint >= 0x200b && codePoint <= 0x200f) ||
    (codePoint >= 0x2028 && codePoint <= 0x202e) ||
    (codePoint >= 0x2060 && codePoint <= 0x206f) ||
    (codePoint >= 0xd800 && codePoint <= 0xdfff) ||
    codePoint === 0xfeff ||
    (codePoint >= 0xfff9 && codePoint <= 0xfffb) ||
    (codePoint >= 0xe0000 && codePoint <= 0xe0fff)
  );
}

const dangerousIn = (text: string) =>
  Array.from(text).filter((character) => isDangerous(character.codePointAt(0) ?? 0));

/** Any UTF-16 units, and often those that matter. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom(
        "\u001b",
        "\u001b]",
        "\u001b[",
        "\u009b",
        "\u0007",
        "\u001b\\",
        "31m",
        "\ud83d",
        "\ude00",
        "\udb40",
        "\udc41",
        "\u202e",
        "\u200b",
        "\n",
        "a",
      ),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

describe("plainText", () => {
  test("lets no control character for a terminal through, whatever comes in", () => {
    fc.assert(fc.property(hostileText, (text) => dangerousIn(plainText(text)).length === 0));
  });

  test("is idempotent", () => {
    fc.assert(fc.property(hostileText, (text) => plainText(plainText(text)) === plainText(text)));
  });

  test("leaves printable ASCII as it is", () => {
    const printable = fc.string({
      unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    });
    fc.assert(fc.property(printable, (text) => plainText(text) === text));
  });

  test.each([
    ["colours", "\u001b[31;1mred\u001b[0m", "red"],
    ["8-bit CSI", "\u009b2Jgone", "gone"],
    ["a window title", "a\u001b]0;pwned\u0007b", "ab"],
    ["a hyperlink", "\u001b]8;;https://evil.example\u001b\\text\u001b]8;;\u001b\\", "text"],
    ["a device control string", "\u001bP1$r\u001b\\x", "x"],
    ["a reset", "\u001bcx", "x"],
    ["a line that overwrites another", "good\rbad", "good bad"],
    ["lines", "a\r\nb\u2028c", "a b c"],
    ["reversed text", "a\u202egnp.exe", "agnp.exe"],
    ["hidden letters", "pay\u200bpal\ufeff", "paypal"],
    ["a lone surrogate", "a\ud800b", "a\ufffdb"],
    ["tag characters", "a\u{e0041}\u{e0042}b", "ab"],
    ["a surrogate pair split by an invisible character", "\udb40\u200b\udc41", "\ufffd\ufffd"],
  ])("removes %s", (_, text, plain) => {
    expect(plainText(text)).toBe(plain);
  });

  test("keeps other scripts and emoji", () => {
    expect(plainText("Überraschung 日本語 עברית 🦀")).toBe("Überraschung 日本語 עברית 🦀");
  });

  test("takes time in proportion to the text, also for unfinished sequences", () => {
    expect(plainText("\u001b]".repeat(200_000))).toBe("");
    expect(plainText(`\u001b[${"0".repeat(200_000)}`)).toBe("");
  });

  test("with lines, keeps the breaks", () => {
    expect(plainLines("a\u001b[1m\nb\tc")).toBe("a\nb c");
  });
});

describe("toSafeJson", () => {
  test("contains no raw control character for a terminal, and is still the same value", () => {
    fc.assert(
      fc.property(fc.dictionary(hostileText, hostileText), (value) => {
        const json = toSafeJson(value, 0);
        expect(dangerousIn(json)).toEqual([]);
        // A lone surrogate is escaped by JSON itself and comes back as it was.
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe("textTable", () => {
  test("aligns plain cells, whatever the caller passes", () => {
    expect(
      textTable(
        ["page", "n"],
        [
          ["a\u001b[31m\nb", "10"],
          ["c", "7"],
        ],
        ["left", "right"],
      ),
    ).toBe("  page   n\n  a b   10\n  c      7\n");
  });
});
