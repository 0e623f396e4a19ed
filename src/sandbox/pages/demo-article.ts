/** One article of the demo site as a whole HTML page. */
export interface DemoArticle {
  readonly host: string;
  readonly url: string;
  readonly section: string;
  readonly topic: string;
  readonly angle: string;
  /** Epoch ms. */
  readonly publishedAt: number;
  /** Epoch ms. */
  readonly modifiedAt: number;
  readonly random: () => number;
}

const AUTHORS = ["Ines Moreau", "Tobias Lind", "Amara Okafor", "Yuki Tanaka", "Clara Weiss", "Rafael Souza"] as const;
const OPENINGS = [
  "For most people here, {topic} was never something to think about twice.",
  "The report on {topic} runs to ninety pages, and its authors say that the first ten matter most.",
  "Anyone who wants to understand {topic} should begin early in the morning.",
  "Three people work on {topic} full time; none of them had planned to.",
] as const;
const SENTENCES = [
  "The work began in spring, when the first measurements came in lower than expected.",
  "Two seasons of careful notes now fill a shelf in the municipal library.",
  "Costs were shared evenly, and the accounts are open to everybody.",
  "A second group repeated the test with better instruments and found the same.",
  "Not everybody agrees: critics point out that the sample is small.",
  "Volunteers took over the weekends, and the schedule has held since.",
  "The older method is still in use where the newer one would be too slow.",
  "What looks like a detail decides the outcome more often than not.",
  "Next year the comparison will be made again, under stricter rules.",
  "The numbers are modest, but they have moved in one direction for five years.",
  "Nobody had written the steps down before, so the handbook is itself a result.",
  "Rain delayed the second phase by eleven days, which nobody regrets today.",
] as const;
const SUBHEADINGS = [
  "How it started",
  "What the figures say",
  "Where it goes from here",
  "Voices from the place",
] as const;

export function renderDemoArticle(article: DemoArticle): string {
  const { host, url, section, topic, angle, random } = article;
  const title = `${topic[0]?.toUpperCase()}${topic.slice(1)}: ${angle}`;
  const author = pick(AUTHORS, random);
  const opening = pick(OPENINGS, random).replace("{topic}", topic);
  const published = new Date(article.publishedAt).toISOString();
  const modified = new Date(article.modifiedAt).toISOString();
  const image = `https://${host}/images/${topic.replaceAll(" ", "-")}.jpg`;
  const sections = SUBHEADINGS.map((heading, index) => `<h2>${heading}</h2>\n${renderSection(index, article)}`);
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} | ${host}</title>
<link rel="canonical" href="${url}">
<meta name="author" content="${author}">
<meta name="description" content="${opening}">
<meta property="og:title" content="${title}">
<meta property="og:image" content="${image}">
<meta property="article:published_time" content="${published}">
<meta property="article:modified_time" content="${modified}">
</head>
<body>
<header><nav><a href="/">Home</a> <a href="/news">News</a> <a href="/science">Science</a> <a href="/guides">Guides</a></nav></header>
<main><article>
<h1>${title}</h1>
<p>By <span class="author">${author}</span>, ${section}</p>
<p>${opening} ${renderSentences(4, random)}</p>
<figure><img src="${image}" alt="${topic}"><figcaption>${topic} (archive picture)</figcaption></figure>
${sections.join("\n")}
</article></main>
<footer><p>More from ${host}: <a href="/${section}">${section}</a></p><p><a href="/terms">Terms</a> <a href="/privacy">Privacy</a></p></footer>
</body>
</html>
`;
}

/** Each section shows another construct: plain text, a table, a list, a quotation. */
function renderSection(index: number, { topic, random }: DemoArticle): string {
  const text = `<p>${renderSentences(5, random)}</p>\n<p>${renderSentences(4, random)}</p>`;
  switch (index) {
    case 1:
      return `${text}\n${renderTable(random)}`;
    case 2:
      return `${text}\n<ul>${Array.from({ length: 4 }, () => `<li>${pick(SENTENCES, random)}</li>`).join("")}</ul>`;
    case 3:
      return `<blockquote><p>${pick(SENTENCES, random)}</p></blockquote>\n${text}
<p>More on this in <a href="/guides">our guides</a> and in the notes on <a href="/search?q=${encodeURIComponent(topic)}">${topic}</a>.</p>`;
    default:
      return text;
  }
}

function renderTable(random: () => number): string {
  const rows = [2021, 2022, 2023, 2024, 2025].map(
    (year) =>
      `<tr><td>${year}</td><td>${Math.floor(random() * 900) + 100}</td><td>${(random() * 9).toFixed(1)} %</td></tr>`,
  );
  return `<table><thead><tr><th>Year</th><th>Measured</th><th>Change</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

function renderSentences(count: number, random: () => number): string {
  const first = Math.floor(random() * SENTENCES.length);
  return Array.from({ length: count }, (_, index) => SENTENCES[(first + index * 5) % SENTENCES.length]).join(" ");
}

function pick<T>(choices: readonly T[], random: () => number): T {
  return choices[Math.floor(random() * choices.length)] as T;
}
