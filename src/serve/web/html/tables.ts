/** Tables, lists of facts, and what is said where there is nothing yet. */
import { type Html, type HtmlValue, html } from "./html.ts";

export interface Column<Row> {
  readonly title: string;
  /** @param decimals of all amounts of the column */
  readonly cell: (row: Row, decimals: number) => HtmlValue;
  /** Of a column of amounts (amount-column.ts). @default 0 */
  readonly decimals?: (rows: readonly Row[]) => number;
  /** Numbers stand below each other. @default false */
  readonly isNumber?: boolean;
}

export interface Table<Row> {
  /** What the rows are, for who hears the page. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Instead of a table without rows: why there is none, and what to do first. */
  readonly empty: HtmlValue;
  /** The address of the rows that follow. Null or absent: these are the last. */
  readonly next?: string | null;
}

/** The first column names the row. */
export function table<Row>({ caption, columns, rows, empty, next = null }: Table<Row>): Html {
  if (rows.length === 0) {
    return html`<p class="empty">${empty}</p>`;
  }
  const decimals = columns.map((column) => column.decimals?.(rows) ?? 0);
  // A wide table is moved by itself and not with the page, so the keyboard must reach it.
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table>
<caption><span>${caption}</span></caption>
<thead><tr>${columns.map(({ title, isNumber }) => html`<th scope="col" class="${toClass(isNumber)}">${title}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${columns.map((column, index) => toCell(column, index === 0, column.cell(row, decimals[index] ?? 0)))}</tr>`)}</tbody>
</table></div>${next !== null && html`<p class="next"><a href="${next}" rel="next">Next rows</a></p>`}`;
}

function toCell<Row>({ isNumber }: Column<Row>, isFirst: boolean, content: HtmlValue): Html {
  return isFirst
    ? html`<th scope="row" class="${toClass(isNumber)}">${content}</th>`
    : html`<td class="${toClass(isNumber)}">${content}</td>`;
}

const toClass = (isNumber = false) => (isNumber ? "number" : "words");

/** Names with their values. */
export function facts(pairs: readonly (readonly [name: string, value: HtmlValue])[]): Html {
  return html`<dl class="facts">${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A part of a page with its heading. */
export function section(title: string, body: HtmlValue): Html {
  return html`<section><h2>${title}</h2>${body}</section>`;
}

/** A part of a page that the script draws again when something happens. @param name of the part within the page */
export function live(name: string, body: HtmlValue): Html {
  return html`<div id="live-${name}" data-part>${body}</div>`;
}
