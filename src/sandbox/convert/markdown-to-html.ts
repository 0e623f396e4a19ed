import MarkdownIt from "markdown-it";

let renderer: InstanceType<typeof MarkdownIt> | null = null;

/**
 * Markdown to HTML, for pages that are kept as Markdown and asked for as HTML: CommonMark with tables and strikethrough. HTML in it is shown
 * as text, and links that would be programmes are not made.
 */
export function markdownToHtml(markdown: string): string {
  renderer ??= new MarkdownIt({ html: false });
  return renderer.render(markdown).trim();
}
