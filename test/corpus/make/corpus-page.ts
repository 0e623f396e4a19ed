import type { Encoding } from "./encode-text.ts";
import type { Article, Frame } from "./page-frames.ts";

/** One page of the corpus, before it is bytes. */
export interface CorpusPage {
  readonly slug: string;
  readonly frame: Frame;
  readonly article: Article;
  /** @default "utf-8" */
  readonly encoding?: Encoding;
  /** What the page says of itself. @default its encoding */
  readonly declared?: string;
  /** HTML with the text that is expected of the page. @default the article's */
  readonly expected?: string;
}
