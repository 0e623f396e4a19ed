import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Micros } from "../../../../../src/money/micros.ts";
import { type HtmlValue, html } from "../../../../../src/serve/web/html/html.ts";
import { address, amount, foreign, instant, query } from "../../../../../src/serve/web/html/values.ts";

const HOSTILE = `</p><script>alert(1)</script><img src=x onerror="alert('1')">&amp;`;

describe("a value in a template", () => {
  it("is text, whatever it contains", () => {
    expect(String(html`<p>${HOSTILE}</p>`)).toBe(
      "<p>&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;amp;</p>",
    );
  });

  it("cannot end an attribute", () => {
    expect(String(html`<p title="${`" onclick="x`}">a</p>`)).toBe('<p title="&quot; onclick=&quot;x">a</p>');
  });

  it("never opens an element or ends an attribute, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const made = String(html`<p title="${text}">${text}</p>`);
        expect(made.slice('<p title="'.length, -"</p>".length).replace('">', "")).not.toMatch(/[<>"']/);
      }),
    );
  });

  it.each([
    ["javascript:alert(1)", "#"],
    ["JaVaScRiPt:alert(1)", "#"],
    [" javascript:alert(1)", "#"],
    ["data:text/html,x", "#"],
    ["//other.example/", "#"],
    ["/\\other.example/", "#"],
    ["", "#"],
    ["/runs/1?a=b&c=d", "/runs/1?a=b&amp;c=d"],
    ["?cursor=3", "?cursor=3"],
    ["https://news.example/a", "https://news.example/a"],
  ])("leads from an address of %j to %j", (given, leads) => {
    expect(String(html`<a href="${given}">a</a>`)).toBe(`<a href="${leads}">a</a>`);
  });

  it("is shown as it is where another template made it, also in lists", () => {
    expect(String(html`<ul>${[html`<li>${"<"}</li>`, [html`<li>b</li>`, ">"]]}</ul>`)).toBe(
      "<ul><li>&lt;</li><li>b</li>&gt;</ul>",
    );
  });

  it("is not shown where there is none, and zero is", () => {
    expect(String(html`<p>${null}${undefined}${false}${0}</p>`)).toBe("<p>0</p>");
  });

  it("is a page of its own in an inner frame, made by a template", () => {
    expect(String(html`<iframe sandbox="" srcdoc="${html`<p>${'"<'}</p>`}"></iframe>`)).toBe(
      '<iframe sandbox="" srcdoc="&lt;p&gt;&amp;quot;&amp;lt;&lt;/p&gt;"></iframe>',
    );
    expect(() => html`<iframe sandbox="" srcdoc="${"<p>"}"></iframe>`).toThrow("made by a template");
  });

  it("is a flag only by a plain name", () => {
    expect(String(html`<input ${"checked"}><input ${false}>`)).toBe("<input checked><input >");
    expect(() => html`<input ${"x=1 onfocus=y"}>`).toThrow("is a name");
  });

  it.each<[string, () => unknown]>([
    ["an attribute without quotes", () => html`<p title=${"a"}>b</p>`],
    ["the name of an element", () => html`<${"p"}>`],
    ["a script", () => html`<script>${"a"}</script>`],
    ["a style", () => html`<style>${"a"}</style>`],
    ["a comment", () => html`<!-- ${"a"} -->`],
    ["an attribute that runs", () => html`<p onclick="${"a"}">b</p>`],
    ["an attribute of style", () => html`<p style="${"a"}">b</p>`],
    ["an element that does not end", () => html`<p title="${"a"}`],
  ])("is refused as %s, whatever the value", (_place, make) => {
    expect(make).toThrow();
  });

  it("is not an object: it would be shown as [object Object]", () => {
    expect(() => html`<p>${{ toString: () => "<b>" } as unknown as HtmlValue}</p>`).toThrow("is an object");
  });
});

describe("text from elsewhere", () => {
  it("keeps its direction to itself, and shows what a browser would hide", () => {
    expect(String(foreign("a\u202eb\u0000c\u200bd"))).toBe('<bdi class="foreign">a⟨U+202E⟩b␀c⟨U+200B⟩d</bdi>');
  });

  it("keeps line breaks, joined letters and emoji", () => {
    expect(String(foreign("a\n\tb 👩‍🔬 می‌خواهم"))).toContain("a\n\tb 👩‍🔬 می‌خواهم");
  });
});

describe("values", () => {
  it("are written in one way", () => {
    expect(String(amount(1_234_567 as Micros, "USD"))).toContain("1.234567 USD");
    expect(String(instant(Date.UTC(2026, 10, 20, 1, 2, 3)))).toBe(
      '<time datetime="2026-11-20T01:02:03.000Z"><span>2026-11-20</span> <span>01:02:03 UTC</span></time>',
    );
    expect(address`/runs/${"a/b?c"}`).toBe("/runs/a%2Fb%3Fc");
    expect(query({ site: "a&b", cursor: null, state: "" })).toBe("?site=a%26b");
  });
});
