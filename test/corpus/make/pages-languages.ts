/** Pages in other encodings, with right declarations and wrong ones, and pages that are read from the right. */
import type { CorpusPage } from "./corpus-page.ts";
import type { Encoding } from "./encode-text.ts";
import { newspaper, oldTable } from "./page-frames.ts";
import { HARBOUR, paragraphs, STORIES } from "./prose.ts";

type Language = keyof typeof STORIES;

const TITLES: Readonly<Record<Language, string>> = {
  de: "Eine Kuh hält den Zug nach Süden auf",
  fr: "Une vache arrête le train du sud à midi",
  pl: "Krowa zatrzymała pociąg jadący na południe",
  ru: "Корова остановила поезд, который шёл на юг",
  ja: "南へ向かう列車を止めた一頭の牛の話",
  zh: "一头牛让往南的火车晚了一个小时",
  "zh-Hant": "一頭牛讓往南的火車晚了一個小時",
  ko: "남쪽으로 가는 기차를 세운 소 이야기",
  ar: "بقرة توقف القطار المتجه إلى الجنوب",
  he: "פרה עצרה את הרכבת בדרך לדרום",
};

function story(language: Language, dir?: "rtl"): CorpusPage["article"] {
  const main = paragraphs(STORIES[language]);
  return { title: TITLES[language], byline: "K. Weber", lang: language, main, ...(dir === undefined ? {} : { dir }) };
}

function encoded(slug: string, language: Language, encoding: Encoding, declared: string = encoding): CorpusPage {
  return { slug, frame: newspaper, article: story(language), encoding, declared };
}

export const LANGUAGE_PAGES: readonly CorpusPage[] = [
  encoded("encoding-windows-1252", "de", "windows-1252"),
  encoded("encoding-latin-1-declared", "fr", "windows-1252", "iso-8859-1"),
  encoded("encoding-iso-8859-2", "pl", "iso-8859-2"),
  encoded("encoding-windows-1251", "ru", "windows-1251"),
  encoded("encoding-koi8-r", "ru", "koi8-r"),
  encoded("encoding-shift-jis", "ja", "shift_jis"),
  encoded("encoding-euc-jp", "ja", "euc-jp"),
  encoded("encoding-gb2312-declared", "zh", "gb18030", "gb2312"),
  encoded("encoding-big5", "zh-Hant", "big5"),
  encoded("encoding-euc-kr", "ko", "euc-kr"),
  encoded("encoding-utf-16le", "ru", "utf-16le", "utf-16"),
  encoded("encoding-utf-16be", "ja", "utf-16be", "utf-16"),
  encoded("encoding-utf-8-declared-otherwise", "fr", "utf-8", "iso-8859-1"),
  { slug: "encoding-utf-8-unknown-label", frame: newspaper, article: story("pl"), declared: "unicode-of-some-kind" },
  {
    slug: "encoding-old-page",
    frame: oldTable,
    article: { ...story("de"), main: paragraphs([...STORIES.de, ...HARBOUR]) },
    encoding: "windows-1252",
  },
  {
    slug: "encoding-declared-late",
    frame: (article, charset) =>
      newspaper(article, charset).replace("<head>", `<head>\n<!-- ${"a long notice ".repeat(100)}-->`),
    article: story("ru"),
    encoding: "windows-1251",
  },
  { slug: "rtl-arabic", frame: newspaper, article: story("ar", "rtl") },
  { slug: "rtl-hebrew", frame: newspaper, article: story("he", "rtl") },
  {
    slug: "rtl-mixed",
    frame: newspaper,
    article: {
      title: "Two readers of one timetable",
      byline: "K. Weber",
      lang: "en",
      main: `<p>${HARBOUR[0]}</p>\n<p dir="rtl" lang="ar">${STORIES.ar[0]}</p>\n<p><bdo dir="rtl">abc</bdo> and <bdi>${STORIES.he[2]}</bdi></p>\n${paragraphs(HARBOUR.slice(1))}`,
    },
  },
];
