import fc from "fast-check";
import { expect, test } from "vitest";
import { NOT_JSON, parseJson } from "../../src/gateway/json-answer.ts";
import { nastyText, SEED } from "./hostile-values.ts";

const wellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, "\ufffd");

/** Writes every UTF-16 unit as an escape, as a gateway may. */
const escapeAll = (text: string) =>
  `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")}"`;

test("a text that arrives as JSON is the same text, except for half characters, however it was escaped", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        nastyText,
        fc.string({ unit: "binary" }),
        fc.constantFrom("\\ud800", "\\\\ud83d\\ude00", "😀\ud83d😀\ude00"),
      ),
      (text) => {
        for (const json of [
          JSON.stringify(text),
          escapeAll(text),
          escapeAll(text).toUpperCase().replace(/\\U/g, "\\u"),
        ]) {
          expect(parseJson(Buffer.from(json))).toBe(wellFormed(text));
          expect(parseJson(Buffer.from(`{"\\ud800": [${json}]}`))).toEqual({ "\ufffd": [wellFormed(text)] });
        }
      },
    ),
    { ...SEED, numRuns: 300 },
  );
});

test("bytes that are not JSON are reported as that, and nothing is thrown for any of them", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const value = parseJson(Buffer.from(bytes));
      expect(value === NOT_JSON || JSON.stringify(value) !== undefined).toBe(true);
    }),
    { ...SEED, numRuns: 300 },
  );
  const deep = 1_000_000;
  expect(() => parseJson(Buffer.from("[".repeat(deep)))).not.toThrow();
  expect(() => parseJson(Buffer.from("[".repeat(deep) + "]".repeat(deep)))).not.toThrow();
});
