import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeMessage, encodeMessage } from "../../../src/ledger/messages/message.ts";

const throughMessage = (data: unknown) => decodeMessage(encodeMessage(data));

/** Whatever an operation may be asked or answer with, to any depth. */
const data = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string({ unit: "binary" }),
    fc.double(),
    fc.boolean(),
    fc.constantFrom(null, undefined),
    fc.bigInt(),
    fc.date(),
    fc.uint8Array({ maxLength: 20 }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.string({ maxLength: 4 }), tie("value"), { maxKeys: 4, noNullPrototype: true }),
    fc.array(fc.tuple(tie("value"), tie("value")), { maxLength: 3 }).map((entries) => new Map(entries)),
    fc.array(tie("value"), { maxLength: 3 }).map((values) => new Set(values)),
  ),
})).value;

describe("a message", () => {
  test("brings any plain data back exactly as it was, and leaves what it was given alone", () => {
    fc.assert(
      fc.property(data, (value) => {
        const before = structuredClone(value);
        expect(throughMessage(value)).toStrictEqual(before);
        expect(value).toStrictEqual(before);
      }),
      { numRuns: 500 },
    );
  });

  test("holds bytes in one piece that is a copy: who asked may change or ask again with their own", () => {
    const pool = Buffer.from("before the body after");
    const body = pool.subarray(7, 15);
    const { text, bytes } = encodeMessage([{ body }, { body }]);
    pool.fill(0);
    expect(text).not.toContain("body,");
    expect(bytes?.buffer.byteLength).toBe(16);
    expect(decodeMessage({ text, bytes })).toEqual([
      { body: new Uint8Array(Buffer.from("the body")) },
      { body: new Uint8Array(Buffer.from("the body")) },
    ]);
    expect(encodeMessage({ body: "text" }).bytes).toBeNull();
  });

  test.each([
    ["a function", { of: [() => 1] }, "of.0"],
    ["a symbol", { of: Symbol("x") }, "of"],
    ["an object of a class", { of: new URL("https://example.com") }, "of"],
    ["an error", new Error("x"), "the data"],
  ])("refuses %s, and says where it is", (_, value, place) => {
    expect(() => encodeMessage(value)).toThrow(`bug: ${place} of a message is`);
  });
});
