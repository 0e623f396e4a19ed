/** Manuals, threads and reports: lists in lists, code, tables, formulas. */
import type { CorpusPage } from "./corpus-page.ts";
import { bare, blog, manual, newspaper } from "./page-frames.ts";
import { BIRD, LATHE, paragraphs, WORKSHOP } from "./prose.ts";

const TABLE_ROWS = 40;

const CODE = `; a groove of 3 mm
TOOL 4
SPINDLE 900 rpm   &amp;&amp; WAIT
FOR x = 0 TO 3 {
	CUT x &lt; 2 ? 0.5 : 0.25   \`fine\`
}
\`\`\`
END **not bold**`;

export const STRUCTURE_PAGES: readonly CorpusPage[] = [
  {
    slug: "manual-code",
    frame: manual,
    article: {
      title: "Writing a programme for the lathe",
      byline: null,
      lang: "en",
      main: `<p>${LATHE[0]}</p>\n<pre><code class="language-gcode">${CODE}</code></pre>\n<p>${LATHE[1]} The command is <code>TOOL n</code>, or <code>\`TOOL\`</code> in quotes.</p>\n<div class="highlight"><pre><span class="k">SPINDLE</span> <span class="m">900</span>\n\n<span class="k">END</span>\n</pre></div>\n<p>${LATHE[2]}</p>`,
    },
  },
  {
    slug: "manual-lists",
    frame: manual,
    article: {
      title: "What to check before the first cut",
      byline: null,
      lang: "en",
      main: `<p>${LATHE[1]}</p>\n<ol start="3"><li>The bed<ul><li>is clean,<ol type="a"><li>at the left end, and</li><li>at the right end;</li></ol></li><li>is oiled.</li></ul></li><li><p>The spindle turns freely.</p><p>It does not sing.</p></li><li><pre><code>SPINDLE 0</code></pre></li></ol>\n<ul><li>1. not a number</li><li>- not a dash</li><li># not a heading</li><li><label><input type="checkbox" checked> done</label></li></ul>\n<p>${LATHE[2]}</p>`,
    },
  },
  {
    slug: "manual-definitions",
    frame: manual,
    article: {
      title: "Words that the lathe's display uses",
      byline: null,
      lang: "en",
      main: `<p>${LATHE[0]}</p>\n<dl><dt>FEED</dt><dd>How fast the tool moves along the bed.</dd><dt>DEPTH</dt><dt>CUT</dt><dd>How much the tool takes away.</dd><dd>Also the key that starts it.</dd></dl>\n<p><abbr title="revolutions per minute">rpm</abbr> and <kbd>Ctrl</kbd>+<kbd>C</kbd> and <samp>READY</samp> and <var>x</var>.</p>\n<details open><summary>More</summary><p>${LATHE[2]}</p></details>\n<p>${LATHE[1]}</p>`,
    },
  },
  {
    slug: "manual-table",
    frame: manual,
    article: {
      title: "Instructions of the lathe and their arguments",
      byline: null,
      lang: "en",
      main: `<p>${LATHE[0]}</p>\n<table><caption>Instructions</caption><thead><tr><th>Name</th><th align="right">Arguments</th><th>Meaning</th></tr></thead><tbody><tr><td><code>TOOL</code></td><td align="right">1</td><td>Takes a tool; <b>never</b> by hand.</td></tr><tr><td><code>CUT|TRIM</code></td><td align="right">2</td><td>Takes away<br>a little.</td></tr><tr><td>END</td><td></td><td>Stops.</td></tr></tbody></table>\n<p>${LATHE[1]}</p>\n<p>${LATHE[2]}</p>`,
    },
  },
  {
    slug: "report-long-table",
    frame: newspaper,
    article: {
      title: "Every bird counted on the pier this year",
      byline: "Ida Holm",
      lang: "en",
      main: `${paragraphs(BIRD)}\n<table><tr><th>Week</th><th>Larks</th><th>Gulls</th><th>Share</th></tr>${Array.from(
        { length: TABLE_ROWS },
        (_, week) =>
          `<tr><td>${week + 1}</td><td>${(week * 37) % 91}</td><td>${(week * 53) % 97}</td><td>${((week * 7) % 100) / 10} %</td></tr>`,
      ).join("\n")}</table>\n<p>${WORKSHOP[1]}</p>`,
    },
  },
  {
    slug: "report-spanned-table",
    frame: newspaper,
    article: {
      title: "Who lifts what, and on which days",
      byline: "Ida Holm",
      lang: "en",
      main: `<p>${WORKSHOP[0]}</p>\n<table><tr><th rowspan="2">Crane</th><th colspan="2">Tonnes</th></tr><tr><th>Monday</th><th>Friday</th></tr><tr><td>Old</td><td colspan="2">none</td></tr><tr><td>New</td><td>12</td><td><ul><li>9 before noon</li><li>4 after</li></ul></td></tr></table>\n${paragraphs(WORKSHOP.slice(1))}`,
    },
  },
  {
    slug: "thread",
    frame: blog,
    article: {
      title: "My plane jumps over the knots, what now?",
      byline: "oak_and_ale",
      lang: "en",
      main: `<div class="post"><p><b>oak_and_ale</b> wrote on 3 March:</p><p>${WORKSHOP[0]}</p></div>\n<div class="post"><p><b>grain</b> wrote on 4 March:</p><blockquote><p>full of nails that nobody had counted</p></blockquote><p>${WORKSHOP[1]}</p></div>\n<div class="post"><p><b>oak_and_ale</b> wrote on 4 March:</p><blockquote><p>&gt; full of nails</p></blockquote><p>${WORKSHOP[2]}</p><p>-- <br>Sent from a shed</p></div>`,
    },
  },
  {
    slug: "questions",
    frame: blog,
    article: {
      title: "Questions that visitors ask about the bench",
      byline: "Ruth Adler",
      lang: "en",
      main: WORKSHOP.map((text, index) => `<h3>Q${index + 1}. Is that so?</h3>\n<p>${text}</p>`).join("\n<hr>\n"),
    },
  },
  {
    slug: "formulas",
    frame: bare,
    article: {
      title: "How far a heavy bench walks in a year",
      byline: "Ruth Adler",
      lang: "en",
      main: `<p>${WORKSHOP[1]}</p>\n<p>The way is <i>s</i> = ½ <i>a t</i><sup>2</sup>, or in words: a[i] * b[j] &lt;= c_{max}, 5 &lt; 6 &amp;&amp; 7 &gt; 6, and \\(s\\) stands for $s$.</p>\n${paragraphs(WORKSHOP.slice(2))}`,
    },
  },
  {
    slug: "bare-text",
    frame: bare,
    article: { title: "A text without anything around it", byline: "Marta Olsen", lang: "en", main: paragraphs(LATHE) },
  },
];
