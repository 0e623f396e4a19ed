/** What stands around an article on real pages: menus, share bars, teasers, cookie notes, scripts. None of it belongs to the text. */

export interface Article {
  readonly title: string;
  readonly byline: string | null;
  readonly lang: string;
  readonly dir?: "rtl";
  /** The article's HTML; its text is what is expected of the page. */
  readonly main: string;
}

/** A page around an article. `charset` is what the page declares. */
export type Frame = (article: Article, charset: string) => string;

const PUBLISHED = "2026-03-14T09:26:53Z";

function head({ title, byline, lang, dir }: Article, charset: string, site: string, more = ""): string {
  return `<!DOCTYPE html>
<html lang="${lang}"${dir === undefined ? "" : ` dir="${dir}"`}>
<head>
<meta charset="${charset}">
<title>${title} | ${site}</title>
<meta property="og:title" content="${title}">
<meta property="og:site_name" content="${site}">
${byline === null ? "" : `<meta name="author" content="${byline}">`}
<meta property="article:published_time" content="${PUBLISHED}">
<link rel="stylesheet" href="/site.css">
<style>body { margin: 0 } .menu { display: flex }</style>
${more}</head>`;
}

export const newspaper: Frame = (article, charset) => `${head(
  article,
  charset,
  "The Harbour Gazette",
  `<script type="application/ld+json">
{ "@context": "https://schema.org", "@type": "NewsArticle", "headline": ${JSON.stringify(article.title)}, "datePublished": "${PUBLISHED}" }
</script>
`,
)}
<body class="section-news">
<div class="cookie-banner" role="dialog"><p>We use cookies.</p><button>Accept</button><button>Refuse</button></div>
<header class="masthead"><a href="/">The Harbour Gazette</a>
<nav class="menu"><ul><li><a href="/news">News</a></li><li><a href="/sport">Sport</a></li><li><a href="/weather">Weather</a></li></ul></nav></header>
<div class="breadcrumbs"><a href="/">Home</a> / <a href="/news">News</a></div>
<main>
<article>
<h1>${article.title}</h1>
<div class="share-bar social"><a href="#">Share</a><a href="#">Print</a></div>
<div class="article-body">
${article.main}
</div>
</article>
</main>
<aside class="sidebar related"><h3>Most read</h3><ul><li><a href="/news/1">Ferry late again</a></li><li><a href="/news/2">Lights on the pier</a></li></ul></aside>
<footer class="site-footer"><p>All rights of this made-up newspaper are made up.</p><a href="/imprint">Imprint</a></footer>
<script>window.dataLayer = []; for (let i = 0; i < 3; i++) { dataLayer.push({ "</p>": i < 2 }); }</script>
</body>
</html>
`;

export const blog: Frame = (article, charset) => `${head(article, charset, "Notes from a Shed")}
<body>
<div id="page">
<div id="header"><a href="/">Notes from a Shed</a></div>
<div id="content" class="post hentry">
<h1 class="entry-title">${article.title}</h1>
<div class="entry-content">
${article.main}
</div>
<div class="post-meta tags"><a href="/tag/tools">tools</a> <a href="/tag/wood">wood</a></div>
</div>
<div id="sidebar" class="sidebar widget"><h2>Archive</h2><ul><li><a href="/2026/02">February</a></li><li><a href="/2026/01">January</a></li></ul></div>
<div id="comments" class="comments disqus"><h3>2 comments</h3><p>First!</p><p>Nice.</p></div>
<div id="footer" class="footer">Made with a hammer.</div>
</div>
</body>
</html>
`;

export const manual: Frame = (article, charset) => `${head(article, charset, "Lathe 4 Manual")}
<body>
<nav class="toc sidebar"><ul><li><a href="install.html">Installing</a><ul><li><a href="install.html#linux">Linux</a></li></ul></li><li><a href="use.html">Using</a></li></ul></nav>
<div role="main" class="document">
<div class="body content">
<h1>${article.title}</h1>
${article.main}
</div>
</div>
<div class="footer pagination"><a href="prev.html">Previous</a> <a href="next.html">Next</a></div>
<script src="/search.js" defer></script>
</body>
</html>
`;

/** As pages were made when tables were layout, with tags in capitals and attributes without quotes. */
export const oldTable: Frame = (article, charset) => `<HTML>
<HEAD>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=${charset}">
<TITLE>${article.title}</TITLE>
${article.byline === null ? "" : `<META NAME="author" CONTENT="${article.byline}">`}
</HEAD>
<BODY BGCOLOR=white TEXT=#000000>
<TABLE WIDTH=100% BORDER=0 CELLPADDING=4><TR>
<TD WIDTH=120 VALIGN=top class="menu"><A HREF=index.html>Home</A><BR><A HREF=links.html>Links</A><BR><A HREF=guest.html>Guest book</A></TD>
<TD VALIGN=top>
${article.main}
</TD></TR></TABLE>
</BODY>
</HTML>
`;

/** Nothing but the text: no doctype, no head to speak of. */
export const bare: Frame = (article, charset) => `<meta http-equiv=content-type content="text/html; charset=${charset}">
<title>${article.title}</title>
${article.byline === null ? "" : `<meta name=author content="${article.byline}">`}
<div>
${article.main}
</div>
`;
