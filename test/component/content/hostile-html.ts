import fc from "fast-check";

/** Texts that mean something to HTML, Markdown, URLs or the converter itself. */
const HOSTILE_TEXTS = [
  "<script>alert(1)</script>",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "&amp;lt;script&amp;gt;",
  "[x](javascript:alert(1))",
  "[x]: javascript:alert(1)",
  "&lt;javascript:alert(1)&gt;",
  "![x](data:text/html,x)",
  "`",
  "``",
  "```",
  "~~~",
  "\\",
  "|",
  "!",
  "<",
  "&lt;",
  "&lt",
  "\n",
  "&#10;",
  "&nbsp;",
  " ",
  "    ",
  "a",
  "# b",
  "1. c",
  "- d",
  "> e",
  "*",
  "_",
  "\uE000",
  "\uE0000\uE001",
  "\uE002[",
  "\u0000",
  "]]>",
  "<!--",
  "-->",
  "<![CDATA[x]]>",
  "</td>",
  "</ul>",
  "<br>",
  "<hr>",
  "<li>",
  "<p>",
  "<td>",
  "<base href=javascript:x>",
  "<plaintext>",
];
const HOSTILE_URLS = [
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  " java\nscript:alert(1)",
  "java&#9;script:alert(1)",
  "&#1;javascript:alert(1)",
  "&#106;avascript:alert(1)",
  "vbscript:x",
  "data:text/html;base64,PHNjcmlwdD4=",
  "DATA:image/png;base64,AAAA",
  "blob:https://x/y",
  "file:///etc/passwd",
  "//other.example/x",
  "/a(b)c|d`e<f>\\g&amp;copy;h",
  "mailto:a)<script>@b.example",
  "?q=[x](javascript:y)",
  "#f",
  "",
  "http://",
  "http://[",
  "https://a.example/%0A%3Cscript%3E",
  "x\uE0000\uE001",
];
const ELEMENTS = (
  "a abbr b blockquote body button caption center code dd del details div dl dt em figure font form h1 h2 h6 head html i " +
  "iframe img kbd li math mi noscript object ol p pre q script section select span strong style sub summary svg table " +
  "tbody td template textarea tfoot th thead title tr tt u ul x-y xmp"
).split(" ");

const hostileText = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
);
const attribute = fc.oneof(
  fc.constantFrom(...HOSTILE_URLS).map((url) => ` href="${url}" src="${url}"`),
  fc.constantFrom(...HOSTILE_TEXTS).map((text) => ` title="${text}" alt="${text}"`),
  fc.constantFrom(
    " colspan=3",
    " rowspan=2",
    " colspan=-1",
    " rowspan=99999999",
    " start=7",
    " class='language-x y'",
    "",
  ),
);

/** HTML built as a tree, with hostile text and attributes in any place. */
export const hostileTree: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    hostileText,
    fc
      .tuple(
        fc.constantFrom(...ELEMENTS),
        fc.array(attribute, { maxLength: 2 }),
        fc.array(tie("node"), { maxLength: 4 }),
      )
      .map(([name, attributes, children]) => `<${name}${attributes.join("")}>${children.join("")}</${name}>`),
  ),
})).node;

/** Tags, ends of tags and texts in no order at all. */
export const hostileSoup: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      hostileText,
      fc.tuple(fc.constantFrom(...ELEMENTS), attribute).map(([name, attributes]) => `<${name}${attributes}>`),
      fc.constantFrom(...ELEMENTS).map((name) => `</${name}>`),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));
