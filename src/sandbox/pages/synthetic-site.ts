import { StringDecoder } from "node:string_decoder";
import { createRandom, hashText } from "../random.ts";
import type { CatalogEntry, Page, PageFormat, RenderedPage, Site } from "./page.ts";

/** Catalog dates begin here (2026-01-01) and go back this far per page. */
const NEWEST_AT = Date.UTC(2026, 0, 1);
const STEP_MS = 60_000;
const DIGITS = 7;
/** A text for every so many pages, so that a message of several pages has something to compress, and not the same page again and again. */
const TEXTS = 16;
/** As on real pages: quotes, dashes and letters outside ASCII, in lines and paragraphs. JSON escapes some of it, and UTF-8 needs more bytes. */
const SYLLABLES =
  "the quick brown fox jumps over a la zy dog and gate way counts each step of it to mi cro isn’t price she said li cence ca fé Stra ße still sells pa per for two eu ros na ïve fa çade Łó dź São Pau lo Kra ków tem pe ra tures from three un til nine".split(
    " ",
  );
const ENDS = [" ", " ", " ", " ", " ", " ", ", ", ". ", " — ", "” “", '" "', "\n- ", ".\n\n"];

type Text = Readonly<Record<PageFormat, string>>;

/** One text, as it is and as it stands in JSON. */
type TextPair = Readonly<Record<"plain" | "escaped", Text>>;

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
  const textOf = createTexts(bodyBytes);

  const toUrl = (index: number) => prefix + String(index).padStart(DIGITS, "0");
  const toLastMod = (index: number) => new Date(NEWEST_AT - index * STEP_MS).toISOString();
  const render = (index: number, lastMod: string, format: PageFormat, kind: keyof TextPair): RenderedPage => {
    const text = textOf(index)[kind];
    const title = `Article ${index}`;
    return {
      header: format === "html" ? "<nav>Home</nav>" : "Home",
      body: format === "html" ? `<h1>${title}</h1>${text.html}` : `# ${title}\n\n${text.markdown}`,
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
        render: (format) => render(index, lastMod, format, "plain"),
        // All but the text is plain ASCII without quotes, so the JSON can be put together without looking at each character.
        contentPrefix: (format) => writeContentPrefix(render(index, lastMod, format, "escaped")),
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

/** A conversion works on the elements of a page: on as many as a real page has. */
const toParagraphs = (text: string, between: string): string => `<p>${text.split(between).join("</p><p>")}</p>`;

/** Made when they are first asked for. */
function createTexts(bodyBytes: number): (index: number) => TextPair {
  const texts = new Map<number, TextPair>();
  const create = (seed: number): TextPair => {
    const filler = createFiller(bodyBytes, createRandom(seed));
    const escaped = JSON.stringify(filler).slice(1, -1);
    return {
      plain: { markdown: filler, html: toParagraphs(filler, "\n\n") },
      escaped: { markdown: escaped, html: toParagraphs(escaped, "\\n\\n") },
    };
  };
  return (index) => {
    const seed = index % TEXTS;
    const text = texts.get(seed) ?? create(seed);
    texts.set(seed, text);
    return text;
  };
}

/** @returns a text of at most so many bytes, and at most two fewer */
function createFiller(bodyBytes: number, random: () => number): string {
  const one = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? "";
  const parts: string[] = [];
  for (let bytes = 0; bytes < bodyBytes; ) {
    const word = one(SYLLABLES) + one(SYLLABLES) + one(ENDS);
    parts.push(word);
    bytes += Buffer.byteLength(word);
  }
  // A decoder keeps back the first bytes of a character that was cut.
  return new StringDecoder("utf8").write(Buffer.from(parts.join("")).subarray(0, bodyBytes));
}
