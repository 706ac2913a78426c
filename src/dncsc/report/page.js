// Switches, legend, pointer and keys.
const PAPER = { color: "#59616c", borderTopColor: "#e3e5e8" }; // before printing, styles are still those of the screen

(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const views = Object.fromEntries(data.views.map((view) => [view.key, storedView(view, data.columns, data.lines)]));
  const pairs = data.pairs && {
    ...data.pairs,
    values: unpack(data.pairs.values),
    cluster: unpack(data.pairs.cluster),
    landmarks: unpack(data.pairs.landmarks),
  };
  const rgb = (code) => [1, 3, 5].map((at) => parseInt(code.slice(at, at + 2), 16));
  const byDay = data.colours.map(([day]) => rgb(day)), byNight = data.colours.map(([, night]) => rgb(night));
  const visible = new Array(data.clusters).fill(true);
  const darkByDefault = matchMedia("(prefers-color-scheme: dark)");
  const canvas = $("canvas"), pad = $("pad"), cursor = $("cursor"), tip = $("tip"), readout = $("readout");
  const idle = readout.textContent;
  let view = views[data.views[0].key], place = null, printing = false, asked = 0;

  const many = (n) => n.toLocaleString("en");
  const isNight = () => !printing && (document.documentElement.dataset.theme || (darkByDefault.matches ? "dark" : "light")) === "dark";

  function paint() {
    const width = canvas.clientWidth;
    if (!width) return;
    const frame = frameOn(canvas, data, view), dense = Math.max(1, devicePixelRatio || 1);
    canvas.width = Math.round(width * dense);
    canvas.height = Math.round(frame.whole * dense);
    canvas.style.aspectRatio = `${width} / ${frame.whole}`;
    const pen = canvas.getContext("2d"), night = isNight();
    pen.scale(dense, dense);
    const { color, borderTopColor } = getComputedStyle(canvas);
    const style = { font: fontOf(canvas), ...(printing ? PAPER : { color, borderTopColor }) };
    paintAxes(pen, frame, view, style);
    const draw = view.cell.length < MANY_ENTRIES ? paintDots : paintCells;
    draw(pen, frame, view, visible, night ? byNight : byDay, data);
    if ($("landmarks").checked) paintLandmarks(pen, frame, view, night);
    tell();
  }

  function repaint() {
    cancelAnimationFrame(asked);
    asked = requestAnimationFrame(paint);
  }

  function caption() {
    const part = view.rows === data.rows ? `All ${many(data.rows)} rows` : `A sample of ${many(view.rows)} of ${many(data.rows)} rows`;
    const rest = view.outside ? ` ${many(view.outside)} far away ${view.outside === 1 ? "is" : "are"} not shown.` : "";
    $("caption").textContent = `${part}: ${view.axes[0]} across, ${view.axes[1]} up.${rest}`;
  }

  /** Shows what lies at the place pointed at, in a tip and below the map. */
  function tell() {
    const near = place && nearestCell(view, place.column, place.line, visible, data);
    const shown = near || (place && place.byKey ? place : null);
    cursor.hidden = tip.hidden = true;
    if (!place) { readout.textContent = idle; return; }
    if (shown) {
      const frame = frameOn(canvas, data, view);
      const x = frame.left + (frame.width * (shown.column + 0.5)) / data.columns;
      const y = frame.top + frame.height * (1 - (shown.line + 0.5) / data.lines);
      cursor.hidden = false;
      cursor.style.left = `${x}px`;
      cursor.style.top = `${y}px`;
      if (near) showTip(around(view, near, visible, data), x, y);
    }
    if (!near) readout.textContent = "No rows here.";
  }

  function showTip(found, x, y) {
    tip.replaceChildren(...found.slice(0, 5).map(({ cluster, count }) => {
      const line = document.createElement("div"), spot = document.createElement("span");
      spot.className = "swatch";
      spot.style.setProperty("--c", `light-dark(${data.colours[cluster]})`);
      line.append(spot, `Cluster ${cluster}: ${many(count)} ${count === 1 ? "row" : "rows"} around here`);
      return line;
    }));
    tip.hidden = false;
    const room = pad.clientWidth, wide = tip.offsetWidth, high = tip.offsetHeight;
    tip.style.left = `${Math.max(4, Math.min(room - wide - 4, x + 16 + wide < room ? x + 16 : x - wide - 16))}px`;
    tip.style.top = `${Math.max(4, Math.min(pad.clientHeight - high - 4, y - high / 2))}px`;
    readout.textContent = found.slice(0, 5).map(({ cluster, count }) =>
      `Cluster ${cluster}: ${many(count)} of its ${many(view.sizes[cluster])} rows on the map`).join("; ") + " are around here.";
  }

  function point(event) {
    const box = canvas.getBoundingClientRect(), frame = frameOn(canvas, data, view);
    const column = Math.floor(((event.clientX - box.left - frame.left) / frame.width) * data.columns);
    const line = Math.floor((1 - (event.clientY - box.top - frame.top) / frame.height) * data.lines);
    const inside = column >= 0 && column < data.columns && line >= 0 && line < data.lines;
    place = inside ? { column, line } : null;
    tell();
  }

  function step(event) {
    const [x, y] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] || [0, 0];
    if (event.key === "Escape") place = null;
    else if (x || y) {
      const size = event.shiftKey ? 1 : 6;
      const from = place || { column: data.columns / 2, line: data.lines / 2 };
      const held = (value, end) => Math.max(0, Math.min(end - 1, Math.floor(value)));
      place = { column: held(from.column + x * size, data.columns), line: held(from.line + y * size, data.lines), byKey: true };
      event.preventDefault();
    } else return;
    tell();
  }

  function switchTo(clusters, on) {
    for (const cluster of clusters) {
      visible[cluster] = on(visible[cluster]);
      $("legend").querySelector(`[data-cluster="${cluster}"]`).setAttribute("aria-pressed", String(visible[cluster]));
    }
    repaint();
  }

  function choose() {
    const key = document.querySelector("input[name=view]:checked")?.value || data.views[0].key;
    document.querySelectorAll(".choice").forEach((each) => { each.hidden = key !== "pairs"; });
    view = key === "pairs" ? pairView(pairs, Number($("across").value), Number($("up").value), data) : views[key];
    place = null;
    caption();
    repaint();
  }

  function setTheme(dark) {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    $("theme").setAttribute("aria-pressed", String(dark));
    repaint();
  }

  $("legend").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) switchTo([Number(button.dataset.cluster)], (on) => !on);
  });
  $("all").addEventListener("click", () => switchTo(visible.keys(), () => true));
  $("none").addEventListener("click", () => switchTo(visible.keys(), () => false));
  $("unfold")?.addEventListener("click", (event) => {
    const open = event.target.textContent === "Open all";
    document.querySelectorAll("details.card").forEach((each) => { each.open = open; });
    event.target.textContent = open ? "Close all" : "Open all";
  });
  $("landmarks").addEventListener("change", repaint);
  document.querySelectorAll("input[name=view], .choice select").forEach((each) => each.addEventListener("change", choose));
  $("theme").addEventListener("click", () => setTheme(!isNight()));
  $("theme").setAttribute("aria-pressed", String(isNight()));
  darkByDefault.addEventListener("change", () => { $("theme").setAttribute("aria-pressed", String(isNight())); repaint(); });
  pad.addEventListener("pointermove", point);
  pad.addEventListener("pointerdown", point);
  pad.addEventListener("pointerleave", () => { place = null; tell(); });
  pad.addEventListener("keydown", step);
  pad.addEventListener("blur", () => { place = null; tell(); });
  new ResizeObserver(repaint).observe(canvas.parentElement);
  addEventListener("beforeprint", () => {
    printing = true;
    document.querySelectorAll("details.card").forEach((each) => { each.dataset.was = each.open; each.open = true; });
    paint();
  });
  addEventListener("afterprint", () => {
    printing = false;
    document.querySelectorAll("details.card").forEach((each) => { each.open = each.dataset.was === "true"; });
    paint();
  });
  $("up").selectedIndex = 1;
  choose();
})();
