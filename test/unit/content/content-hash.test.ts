import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashContent } from "../../../src/content/content-hash.ts";

const sections = fc.record({ header: fc.string(), body: fc.string(), footer: fc.string() });

describe("the content hash", () => {
  it("is SHA-256 in lower-case hex over each section with its byte length", () => {
    const encoded = "licet-content-1\n1:h\n2:é\n0:\n";
    expect(hashContent({ header: "h", body: "é", footer: "" })).toBe(
      createHash("sha256").update(encoded).digest("hex"),
    );
  });

  it("is the same for the same sections and different for any others", () => {
    fc.assert(
      fc.property(sections, sections, (a, b) => {
        const same = a.header === b.header && a.body === b.body && a.footer === b.footer;
        expect(hashContent(a) === hashContent(b)).toBe(same);
        expect(hashContent({ ...a })).toBe(hashContent(a));
      }),
    );
  });

  it("is the same for a body that is encoded already", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (body) => {
        const encoded = Buffer.from(body);
        expect(hashContent({ header: "h", body: encoded, footer: "" })).toBe(
          hashContent({ header: "h", body, footer: "" }),
        );
      }),
    );
  });

  it("distinguishes texts that only moved between sections", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), (moved, rest) => {
        const before = hashContent({ header: rest + moved, body: "", footer: "" });
        expect(hashContent({ header: rest, body: moved, footer: "" })).not.toBe(before);
        expect(hashContent({ header: rest, body: "", footer: moved })).not.toBe(before);
      }),
    );
    expect(hashContent({ header: "", body: "1:a\n", footer: "" })).not.toBe(
      hashContent({ header: "", body: "", footer: "1:a\n" }),
    );
  });

  it("survives storage as UTF-8, which replaces a lone surrogate", () => {
    const body = "a\ud800b";
    const stored = Buffer.from(body, "utf8").toString("utf8");
    expect(hashContent({ header: "", body, footer: "" })).toBe(hashContent({ header: "", body: stored, footer: "" }));
  });
});
