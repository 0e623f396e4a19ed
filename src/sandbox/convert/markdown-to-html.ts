import MarkdownIt from "markdown-it";

let renderer: InstanceType<typeof MarkdownIt> | null = null;

/**
 * Converts Markdown to HTML, for pages whose source is Markdown and that are requested as HTML: CommonMark with tables and strikethrough. HTML in
 * the Markdown is shown as text, and a link to a script does not become a link.
 */
export function markdownToHtml(markdown: string): string {
  renderer ??= new MarkdownIt({ html: false });
  return renderer.render(markdown).trim();
}
