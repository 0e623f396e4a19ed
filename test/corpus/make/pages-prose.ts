/** News, essays and recipes: long texts with what surrounds them. */
import type { CorpusPage } from "./corpus-page.ts";
import { blog, newspaper, oldTable } from "./page-frames.ts";
import { BIRD, HARBOUR, paragraphs, SOUP, WORKSHOP } from "./prose.ts";

const LONG_PARAGRAPHS = 600;

const FIGURE = `<figure><img src="/images/crane-800.jpg" srcset="/images/crane-400.jpg 400w, /images/crane-800.jpg 800w" alt="The crane at dusk" width="800" height="533"><figcaption>The crane at dusk, seen from the ferry.</figcaption></figure>`;

export const PROSE_PAGES: readonly CorpusPage[] = [
  {
    slug: "news-plain",
    frame: newspaper,
    article: { title: "The old crane stays where it is", byline: "Ida Holm", lang: "en", main: paragraphs(HARBOUR) },
  },
  {
    slug: "news-no-author",
    frame: newspaper,
    article: { title: "A vote on the colour of a fence", byline: null, lang: "en", main: paragraphs(HARBOUR.slice(1)) },
  },
  {
    slug: "news-figures",
    frame: newspaper,
    article: {
      title: "What the crane has seen from its arm",
      byline: "Ida Holm",
      lang: "en",
      main: `<p>${HARBOUR[0]}</p>\n${FIGURE}\n<p>${HARBOUR[1]}</p>\n<p><img src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7" alt=""></p>\n<p>${HARBOUR[2]}</p>\n<p>${HARBOUR[3]}</p>`,
    },
  },
  {
    slug: "news-quotations",
    frame: newspaper,
    article: {
      title: "The harbour master on bells, benches and keys",
      byline: "Jonas Petersen and Ida Holm",
      lang: "en",
      main: `${paragraphs(HARBOUR.slice(0, 2))}\n<blockquote><p>A key is a promise that fits into a pocket.</p><blockquote><p>Who said that before you?</p></blockquote><p>My father, when he lost one.</p></blockquote>\n${paragraphs(HARBOUR.slice(2))}`,
    },
  },
  {
    slug: "news-very-long",
    frame: newspaper,
    article: {
      title: "Minutes of all sessions about the crane",
      byline: "The clerk",
      lang: "en",
      main: Array.from(
        { length: LONG_PARAGRAPHS },
        (_, index) => `<p>Session ${index + 1}. ${HARBOUR[index % HARBOUR.length]}</p>`,
      ).join("\n"),
    },
  },
  {
    slug: "news-links",
    frame: newspaper,
    article: {
      title: "Where to read more about cranes and gulls",
      byline: "Ida Holm",
      lang: "en",
      main: `<p>${HARBOUR[0]} See <a href="/news/first">the first report</a>, <a href="second?x=1&amp;y=2#top">the second</a>, <a href="//other.example/a%20b">a neighbour's</a> and <a href="mailto:desk@gazette.example">write to us</a>.</p>\n${paragraphs(HARBOUR.slice(1))}`,
    },
  },
  {
    slug: "blog-bench",
    frame: blog,
    article: { title: "A bench made of a school", byline: "Ruth Adler", lang: "en", main: paragraphs(WORKSHOP) },
  },
  {
    slug: "blog-headings",
    frame: blog,
    article: {
      title: "Four things I know about benches now",
      byline: "Ruth Adler",
      lang: "en",
      main: WORKSHOP.map(
        (text, index) => `<h${index + 2}>Number ${index + 1}: <em>keep it</em> heavy</h${index + 2}>\n<p>${text}</p>`,
      ).join("\n"),
    },
  },
  {
    slug: "blog-emphasis",
    frame: blog,
    article: {
      title: "Words that lean and words that shout",
      byline: "Ruth Adler",
      lang: "en",
      main: `<p>${WORKSHOP[0]} It was <b>loud</b>, <i>very</i> <b><i>loud</i></b>, un<em>believ</em>ably loud, and 2*3*4 is not_a_word, nor is ~~this~~ gone. <s>Not so.</s> <u>Under</u> and H<sub>2</sub>O and x<sup>2</sup>.</p>\n${paragraphs(WORKSHOP.slice(1))}`,
    },
  },
  {
    slug: "blog-emoji",
    frame: blog,
    article: {
      title: "Signs that are more than one letter",
      byline: "Ruth Adler",
      lang: "en",
      main: `<p>👩🏽‍🔧 ${WORKSHOP[0]}</p>\n<p>🇸🇪 ${WORKSHOP[1]} Cafe\u0301 or café, both 𝔣𝔯𝔞𝔨𝔱𝔲𝔯. Soft\u00adhyphen, zero\u200bwidth, a\u00a0space.</p>\n${paragraphs(WORKSHOP.slice(2))}`,
    },
  },
  {
    slug: "recipe-soup",
    frame: blog,
    article: {
      title: "Onion soup with barley for slow days",
      byline: "Marta Olsen",
      lang: "en",
      main: `<p>${SOUP[0]}</p>\n<ul><li>500 g of onions</li><li>120 g of pearl barley</li><li>40 g of butter</li><li>1.5 l of stock</li><li>½ tsp of vinegar</li></ul>\n<ol><li>${SOUP[1]}</li><li>${SOUP[2]}</li></ol>\n<p>Enough for four, or for two with a <strong>cold</strong> tomorrow.</p>`,
    },
  },
  {
    slug: "poem",
    frame: blog,
    article: {
      title: "Three verses for a crane at night",
      byline: "Ruth Adler",
      lang: "en",
      main: `<p>${WORKSHOP[1]}</p>\n<p>It lifts no more than the weight of rain,<br>\nand puts it down where it was,<br>\nand turns its head to the sea again<br>\nwithout ever asking the cause.</p>\n<p>It has a lamp that nobody lit,<br>a chain that nobody wound,<br/>and all the gulls that have time for it<br /><br />are sleeping close to the ground.</p>\n${paragraphs(WORKSHOP.slice(2))}`,
    },
  },
  {
    slug: "wiki-bird",
    frame: oldTable,
    article: {
      title: "Grey shore lark",
      byline: null,
      lang: "en",
      main: `<p>${BIRD[0]}<sup><a href="#n1">[1]</a></sup></p>\n<h2>Breeding</h2>\n<p>${BIRD[1]}</p>\n<h2>Numbers</h2>\n<p>${BIRD[2]}</p>\n<ol><li id="n1">Made up for this page.</li></ol>`,
    },
  },
];
