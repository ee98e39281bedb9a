// Pictures, by uPlot: colours follow the page, widths follow the window.
import { make } from "/static/ask.js";

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
export const shade = (l) => css(`--s${l % 8 + 1}`);
export const colour = css;
const alive = new Map();

const axis = (more = {}, side = 0) => ({ ...(side === 0 ? { size: 32, labelSize: 22, labelGap: 0 } : { labelSize: 22 }), stroke: css("--soft"), grid: { stroke: css("--line"), width: 1 }, ticks: { stroke: css("--line") }, font: "12px Inter, system-ui, sans-serif", labelFont: "600 12px Inter, system-ui, sans-serif", ...more });

// A little more than the data reach: of several dots at the last place, all are drawn.
export const wider = (u, low, high) => { const more = (high - low) / 100 || 1; return [low - more, high + more]; };

// A chart in a place: `options` is a function, so that another scheme of colours can be drawn anew. `hover` says what is under the cursor, and
// `steps` are places [x, y] that the arrow keys go to, one after the other.
export function chart(place, label, options, data, { height = 300, hover, steps } = {}) {
  drop(place);
  const box = make("div", null, { class: "chart", role: "img", "aria-label": label });
  const said = hover ? make("p", "", { class: "hover", "aria-live": "polite" }) : null;
  if (hover && steps) byKeys(place, box, steps);
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

// Arrows go from place to place, + and - zoom there, Escape shows all.
function byKeys(place, box, steps) {
  box.tabIndex = 0;
  box.setAttribute("aria-label", `${box.getAttribute("aria-label")}. Arrow keys name the readings one by one, plus and minus zoom, Escape shows all.`);
  let at = -1;
  box.addEventListener("keydown", (event) => {
    const u = alive.get(place).plot, by = { ArrowRight: 1, ArrowLeft: -1 }[event.key], factor = { "+": 0.5, "-": 2 }[event.key];
    if (by) {
      at = (at + by + steps.length) % steps.length;
      u.setCursor({ left: u.valToPos(steps[at][0], "x"), top: u.valToPos(steps[at][1], "y") });
    } else if (factor && at >= 0) {
      u.batch(() => ["x", "y"].forEach((scale, axis) => { const { min, max } = u.scales[scale], half = (max - min) * factor / 2; u.setScale(scale, { min: steps[at][axis] - half, max: steps[at][axis] + half }); }));
    } else if (event.key === "Escape") u.setData(u.data);
    else return;
    event.preventDefault();
  });
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
// A short stroke at each place, for what has no line; a cross where it stands alone.
export const marks = (label, stroke, cross = false) => ({ label, stroke, width: 2, points: { show: false }, paths: (u, of, first, last) => {
  const drawn = new Path2D(), half = (cross ? 9 : 4) * devicePixelRatio, scale = u.series[of].scale;
  for (let k = first; k <= last; k++) {
    if (u.data[of][k] === null || u.data[of][k] === undefined) continue;
    const x = u.valToPos(u.data[0][k], "x", true), y = u.valToPos(u.data[of][k], scale, true);
    drawn.moveTo(x - half, y); drawn.lineTo(x + half, y);
    if (cross) { drawn.moveTo(x, y - half); drawn.lineTo(x, y + half); }
  }
  return { stroke: drawn, fill: null, clip: null, band: null, gaps: null, flags: 1 };
} });
export const none = (label, size = 4) => dots(label, css("--clutter"), size);

// Columns over several axes as one table over all their places, ascending; places that are equal stay apart, so that no reading is lost.
export function joined(tables) {
  const places = tables.flatMap(([at], t) => at.map((x, k) => [x, t, k])).sort((a, b) => a[0] - b[0]);
  const columns = tables.flatMap(([, ...rest], t) => rest.map((column) => [t, column]));
  return [places.map(([x]) => x), ...columns.map(([t, column]) => places.map(([, of, k]) => (of === t ? column[k] : null)))];
}
