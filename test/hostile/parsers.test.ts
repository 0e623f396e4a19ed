import fc from "fast-check";
import { expect, test } from "vitest";
import { cutBody } from "../../src/gateway/body-bytes.ts";
import { readContent } from "../../src/gateway/endpoints/content.ts";
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

/** Of every kind that JSON writes without a number: letters of one to four bytes, escapes of one letter. */
const plainText = fc
  .array(
    fc.constantFrom(
      "a",
      "é",
      "ÿ",
      "“",
      "😀",
      "\u0085",
      "\u2028",
      "\ufeff",
      "\u007f",
      "\n",
      "\t",
      '"',
      "\\",
      "/",
      "body",
    ),
  )
  .map((letters) => letters.join(""));
/** Fields in any order, also twice, in whatever has a body. */
const contentAnswer = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom("body", "body", "header", "__proto__"), plainText), { maxLength: 4 }),
    fc.oneof(
      { weight: 4, arbitrary: plainText },
      { weight: 1, arbitrary: nastyText },
      { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 10 }) },
    ),
    fc.constantFrom("body", "b\\u006fdy", "é", "x", "x", "x"),
    fc.constantFrom("content", "content", "content", "other"),
  )
  .map(([fields, other, field, name]) => {
    const content = fields.map(([field, text]) => `"${field}" :\n${JSON.stringify(text)}`).join(",");
    return `{"metadata":{"title":${JSON.stringify(other)}},"${field}":"ü","${name}":{${content}},"rate":{"price":{"priceMicros":1e3,"currency":"USD"}}}`;
  });
/** A byte more, a byte less, a byte that is another. */
const damage = fc.option(fc.tuple(fc.nat(), fc.nat(255), fc.constantFrom(0, 1, 2)), { nil: null, freq: 1 });

test("a content answer whose body is cut out as bytes is the answer that is parsed as a text, whatever it says", () => {
  let cut = 0;
  fc.assert(
    fc.property(contentAnswer, damage, (text, change) => {
      const whole = Buffer.from(text);
      const at = change === null ? 0 : change[0] % whole.length;
      const answer =
        change === null
          ? whole
          : Buffer.concat([
              whole.subarray(0, at),
              Buffer.from([change[1]].slice(0, change[2])),
              whole.subarray(at + 1),
            ]);
      const found = cutBody(answer);
      if (found !== null) {
        cut += 1;
        const read = readContent(found.json, found.body);
        expect(read).toEqual(readContent(parseJson(answer)));
        const content = (parseJson(answer) as { content: { body: string } }).content;
        expect(found.body.equals(Buffer.from(content.body))).toBe(true);
        content.body = "";
        expect(found.json).toEqual({ ...(parseJson(answer) as object), content });
      }
    }),
    { ...SEED, numRuns: 2_000 },
  );
  expect(cut).toBeGreaterThan(300);
});

test("the body of a content answer is its bytes for those who store it, and a text for those who read it", () => {
  const text = "Näïve “quotes”\n\t/ 😀 \u0085\u2028";
  const found = cutBody(Buffer.from(JSON.stringify({ content: { body: text, header: "é" } })));
  const read = readContent(found?.json, found?.body);
  expect(read).toMatchObject({ body: text, bodyBytes: Buffer.from(text), header: "é" });
  expect(JSON.parse(JSON.stringify(read))).toMatchObject({ body: text });
  expect(Object.keys(read)).not.toContain("bodyBytes");
  // Half a character, and letters that are not UTF-8, are for the parser of texts.
  expect(cutBody(Buffer.from('{"content":{"body":"\\ud800"}}'))).toBeNull();
  expect(cutBody(Buffer.from('{"content":{"body":"\xff"}}', "latin1"))).toBeNull();
});
