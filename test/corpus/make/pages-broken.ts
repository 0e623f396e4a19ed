/** HTML as nobody should write it and many do, and pages full of what nobody reads. */
import type { CorpusPage } from "./corpus-page.ts";
import { blog, newspaper, oldTable } from "./page-frames.ts";
import { HARBOUR, paragraphs, WORKSHOP } from "./prose.ts";

const NESTED_LEVELS = 60;

export const BROKEN_PAGES: readonly CorpusPage[] = [
  {
    slug: "broken-unclosed",
    frame: oldTable,
    article: {
      title: "Tags that were opened and left behind",
      byline: "Ruth Adler",
      lang: "en",
      main: `<p>${WORKSHOP[0]}\n<p>${WORKSHOP[1]}\n<ul><li>heavy<li>oak<li>low</ul>\n<p><b>${WORKSHOP[2]}\n<p>${WORKSHOP[3]}`,
    },
  },
  {
    slug: "broken-nesting",
    frame: blog,
    article: {
      title: "Tags that were closed in the wrong order",
      byline: "Ruth Adler",
      lang: "en",
      main: `<p><b><i>${WORKSHOP[0]}</b></i></p>\n<div><span><p>${WORKSHOP[1]}</div></span>\n<a href="/a"><p>${WORKSHOP[2]}</p></a>\n<p>${WORKSHOP[3]}</p></section></div2>`,
    },
  },
  {
    slug: "broken-entities",
    frame: blog,
    article: {
      title: "Ampersands &amp; what they stand for",
      byline: "Ruth Adler",
      lang: "en",
      main: `<p>${WORKSHOP[0]} AT&T, R&D;, &copy 2026, &#8364;, &#x20AC;, &#128;, &nbsp;, &notit;, &unknown; &lt;b&gt;not a tag&lt;/b&gt; 3 < 4 and 5 > 4.</p>\n${paragraphs(WORKSHOP.slice(1))}`,
    },
  },
  {
    slug: "broken-attributes",
    frame: blog,
    article: {
      title: "Attributes without quotes, twice or half",
      byline: "Ruth Adler",
      lang: "en",
      main: `<p class=a class="b" data-x='1"2' title=it's>${WORKSHOP[0]}</p>\n<p><a href=/one/two?x=1&y=2 title="a &quot;b&quot;">a link</a> and <a href=" \n/three ">another</a>. ${WORKSHOP[1]}</p>\n${paragraphs(WORKSHOP.slice(2))}`,
    },
  },
  {
    slug: "broken-table",
    frame: newspaper,
    article: {
      title: "A table that has lost half of its tags",
      byline: "Ida Holm",
      lang: "en",
      main: `<p>${HARBOUR[0]}</p>\n<table><tr><td>Crane<td>Age<tr><td>old<td>90\n<tr><td>new<td>4</table>\n${paragraphs(HARBOUR.slice(1))}`,
    },
  },
  {
    slug: "broken-deep",
    frame: newspaper,
    article: {
      title: "A text that lies very deep in the page",
      byline: "Ida Holm",
      lang: "en",
      main: `${"<div>".repeat(NESTED_LEVELS)}${paragraphs(HARBOUR)}${"</div>".repeat(NESTED_LEVELS)}`,
    },
  },
  {
    slug: "broken-headings",
    frame: blog,
    article: {
      title: "Headings that say nothing or everything",
      byline: "Ruth Adler",
      lang: "en",
      main: `<h2></h2>\n<p>${WORKSHOP[0]}</p>\n<h6>A heading<br>of two lines</h6>\n<p>${WORKSHOP[1]}</p>\n<h2><a href="#x">With a link</a></h2>\n${paragraphs(WORKSHOP.slice(2))}`,
    },
  },
  {
    slug: "unseen-parts",
    frame: newspaper,
    article: {
      title: "What is in the page and is not for readers",
      byline: "Ida Holm",
      lang: "en",
      main: `<p>${HARBOUR[0]}<!-- a comment --><script>document.write("<p>written</p>")</script></p>\n<style>.x { content: "styled" }</style>\n<noscript><img src="/pixel.gif" alt=""></noscript>\n<template><p>a template</p></template>\n${paragraphs(HARBOUR.slice(1))}`,
    },
    expected: paragraphs(HARBOUR),
  },
  {
    slug: "script-links",
    frame: newspaper,
    article: {
      title: "Links that would rather be programmes",
      byline: "Ida Holm",
      lang: "en",
      main: `<p>${HARBOUR[0]} <a href="javascript:alert(1)">press here</a> or <a href="data:text/html,x" onclick="alert(2)">there</a>.</p>\n${paragraphs(HARBOUR.slice(1))}`,
    },
  },
  {
    slug: "spaces",
    frame: blog,
    article: {
      title: "Where a space is more than a space",
      byline: "Ruth Adler",
      lang: "en",
      main: `<p>   ${WORKSHOP[0]}   </p>\n\n\n<p>\n\t${WORKSHOP[1]}\n</p>\n<p>&nbsp;</p>\n<p>a<b> b</b>c <i>d </i>e<br>\n   f</p>\n<div>${WORKSHOP[2]}</div>\n<div> ${WORKSHOP[3]} </div>`,
    },
  },
];
