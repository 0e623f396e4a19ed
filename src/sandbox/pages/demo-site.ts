import { createHtmlSource } from "../convert/page-source.ts";
import { createRandom, hashText } from "../random.ts";
import { renderDemoArticle } from "./demo-article.ts";
import type { ListedPage } from "./listed-site.ts";

/** The topics of each section. Each topic has one article for each angle. */
const SECTIONS = {
  news: ["harbour bridge", "night trains", "city budget", "grain harvest", "river levels", "school canteens"],
  science: ["deep-sea corals", "battery chemistry", "soil microbes", "lunar dust", "bird migration", "glacier cores"],
  guides: ["bread baking", "bicycle repair", "balcony gardens", "map reading", "bookbinding", "home archives"],
} as const;
const ANGLES = ["what changed this year", "a visit on site", "the figures explained", "questions and answers"] as const;

/** The demo site's newest article, and the time between two of them. */
const NEWEST_AT = Date.UTC(2026, 0, 15, 9);
const STEP_MS = 7 * 3_600_000;

/** Seventy-two generated articles: HTML pages with navigation, lists, tables, images and metadata. The same every time. */
export function createDemoPages(host: string): ListedPage[] {
  const pages: ListedPage[] = [];
  for (const [section, topics] of Object.entries(SECTIONS)) {
    for (const topic of topics) {
      for (const angle of ANGLES) {
        const path = `/${section}/${slug(topic)}-${slug(angle)}`;
        const publishedAt = NEWEST_AT - pages.length * STEP_MS;
        // A few articles were changed after they appeared; the catalog shows the later date.
        const modifiedAt = publishedAt + (pages.length % 9 === 4 ? 3 * STEP_MS : 0);
        const url = `https://${host}${path}`;
        pages.push({
          url,
          lastMod: new Date(modifiedAt).toISOString(),
          source: (format) =>
            createHtmlSource(
              renderDemoArticle({
                host,
                url,
                section,
                topic,
                angle,
                publishedAt,
                modifiedAt,
                random: createRandom(hashText(path)),
              }),
            )(format, url),
        });
      }
    }
  }
  return pages;
}

function slug(text: string): string {
  return text.replaceAll(" ", "-");
}
