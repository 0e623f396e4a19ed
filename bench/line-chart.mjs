/** A chart of lines as SVG: it needs no library, and reads well in light and in dark. */

const WIDTH = 640;
const HEIGHT = 320;
const LEFT = 56;
/** Room for the names of the lines. */
const RIGHT = 110;
const TOP = 36;
const BOTTOM = 44;
const COLORS = ["#1f6feb", "#bf4b00", "#2da44e", "#8250df"];

/**
 * @param chart.series of each line its name, and its points as `[x, y]`; y begins at 0
 * @param chart.xTicks the values that stand below the chart
 */
export function drawLines({ title, xTitle, yTitle, series, xTicks }) {
  const points = series.flatMap(({ points: own }) => own);
  const xMax = Math.max(...points.map(([x]) => x), ...xTicks);
  const yStep = roundStep(Math.max(...points.map(([, y]) => y)) / 4);
  const yTicks = Array.from({ length: 6 }, (_, index) => index * yStep).filter(
    (tick) => tick <= Math.ceil(Math.max(...points.map(([, y]) => y)) / yStep) * yStep,
  );
  const yMax = yTicks.at(-1);
  const toX = (x) => LEFT + (x / xMax) * (WIDTH - LEFT - RIGHT);
  const toY = (y) => HEIGHT - BOTTOM - (y / yMax) * (HEIGHT - TOP - BOTTOM);
  const at = ([x, y]) => `${toX(x).toFixed(1)},${toY(y).toFixed(1)}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeXml(title)}">`,
    "<style>text{font:12px sans-serif;fill:#57606a}.title{font-size:14px}.grid{stroke:#8c959f;stroke-opacity:.3}</style>",
    text(LEFT, 18, title, ' class="title"'),
    ...yTicks.map(
      (tick) =>
        `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${toY(tick)}" y2="${toY(tick)}"/>${text(LEFT - 6, toY(tick) + 4, group(tick), ' text-anchor="end"')}`,
    ),
    ...xTicks.map((tick) => text(toX(tick), HEIGHT - BOTTOM + 18, group(tick), ' text-anchor="middle"')),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, xTitle, ' text-anchor="middle"'),
    text(LEFT, TOP - 6, yTitle),
    ...series.map(({ name, points: own }, index) => {
      const color = COLORS[index % COLORS.length];
      return [
        `<polyline fill="none" stroke="${color}" stroke-width="2" points="${own.map(at).join(" ")}"/>`,
        ...own.map((point) => `<circle cx="${at(point).replace(",", '" cy="')}" r="3" fill="${color}"/>`),
        text(WIDTH - RIGHT + 16, TOP + 12 + 20 * index, name, ` style="fill:${color}"`),
      ].join("");
    }),
    "</svg>",
    "",
  ].join("\n");
}

/** 1, 2 or 5 times a power of ten. */
function roundStep(raw) {
  const power = 10 ** Math.floor(Math.log10(raw));
  return power * ([1, 2, 5].find((factor) => factor * power >= raw) ?? 10);
}

function text(x, y, content, attributes = "") {
  return `<text x="${x}" y="${y}"${attributes}>${escapeXml(content)}</text>`;
}

function group(number) {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, " ");
}

function escapeXml(content) {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
