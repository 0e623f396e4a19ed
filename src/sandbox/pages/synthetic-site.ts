import { StringDecoder } from "node:string_decoder";
import { hashText } from "../random.ts";
import type { CatalogEntry, Page, RenderedPage, Site } from "./page.ts";

/** Catalog dates begin here (2026-01-01) and go back this far per page. */
const NEWEST_AT = Date.UTC(2026, 0, 1);
const STEP_MS = 60_000;
const DIGITS = 7;
/** As on real pages: quotes, dashes and letters outside ASCII, in lines and paragraphs. JSON escapes some of it, and UTF-8 needs more bytes. */
const PARAGRAPHS = [
  "The quick brown fox jumps over the lazy dog, and the gateway counts each step of it to the micro.",
  "“It isn’t the price,” she said — “it’s the licence.” The café on Straße 9 still sells the paper for 2 €.",
  '- a list with "quotes", a tab\tand C:\\path\n- naïve façade, Łódź, São Paulo, Kraków\n- temperatures: −3 °C … 12 °C',
];

/**
 * A site of any number of pages that are computed: page `n` is `https://<host>/articles/<n>`, seven digits. Memory does not grow
 * with the number of pages.
 *
 * @throws Error when the sizes are not whole numbers.
 */
export function createSyntheticSite(parts: {
  host: string;
  pages: number;
  bodyBytes: number;
  indexing: boolean;
}): Site {
  const { host, pages, bodyBytes } = parts;
  if (!Number.isSafeInteger(pages) || pages < 0 || pages >= 10 ** DIGITS) {
    throw new Error(`site ${host}: pages must be a whole number from 0 to ${10 ** DIGITS - 1}`);
  }
  if (!Number.isSafeInteger(bodyBytes) || bodyBytes < 0) {
    throw new Error(`site ${host}: bodyBytes must be 0 or more`);
  }
  const prefix = `https://${host}/articles/`;
  const filler = createFiller(bodyBytes);
  const escaped = JSON.stringify(filler).slice(1, -1);

  const toUrl = (index: number) => prefix + String(index).padStart(DIGITS, "0");
  const toLastMod = (index: number) => new Date(NEWEST_AT - index * STEP_MS).toISOString();
  const render = (index: number, lastMod: string, format: "markdown" | "html", text = filler): RenderedPage => {
    const title = `Article ${index}`;
    return {
      header: format === "html" ? "<nav>Home</nav>" : "Home",
      body: format === "html" ? `<h1>${title}</h1><p>${text}</p>` : `# ${title}\n\n${text}`,
      footer: format === "html" ? "<footer>Terms</footer>" : "Terms",
      metadata: { author: "Sandbox", description: title, imageUrl: "", modified: lastMod, published: lastMod, title },
    };
  };

  return {
    host,
    propertyId: `prop-${hashText(host).toString(36)}`,
    entryCount: pages,
    find: (url): Page | undefined => {
      if (url.length !== prefix.length + DIGITS || !url.startsWith(prefix)) {
        return undefined;
      }
      const digits = url.slice(prefix.length);
      const index = /^\d+$/.test(digits) ? Number(digits) : pages;
      if (index >= pages) {
        return undefined;
      }
      const lastMod = toLastMod(index);
      return {
        url,
        host,
        lastMod,
        version: 1,
        indexing: parts.indexing,
        access: "open",
        render: (format) => render(index, lastMod, format),
        // All but the text is plain ASCII without quotes, so the JSON can be put together without looking at each character.
        contentPrefix: (format) => writeContentPrefix(render(index, lastMod, format, escaped)),
      };
    },
    entries: (offset, count) => {
      const last = Math.min(offset + count, pages);
      const entries: CatalogEntry[] = [];
      for (let index = offset; index < last; index += 1) {
        entries.push({ pageUrl: toUrl(index), lastMod: toLastMod(index) });
      }
      return entries;
    },
  };
}

function writeContentPrefix({ header, body, footer, metadata }: RenderedPage): string {
  const lines = body.replace("\n\n", "\\n\\n");
  return `{"content":{"header":"${header}","body":"${lines}","footer":"${footer}"},"metadata":${JSON.stringify(metadata)}`;
}

/** @returns a text of at most so many bytes, and at most two fewer */
function createFiller(bodyBytes: number): string {
  const paragraphs = `${PARAGRAPHS.join("\n\n")}\n\n`;
  const text = Buffer.from(paragraphs.repeat(Math.ceil(bodyBytes / Buffer.byteLength(paragraphs))));
  // A decoder keeps back the first bytes of a character that was cut.
  return new StringDecoder("utf8").write(text.subarray(0, bodyBytes));
}
