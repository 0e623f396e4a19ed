/**
 * Markdown to HTML for pages that are kept as Markdown and asked for as HTML: headings, paragraphs, lists, quotes, fenced code,
 * tables, rules, links, images, emphasis and code. Nested lists and raw HTML are shown as text: a sandbox's pages are plain.
 */
export function markdownToHtml(markdown: string): string {
  const lines = markdown.replace(/\r\n?/g, "\n").split("\n");
  const html: string[] = [];
  let index = 0;
  while (index < lines.length) {
    const block = BLOCKS.map((read) => read(lines, index)).find((found) => found !== undefined);
    if (block === undefined) {
      index += 1;
      continue;
    }
    html.push(block.html);
    index += block.lines;
  }
  return html.join("\n");
}

interface Block {
  readonly html: string;
  readonly lines: number;
}

type ReadBlock = (lines: readonly string[], start: number) => Block | undefined;

const HEADING = /^(#{1,6})[ \t]+(.*?)[ \t]*#*$/;
const FENCE = /^(```+|~~~+)/;
const BULLET = /^[ \t]*[-*+][ \t]+(.*)$/;
const NUMBER = /^[ \t]*\d+[.)][ \t]+(.*)$/;
const QUOTE = /^>[ \t]?(.*)$/;
const RULE = /^[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const TABLE_RULE = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

const BLOCKS: readonly ReadBlock[] = [
  readCode,
  (lines, start) => {
    const match = HEADING.exec(lines[start] ?? "");
    const level = match?.[1]?.length;
    return match === null ? undefined : { html: `<h${level}>${toInline(match[2] ?? "")}</h${level}>`, lines: 1 };
  },
  (lines, start) => (RULE.test(lines[start] ?? "") ? { html: "<hr>", lines: 1 } : undefined),
  readTable,
  (lines, start) => readRun(lines, start, BULLET, (items) => `<ul>${items.map(toItem).join("")}</ul>`),
  (lines, start) => readRun(lines, start, NUMBER, (items) => `<ol>${items.map(toItem).join("")}</ol>`),
  (lines, start) =>
    readRun(lines, start, QUOTE, (items) => `<blockquote>${markdownToHtml(items.join("\n"))}</blockquote>`),
  readParagraph,
];

function readCode(lines: readonly string[], start: number): Block | undefined {
  const fence = FENCE.exec(lines[start] ?? "")?.[1];
  if (fence === undefined) return undefined;
  let end = start + 1;
  while (end < lines.length && !(lines[end] ?? "").startsWith(fence)) end += 1;
  return {
    html: `<pre><code>${escapeHtml(lines.slice(start + 1, end).join("\n"))}</code></pre>`,
    lines: end - start + 1,
  };
}

function readTable(lines: readonly string[], start: number): Block | undefined {
  const head = lines[start] ?? "";
  if (!head.includes("|") || !TABLE_RULE.test(lines[start + 1] ?? "")) return undefined;
  let end = start + 2;
  while ((lines[end] ?? "").includes("|")) end += 1;
  const row = (line: string, cell: string) =>
    `<tr>${splitCells(line)
      .map((text) => `<${cell}>${toInline(text)}</${cell}>`)
      .join("")}</tr>`;
  const body = lines.slice(start + 2, end).map((line) => row(line, "td"));
  return {
    html: `<table><thead>${row(head, "th")}</thead><tbody>${body.join("")}</tbody></table>`,
    lines: end - start,
  };
}

function readRun(
  lines: readonly string[],
  start: number,
  pattern: RegExp,
  toHtml: (items: string[]) => string,
): Block | undefined {
  const items: string[] = [];
  for (let index = start; index < lines.length; index += 1) {
    const match = pattern.exec(lines[index] ?? "");
    if (match === null) break;
    items.push(match[1] ?? "");
  }
  return items.length === 0 ? undefined : { html: toHtml(items), lines: items.length };
}

function readParagraph(lines: readonly string[], start: number): Block | undefined {
  let end = start;
  while (end < lines.length && (lines[end] ?? "").trim() !== "") {
    const line = lines[end] ?? "";
    if (end > start && (HEADING.test(line) || FENCE.test(line) || BULLET.test(line) || QUOTE.test(line))) break;
    end += 1;
  }
  if (end === start) return undefined;
  return { html: `<p>${toInline(lines.slice(start, end).join("\n").trim())}</p>`, lines: end - start };
}

function toItem(text: string): string {
  return `<li>${toInline(text)}</li>`;
}

function splitCells(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => cell.trim());
}

function toInline(text: string): string {
  return escapeHtml(text)
    .replace(/`([^`]+)`/g, "<code>$1</code>")
    .replace(/!\[([^\]]*)\]\(([^)\s]+)\)/g, '<img src="$2" alt="$1">')
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, '<a href="$2">$1</a>')
    .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
    .replace(/\*([^*]+)\*/g, "<em>$1</em>");
}

function escapeHtml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}
