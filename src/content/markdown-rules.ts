/**
 * The rules that turndown applies; the first match is used. They differ from turndown's own rules where those let a page's text
 * become markup: code, tables, links around blocks, unbounded list indents. No rule ever returns HTML.
 */
import { createCodeSpans, fenceCode } from "./code-spans.ts";
import { type DomNode, nextNode, TEXT_NODE } from "./dom-node.ts";
import { type Emphasis, markEmphasis, writeEmphasis } from "./emphasis.ts";
import { escapeAttribute, escapeMarkdown, joinLines, settleLastDigits } from "./escape-markdown.ts";
import { renderTable, type TableRow } from "./markdown-table.ts";
import { readRows } from "./page-table.ts";
import type { PageTree } from "./page-tree.ts";

export interface MarkdownRule {
  readonly filter: (node: DomNode) => boolean;
  /** `content` is the Markdown of the children. */
  readonly replacement: (content: string, node: DomNode) => string;
}

export interface MarkdownRules {
  readonly rules: readonly MarkdownRule[];
  /** Must be applied to turndown's output. Inserts what the rules stored separately. */
  restore(markdown: string): string;
}

/** Elements that end a line inside `<pre>`. */
const CODE_LINES: ReadonlySet<string> = new Set(["DIV", "P", "LI", "TR", "BR"]);
/** Long white space in code. Above this length, turndown's last regular expression takes quadratic time. */
const CODE_SPACE_RUN = /\s{201,}/g;
const CODE_SPACE_RUN_MAX_CHARS = 200;
const LANGUAGE = /(?:^|\s)(?:lang|language|highlight-source)-([A-Za-z0-9+#._-]{1,32})(?=\s|$)/;
const FLATTENED =
  "P UL OL LI BLOCKQUOTE H1 H2 H3 H4 H5 H6 TABLE THEAD TBODY TFOOT TR TD TH CAPTION DETAILS SUMMARY LEGEND DIALOG";
/** Blocks that turndown treats as inline text. */
const MORE_BLOCKS = "DETAILS SUMMARY LEGEND DIALOG CAPTION XMP LISTING PLAINTEXT";

/** Throws when one piece of Markdown has more characters than the whole may have bytes. */
type CheckSize = (chars: number) => void;

/** The rules for one page. They have state (cells, code), so each conversion needs its own. */
export function createMarkdownRules(page: PageTree, checkSize: CheckSize): MarkdownRules {
  const spans = createCodeSpans();
  const flattened = named(FLATTENED);
  const rules: MarkdownRule[] = [
    {
      filter: named("PRE"),
      replacement: (_content, node) => {
        const place = page.placeOf(node);
        const code = readCode(node);
        return place.flat ? spans.add(joinLines(code), place) : block(fenceCode(code, findLanguage(node)));
      },
    },
    {
      filter: named("CODE TT KBD SAMP"),
      replacement: (_content, node) => spans.add(readCode(node), page.placeOf(node)),
    },
    ...tableRules(page, checkSize),
    { filter: (node) => page.placeOf(node).flat && flattened(node), replacement: block },
    { filter: (node) => page.placeOf(node).flat && node.nodeName === "HR", replacement: () => "\n\n" },
    ...linkRules(page),
    ...listRules(page, checkSize),
    {
      filter: named("BLOCKQUOTE"),
      replacement: (content) => {
        const quoted = trimNewlines(content).replace(/^(.*)$/gm, (line) => (line === "" ? ">" : `> ${line}`));
        checkSize(quoted.length);
        return block(quoted);
      },
    },
    {
      filter: named("H1 H2 H3 H4 H5 H6"),
      replacement: (content, node) => heading(content, Number(node.nodeName[1])),
    },
    { filter: named("EM I"), replacement: (content, node) => emphasize(page, node, content, "em") },
    { filter: named("STRONG B"), replacement: (content, node) => emphasize(page, node, content, "strong") },
    { filter: named("DEL S STRIKE"), replacement: (content, node) => emphasize(page, node, content, "del") },
    { filter: named("Q"), replacement: (content, node) => quote(page, node, content) },
    { filter: (node) => page.paragraphBreaks.has(node), replacement: () => "\n\n" },
    { filter: named(MORE_BLOCKS), replacement: block },
  ];
  return {
    rules,
    restore: (markdown) => spans.restore(settleLastDigits(writeEmphasis(spans.unquoteDefinitions(markdown)))),
  };
}

function tableRules(page: PageTree, checkSize: CheckSize): MarkdownRule[] {
  const texts = new Map<DomNode, string>();
  const isCell = named("TD TH CAPTION");
  // The content of a data cell must be flat, but the cell itself is not.
  const keepCell = (content: string, node: DomNode): string => {
    texts.set(node, content);
    return "";
  };
  const toTable = (table: DomNode): string => {
    const rows: TableRow[] = readRows(table).map(({ inHead, cells }) => ({
      inHead,
      cells: cells.map(({ node, ...cell }) => ({ ...cell, text: texts.get(node) ?? "" })),
    }));
    let chars = 0;
    return renderTable(rows, (line) => {
      chars += line.length;
      checkSize(chars);
    });
  };
  return [
    { filter: (node) => isCell(node) && page.isDataCell(node), replacement: keepCell },
    {
      filter: (node) => node.nodeName === "TABLE" && page.dataTables.has(node),
      replacement: (_content, node) => {
        const caption = findChild(node, "CAPTION");
        const title = caption === null ? "" : joinLines(texts.get(caption) ?? "");
        return block(title === "" ? toTable(node) : `${title}\n\n${toTable(node)}`);
      },
    },
  ];
}

function linkRules(page: PageTree): MarkdownRule[] {
  return [
    {
      filter: named("A"),
      replacement: (content, node) => {
        const url = page.urls.get(node);
        if (url === undefined) {
          return content;
        }
        if (page.heavyLinks.has(node)) {
          return block(`${trimNewlines(content)}\n\n[${escapeMarkdown(url)}](${url})`);
        }
        const text = joinLines(content);
        const link = text === "" ? "" : `[${text}](${url}${title(node)})`;
        const level = page.placeOf(node).flat ? null : onlyHeadingLevel(node);
        return level === null ? link : heading(link, level);
      },
    },
    {
      filter: named("IMG"),
      replacement: (_content, node) => {
        const alt = escapeAttribute(node.getAttribute("alt") ?? "");
        const url = page.urls.get(node);
        return url === undefined ? alt : `![${alt}](${url}${title(node)})`;
      },
    },
  ];
}

function listRules(page: PageTree, checkSize: CheckSize): MarkdownRule[] {
  return [
    {
      filter: named("UL OL"),
      replacement: (content, node) => {
        const items = trimNewlines(content);
        const last = node.parentNode?.nodeName === "LI" && node.parentNode.lastElementChild === node;
        // After text, a numbered list would be read as text unless it begins with 1.
        const clear = node.nodeName === "UL" || items.startsWith("1. ");
        return last && clear ? `\n${items}` : block(items);
      },
    },
    {
      filter: named("LI"),
      replacement: (content, node) => {
        const ordinal = page.ordinals.get(node);
        const marker = ordinal === undefined ? "- " : `${ordinal}. `;
        const indent = " ".repeat(marker.length);
        const lines = trimNewlines(content).split("\n");
        const item = lines.map((line, index) => (index === 0 || line.trim() === "" ? line : indent + line)).join("\n");
        checkSize(item.length);
        const loose = content.endsWith("\n") ? "\n" : "";
        // Items may also be outside of a list, where nothing else separates them from the text before.
        const end = node.nextSibling === null ? "" : "\n";
        return `\n${marker}${item}${loose}${end}`;
      },
    },
  ];
}

function named(names: string): (node: DomNode) => boolean {
  const set: ReadonlySet<string> = new Set(names.split(" "));
  return (node) => set.has(node.nodeName);
}

function block(content: string): string {
  return `\n\n${content}\n\n`;
}

function heading(content: string, level: number): string {
  const line = joinLines(content);
  // A final run of # would be read as the closing sequence of the heading.
  const text = /(?<!\\)(?:\\\\)*#$/.test(line) ? `${line.slice(0, -1)}\\#` : line;
  return text === "" ? "" : block(`${"#".repeat(level)} ${text}`);
}

/** Emphasis cannot span blocks. It is removed there, or the blocks are joined into one line. */
function emphasize(page: PageTree, node: DomNode, content: string, emphasis: Emphasis): string {
  if (!page.aroundBlocks.has(node)) {
    return markEmphasis(content, emphasis);
  }
  return page.placeOf(node).flat ? markEmphasis(joinLines(content), emphasis) : content;
}

function quote(page: PageTree, node: DomNode, content: string): string {
  return page.aroundBlocks.has(node) || content.trim() === "" ? content : `"${content}"`;
}

function title(node: DomNode): string {
  const text = escapeAttribute(node.getAttribute("title") ?? "").replace(/"/g, '\\"');
  return text === "" ? "" : ` "${text}"`;
}

/** The level of the heading that is a link's only content, so that the link can move into the heading. Otherwise null. */
function onlyHeadingLevel(link: DomNode): number | null {
  let found: DomNode | null = null;
  for (let child = link.firstChild; child !== null; child = child.nextSibling) {
    if (child.nodeType === TEXT_NODE && child.data.trim() === "") {
      continue;
    }
    if (found !== null || !/^H[1-6]$/.test(child.nodeName)) {
      return null;
    }
    found = child;
  }
  return found === null ? null : Number(found.nodeName[1]);
}

/** The text of a code element, with line breaks where its elements end lines. */
function readCode(root: DomNode): string {
  let code = "";
  for (let node = nextNode(root, root); node !== null; node = nextNode(node, root)) {
    if (node.nodeType === TEXT_NODE) {
      code += node.data;
    } else if (CODE_LINES.has(node.nodeName) && code !== "" && (node.nodeName === "BR" || !code.endsWith("\n"))) {
      code += "\n";
    }
  }
  const lines = code.replace(/\r\n?/g, "\n").replace(CODE_SPACE_RUN, (run) => run.slice(0, CODE_SPACE_RUN_MAX_CHARS));
  return trimNewlines(lines);
}

function findLanguage(pre: DomNode): string {
  for (const node of [pre, findChild(pre, "CODE"), pre.parentNode]) {
    const language = LANGUAGE.exec(node?.getAttribute("class") ?? "")?.[1];
    if (language !== undefined) {
      return language;
    }
  }
  return "";
}

function findChild(parent: DomNode, name: string): DomNode | null {
  for (let child = parent.firstChild; child !== null; child = child.nextSibling) {
    if (child.nodeName === name) {
      return child;
    }
  }
  return null;
}

function trimNewlines(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === "\n") {
    start += 1;
  }
  while (end > start && text[end - 1] === "\n") {
    end -= 1;
  }
  return text.slice(start, end);
}
