/** Sitemaps in the shapes that publishers and their tools write. */

export interface SitemapFile {
  readonly site: string;
  readonly name: string;
  readonly text: string;
}

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>';
const XMLNS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const STORIES = 120;
const SECTIONS = ["guides", "glossary", "reviews"];
const PAGES_PER_SECTION = 45;
const DAY_MS = 86_400_000;
const NEWEST_AT = Date.UTC(2026, 5, 30, 7, 15);

function date(daysAgo: number): string {
  return new Date(NEWEST_AT - daysAgo * DAY_MS).toISOString();
}

function url(loc: string, lastMod: string | null, more = ""): string {
  return `  <url>\n    <loc>${loc}</loc>\n${lastMod === null ? "" : `    <lastmod>${lastMod}</lastmod>\n`}${more}  </url>`;
}

function urlset(urls: readonly string[], namespaces = ""): string {
  return `${HEAD}\n<urlset ${XMLNS}${namespaces}>\n${urls.join("\n")}\n</urlset>\n`;
}

function index(host: string, names: readonly string[]): string {
  const entries = names.map((name) => `  <sitemap><loc>https://${host}/${name}</loc></sitemap>`);
  return `${HEAD}\n<sitemapindex ${XMLNS}>\n${entries.join("\n")}\n</sitemapindex>\n`;
}

/** A newspaper: all built at one instant, and its news of today once more, with titles, dates and a repetition. */
function listGazette(): readonly SitemapFile[] {
  const loc = (number: number) => `https://gazette.example/news/2026/story-${number}`;
  const stories = Array.from({ length: STORIES }, (_, number) => url(loc(number), date(0)));
  const news = [0, 1, 2, 2, 3].map((number) =>
    url(
      loc(number),
      null,
      `    <news:news><news:publication><news:name>Gazette</news:name><news:language>en</news:language></news:publication><news:publication_date>${date(number)}</news:publication_date><news:title>Story &amp; title ${number}</news:title></news:news>\n`,
    ),
  );
  const namespace = ' xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"';
  return [
    { site: "gazette", name: "sitemap.xml", text: urlset(stories) },
    { site: "gazette", name: "news-sitemap.xml", text: urlset(news, namespace) },
  ];
}

/** An index and its sections; one date with an offset, one of the day alone, one missing. */
function listHandbook(): readonly SitemapFile[] {
  const names = SECTIONS.map((section) => `sitemap-${section}.xml`);
  const files = SECTIONS.map((section, offset) => ({
    site: "handbook",
    name: `sitemap-${section}.xml`,
    text: urlset(
      Array.from({ length: PAGES_PER_SECTION }, (_, number) => {
        const dates = [date(number * 3 + offset), date(number).slice(0, 10), "2026-02-03T04:05:06+02:00", null];
        return url(`https://handbook.example/${section}/page-${number}/`, dates[number % dates.length] ?? null);
      }),
    ),
  }));
  return [{ site: "handbook", name: "sitemap.xml", text: index("handbook.example", names) }, ...files];
}

/** A host in punycode, escaped paths, images, comments and CDATA. */
function listArabic(): readonly SitemapFile[] {
  const words = ["أخبار", "قطار", "تفاح", "بقرة", "جنوب"];
  const posts = Array.from({ length: 30 }, (_, number) => {
    const path = encodeURIComponent(`${words[number % words.length]}-${number}`).toLowerCase();
    const image = `    <image:image><image:loc>https://xn--mgbh0fb.example/${number}.jpg</image:loc></image:image>\n`;
    return url(`https://xn--mgbh0fb.example/${path}/`, date(number), number % 3 === 0 ? image : "");
  });
  const pages = [
    "  <!-- <url><loc>https://xn--mgbh0fb.example/commented-out/</loc></url> -->",
    url("<![CDATA[https://xn--mgbh0fb.example/?page=1&lang=ar]]>", date(40)),
    url("https://xn--mgbh0fb.example/?page=2&amp;lang=ar", date(41)),
    url("\n      https://xn--mgbh0fb.example/\n    ", null),
  ];
  const namespace = ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"';
  return [
    { site: "punycode", name: "post-sitemap.xml", text: urlset(posts, namespace) },
    { site: "punycode", name: "page-sitemap.xml", text: urlset(pages) },
  ];
}

export function listSitemaps(): readonly SitemapFile[] {
  return [...listGazette(), ...listHandbook(), ...listArabic()];
}
