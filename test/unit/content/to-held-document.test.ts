import { describe, expect, it } from "vitest";
import type { ConversionOutcome, PageMetadata } from "../../../src/content/document.ts";
import { toHeldDocument } from "../../../src/content/to-held-document.ts";

const url = "https://news.example/a";
const metadata: PageMetadata = {
  author: "A",
  description: null,
  imageUrl: null,
  modified: null,
  published: "5 May",
  title: "T",
};
const markdownSections = { header: "nav", body: "# a", footer: "end" };
const htmlSections = { header: "<nav>", body: "<h1>a</h1>", footer: "" };
const converted: ConversionOutcome = { ok: true, markdown: "# a" };
const failed: ConversionOutcome = { ok: false, reason: "timed_out", detail: "not converted within 5 ms" };

describe("the document held of a page", () => {
  it("has the gateway's Markdown as it came", () => {
    const held = toHeldDocument({ url, format: "markdown", sections: markdownSections, metadata, conversion: null });
    expect(held).toMatchObject({
      url,
      markdown: "# a",
      html: null,
      header: "nav",
      footer: "end",
      metadata,
      conversion: null,
    });
  });

  it("has the HTML and the Markdown derived from it, once", () => {
    const held = toHeldDocument({ url, format: "both", sections: htmlSections, metadata, conversion: converted });
    expect(held).toMatchObject({ markdown: "# a", html: "<h1>a</h1>", conversion: { ok: true } });
    expect(JSON.stringify(held).split("# a")).toHaveLength(2);
  });

  it("has the HTML alone where nothing was to be derived", () => {
    const held = toHeldDocument({ url, format: "html", sections: htmlSections, metadata, conversion: null });
    expect(held).toMatchObject({ markdown: null, html: "<h1>a</h1>", conversion: null });
  });

  it("has the HTML and the reason when its conversion failed", () => {
    const held = toHeldDocument({ url, format: "both", sections: htmlSections, metadata, conversion: failed });
    expect(held).toMatchObject({ markdown: null, html: "<h1>a</h1>", conversion: failed });
  });

  it("has one hash whether Markdown was derived, failed or was not wanted, and is plain JSON", () => {
    const both = toHeldDocument({ url, format: "both", sections: htmlSections, metadata, conversion: converted });
    const html = toHeldDocument({ url, format: "html", sections: htmlSections, metadata, conversion: null });
    const lost = toHeldDocument({ url, format: "both", sections: htmlSections, metadata, conversion: failed });
    expect(new Set([both.contentHash, html.contentHash, lost.contentHash]).size).toBe(1);
    expect(JSON.parse(JSON.stringify(both))).toEqual(both);
  });
});
