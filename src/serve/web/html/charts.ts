/**
 * Charts as SVG, made here: the browser draws and computes nothing. What is drawn is an aid for the eye, rounded to a pixel; the numbers are in the
 * table below each chart, to the last digit.
 */
import { type Html, type HtmlValue, html } from "./html.ts";
import { type Column, table } from "./tables.ts";

/** One part of a bar. The same place in each bar has the same colour and the same name. */
export interface Bar {
  /** Below the bar, such as a day. */
  readonly label: string;
  /** From the bottom up, one for each of `parts`. Not negative. */
  readonly values: readonly number[];
}

export interface BarChart<Row> {
  /** What is shown, for who sees it and for who hears it. */
  readonly title: string;
  /** The names of the parts of each bar. At most three: there are three colours. */
  readonly parts: readonly string[];
  readonly rows: readonly Row[];
  readonly bar: (row: Row) => Bar;
  /** The highest value in words, at the top of the scale, such as an amount. */
  readonly top: (value: number) => string;
  /** A line across the bars, at the place of one of them: such as the highest price of a policy. @default none */
  readonly mark?: { readonly before: number; readonly label: string } | null;
  /** The same numbers, all of them. */
  readonly columns: readonly Column<Row>[];
  /** Whether the table stands open below the chart. @default false: it opens at a click */
  readonly isOpen?: boolean;
  readonly empty: HtmlValue;
}

const WIDTH = 900;
const HEIGHT = 272;
const LEFT = 8;
const TOP = 44;
const BOTTOM = 40;
const PLOT_HEIGHT = HEIGHT - TOP - BOTTOM;
/** The name of the line is above the bars, and above the scale. */
const MARK_LABEL_Y = 16;
const MARK_TOP = 6;
/** Of the room of a bar. */
const BAR_SHARE = 0.72;
/** Of a few bars: wider ones look like one surface. */
const WIDEST_PX = 96;
/** A value that is not zero is never invisible. */
const LEAST_PX = 2;
const LABEL_PX = 84;
const CHARACTER_PX = 7;
/** On a telephone the words are larger beside the bars (web/style.css), so fewer labels have room. */
const NARROW_CHARACTER_PX = 17;

export function barChart<Row>(chart: BarChart<Row>): Html {
  const { title, parts, rows, columns, isOpen = false, empty } = chart;
  if (rows.length === 0) {
    return html`<p class="empty">${empty}</p>`;
  }
  return html`<figure class="chart">
<figcaption>${title}${parts.length > 1 && html`: ${parts.map((part, index) => html`<span class="legend"><span class="key bar-${index + 1}"></span>${part}</span> `)}`}</figcaption>
<div class="scroll" tabindex="0" role="region" aria-label="${title}, drawn">${draw(chart)}</div>
<details ${isOpen && "open"}><summary>The numbers of this chart</summary>${table({ caption: title, columns, rows, empty })}</details>
</figure>`;
}

function draw<Row>({ title, rows, bar, top, mark = null }: BarChart<Row>): Html {
  const bars = rows.map(bar);
  const highest = Math.max(...bars.map(({ values }) => sum(values)));
  const step = (WIDTH - 2 * LEFT) / bars.length;
  const width = Math.min(WIDEST_PX, step * BAR_SHARE);
  // The label of a bar begins with the room of the bar.
  const inset = Math.min(WIDEST_PX, step) * ((1 - BAR_SHARE) / 2);
  const labelEvery = Math.ceil(LABEL_PX / step);
  const base = TOP + PLOT_HEIGHT;
  const longest = Math.max(...bars.map(({ label }) => label.length));
  // Labels that are too long to stand beside each other stand by turns on two lines.
  const isTight = longest * CHARACTER_PX > step * labelEvery;
  const narrowEvery = labelEvery * Math.ceil(((longest + 1) * NARROW_CHARACTER_PX) / (step * labelEvery));
  // The last one is left out where it would be cut.
  const hasRoom = ({ label }: Bar, index: number, characterPx: number) =>
    index === 0 || LEFT + index * step + label.length * characterPx <= WIDTH;
  const markX = mark === null ? 0 : LEFT + mark.before * step;
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}. The numbers are in the table below.">
<line class="grid" x1="${LEFT}" x2="${WIDTH - LEFT}" y1="${TOP}" y2="${TOP}"/>
<text x="${LEFT}" y="${TOP - 6}">${top(highest)}</text>
${bars.map((one, index) => drawBar(one.values, { x: LEFT + index * step + inset, width, highest }))}
<line class="axis" x1="${LEFT}" x2="${WIDTH - LEFT}" y1="${base}" y2="${base}"/>
${bars.map(
  (one, index) =>
    index % labelEvery === 0 &&
    hasRoom(one, index, CHARACTER_PX) &&
    html`<text class="${index % narrowEvery === 0 && hasRoom(one, index, NARROW_CHARACTER_PX) ? "tick" : "tick wide-only"}" x="${px(LEFT + index * step)}" y="${base + (isTight && (index / labelEvery) % 2 === 1 ? 33 : 18)}">${one.label}</text>`,
)}
${mark !== null && html`<line class="mark" x1="${px(markX)}" x2="${px(markX)}" y1="${MARK_TOP}" y2="${base}"/>${drawMarkLabel(markX, mark.label)}`}
</svg>`;
}

function drawBar(
  values: readonly number[],
  { x, width, highest }: { readonly x: number; readonly width: number; readonly highest: number },
): Html {
  let y = TOP + PLOT_HEIGHT;
  const pieces = values.map((value, index) => {
    if (value === 0) {
      return null;
    }
    const height = Math.max(LEAST_PX, (value / highest) * PLOT_HEIGHT);
    y -= height;
    return html`<rect class="bar-${index + 1}" x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}"/>`;
  });
  return html`${pieces}`;
}

/** On the side of the line where there is room for it. */
function drawMarkLabel(x: number, label: string): Html {
  return x + label.length * CHARACTER_PX < WIDTH
    ? html`<text x="${px(x + 5)}" y="${MARK_LABEL_Y}">${label}</text>`
    : html`<text text-anchor="end" x="${px(x - 5)}" y="${MARK_LABEL_Y}">${label}</text>`;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

const px = (length: number): string => length.toFixed(1);
