/** What a reader of Markdown shows, by a library that is not ours: CommonMark with GFM's tables and strikethrough. */
import MarkdownIt from "markdown-it";

const reader = new MarkdownIt("default", { html: false });

/** The text that is shown, without white space; no alternative texts of images. */
export function readRenderedText(markdown: string): string {
  const shown = reader.parse(markdown, {}).map((block) => {
    if (block.type === "fence" || block.type === "code_block") {
      return block.content;
    }
    const inline = block.children ?? [];
    return inline.map(({ type, content }) => (type === "text" || type === "code_inline" ? content : "")).join("");
  });
  return withoutSpace(shown.join(""));
}

export function withoutSpace(text: string): string {
  return text.replace(/[\s\u200b\uE000-\uE008]/gu, "");
}
