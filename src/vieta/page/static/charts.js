// Pictures, by uPlot: colours follow the page, widths follow the window.
import { make } from "/static/ask.js";

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
export const shade = (l) => css(`--s${l % 8 + 1}`);
export const colour = css;
const alive = new Map();

const axis = (more = {}, side = 0) => ({ ...(side === 0 ? { size: 32, labelSize: 22, labelGap: 0 } : { labelSize: 22 }), stroke: css("--soft"), grid: { stroke: css("--line"), width: 1 }, ticks: { stroke: css("--line") }, font: "12px system-ui", ...more });

// A chart in a place: `options` is a function, so that another scheme of colours can be drawn anew.
export function chart(place, label, options, data, { height = 300, hover } = {}) {
  drop(place);
  const box = make("div", null, { class: "chart", role: "img", "aria-label": label });
  const said = hover ? make("p", "", { class: "hover" }) : null;
  place.replaceChildren(box, ...(said ? [said] : []));
  const draw = (rows) => {
    const given = options();
    const plot = new uPlot({
      width: Math.max(box.clientWidth || place.clientWidth || 600, 160), height,
      cursor: { drag: { x: true, y: true, uni: 40 } }, legend: { show: false }, padding: [null, 24, null, null],
      ...given, axes: (given.axes || [{}, {}]).map(axis),
      hooks: hover ? { setCursor: [(u) => { said.textContent = hover(u) || ""; }] } : {},
    }, rows, box);
    alive.set(place, { plot, box, draw, data: rows });
    return plot;
  };
  return draw(data);
}

export function update(place, data) { const one = alive.get(place); if (one) { one.data = data; one.plot.setData(data); } }
export const plotOf = (place) => alive.get(place)?.plot;
export function drop(place) { const one = alive.get(place); if (one) { one.plot.destroy(); alive.delete(place); } }

export function refit() {
  for (const { plot, box } of alive.values()) {
    if (box.clientWidth && Math.abs(box.clientWidth - plot.width) > 1) plot.setSize({ width: box.clientWidth, height: plot.height });
  }
}
addEventListener("resize", () => requestAnimationFrame(refit));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const one of [...alive.values()]) { one.plot.destroy(); one.draw(one.data); }
});

export const line = (label, stroke, more = {}) => ({ label, stroke, width: 2, points: { show: false }, spanGaps: true, ...more });
export const dots = (label, stroke, size = 4) => ({ label, stroke, fill: stroke, width: 0, paths: () => null, points: { show: true, size, fill: stroke, stroke, width: 0 } });
export const none = (label, size = 4) => dots(label, css("--clutter"), size);

// Columns over several axes as one table over all their places, ascending; places that are equal stay apart, so that no reading is lost.
export function joined(tables) {
  const places = tables.flatMap(([at], t) => at.map((x, k) => [x, t, k])).sort((a, b) => a[0] - b[0]);
  const columns = tables.flatMap(([, ...rest], t) => rest.map((column) => [t, column]));
  return [places.map(([x]) => x), ...columns.map(([t, column]) => places.map(([, of, k]) => (of === t ? column[k] : null)))];
}
