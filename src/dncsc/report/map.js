"use strict";
// The map: counts of rows by cell and cluster, painted on a canvas.

/** Numbers from base64, as they were packed: low byte first. */
function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed.data), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  if (packed.bits === 8) return bytes;
  const n = bytes.length / (packed.bits / 8);
  if (packed.bits === 16) return Uint16Array.from({ length: n }, (_, i) => view.getUint16(2 * i, true));
  return Uint32Array.from({ length: n }, (_, i) => view.getUint32(4 * i, true));
}

const OUTSIDE = 65535;
const INSET = { left: 52, right: 14, top: 14, bottom: 42 };
const MARGIN = 22; // pixels left of the numbers on the y axis
const UNITS = [[1e12, "T"], [1e9, "B"], [1e6, "M"]];
const FEW_PLACES = 3; // decimals of a number in units
const MOST_UP = 7; // numbers up the axis
const MANY_ENTRIES = 6000; // fewer are drawn as a dot each
const REACH = 5; // how many cells away from the pointer rows are looked for
const AROUND = 2; // how many cells away from there rows are counted

/** A view with its cells in ascending order, and where each cell's entries start. */
function finished(view, columns, lines) {
  const start = new Uint32Array(columns * lines + 1);
  for (const cell of view.cell) start[cell + 1]++;
  for (let i = 0; i < columns * lines; i++) start[i + 1] += start[i];
  const totals = [];
  for (let i = 0; i < columns * lines; i++) {
    let total = 0;
    for (let j = start[i]; j < start[i + 1]; j++) total += view.count[j];
    if (total) totals.push(total);
  }
  totals.sort((one, other) => one - other);
  const full = Math.log1p(totals.length ? totals[Math.floor(0.99 * (totals.length - 1))] : 1);
  const sizes = {};
  view.cluster.forEach((cluster, i) => { sizes[cluster] = (sizes[cluster] || 0) + view.count[i]; });
  return { ...view, start, full, sizes };
}

/** A view as it stands in the data. */
function storedView(stored, columns, lines) {
  let at = 0;
  const cell = Uint32Array.from(unpack(stored.gap), (gap) => (at += gap));
  const marks = unpack(stored.landmarks);
  const landmarks = [];
  for (let i = 0; i < marks.length; i += 2) landmarks.push([marks[i] / (OUTSIDE - 1), marks[i + 1] / (OUTSIDE - 1)]);
  const view = { ...stored, cell, cluster: unpack(stored.cluster), count: unpack(stored.count), landmarks };
  return finished(view, columns, lines);
}

/** A view of two features, counted from the values of a sample. */
function pairView(pairs, across, up, data) {
  const { columns, lines, clusters } = data;
  const n = pairs.cluster.length, p = pairs.landmarks.length / pairs.names.length;
  const counts = new Map();
  let outside = 0;
  for (let i = 0; i < n; i++) {
    const x = pairs.values[across * n + i], y = pairs.values[up * n + i];
    if (x === OUTSIDE || y === OUTSIDE) { outside++; continue; }
    const column = Math.min(columns - 1, Math.floor((x / (OUTSIDE - 1)) * columns));
    const line = Math.min(lines - 1, Math.floor((y / (OUTSIDE - 1)) * lines));
    const key = (line * columns + column) * clusters + pairs.cluster[i];
    counts.set(key, (counts.get(key) || 0) + 1);
  }
  const keys = Float64Array.from(counts.keys()).sort();
  const landmarks = [];
  for (let i = 0; i < p; i++) {
    const x = pairs.landmarks[across * p + i], y = pairs.landmarks[up * p + i];
    if (x !== OUTSIDE && y !== OUTSIDE) landmarks.push([x / (OUTSIDE - 1), y / (OUTSIDE - 1)]);
  }
  const view = {
    axes: [pairs.names[across], pairs.names[up]],
    dates: [pairs.dates[across], pairs.dates[up]],
    low: [pairs.low[across], pairs.low[up]],
    high: [pairs.high[across], pairs.high[up]],
    rows: n, outside, landmarks,
    cell: Uint32Array.from(keys, (key) => Math.floor(key / clusters)),
    cluster: Uint32Array.from(keys, (key) => key % clusters),
    count: Uint32Array.from(keys, (key) => counts.get(key)),
  };
  return finished(view, columns, lines);
}

const fontOf = (canvas) => `12px ${getComputedStyle(canvas).fontFamily}`;

/** Where the frame of the map lies on a canvas: right of the longest number up the axis. */
function frameOn(canvas, data, view) {
  const pen = canvas.getContext("2d");
  pen.font = fontOf(canvas);
  const widths = ticks(view.low[1], view.high[1], MOST_UP, view.dates[1]).map(([, text]) => pen.measureText(text).width);
  const left = Math.max(INSET.left, MARGIN + Math.ceil(Math.max(...widths)));
  const across = canvas.clientWidth - left - INSET.right;
  const up = (across * data.lines) / data.columns;
  return { left, top: INSET.top, width: across, height: up, whole: up + INSET.top + INSET.bottom };
}

/** Rows of each visible cluster in a cell, the largest first. */
function inCell(view, cell, visible) {
  const found = [];
  for (let i = view.start[cell]; i < view.start[cell + 1]; i++) {
    if (visible[view.cluster[i]]) found.push({ cluster: view.cluster[i], count: view.count[i] });
  }
  return found.sort((one, other) => other.count - one.count);
}

/** The same for a cell and those around it: a single cell may hold one row of thousands next to it. */
function around(view, { column, line }, visible, data) {
  const counts = new Map();
  for (let y = Math.max(0, line - AROUND); y <= Math.min(data.lines - 1, line + AROUND); y++) {
    for (let x = Math.max(0, column - AROUND); x <= Math.min(data.columns - 1, column + AROUND); x++) {
      for (const { cluster, count } of inCell(view, y * data.columns + x, visible)) {
        counts.set(cluster, (counts.get(cluster) || 0) + count);
      }
    }
  }
  const found = Array.from(counts, ([cluster, count]) => ({ cluster, count }));
  return found.sort((one, other) => other.count - one.count);
}

/** The nearest cell around a place that has visible rows; the place is in cells. */
function nearestCell(view, column, line, visible, data) {
  let best = null, least = (REACH + 0.5) ** 2;
  for (let y = Math.max(0, line - REACH); y <= Math.min(data.lines - 1, line + REACH); y++) {
    for (let x = Math.max(0, column - REACH); x <= Math.min(data.columns - 1, column + REACH); x++) {
      const far = (x - column) ** 2 + (y - line) ** 2;
      if (far < least && inCell(view, y * data.columns + x, visible).length) {
        best = { column: x, line: y };
        least = far;
      }
    }
  }
  return best;
}

/** Opacity and mean colour of a cell's visible rows. */
function shade(found, view, colours) {
  let total = 0, r = 0, g = 0, b = 0;
  for (const { cluster, count } of found) {
    const colour = colours[cluster];
    total += count; r += count * colour[0]; g += count * colour[1]; b += count * colour[2];
  }
  const alpha = 0.35 + 0.65 * Math.min(1, Math.log1p(total) / view.full);
  return [r / total, g / total, b / total, alpha];
}

/** Beginnings of days, months or years between two dates, in days since 1970, about as many as asked for. */
function dateTicks(low, high, about) {
  const wanted = (high - low) / about, day = 86400000;
  const days = [1, 2, 5, 10].find((each) => each >= wanted);
  const months = [1, 3, 6, 12, 24, 60, 120, 240, 600, 1200].find((each) => 30.4 * each >= wanted) || 6000;
  const first = new Date(low * day), month = 12 * (first.getUTCFullYear() - 1970) + first.getUTCMonth();
  const start = days ? Math.ceil(low / days) : Math.floor(month / months);
  const place = (i) => (days ? (start + i) * days : Date.UTC(1970, (start + i) * months) / day);
  const found = [];
  for (let i = 0; place(i) <= high; i++) {
    const text = new Date(place(i) * day).toISOString().slice(0, days ? 10 : months < 12 ? 7 : 4);
    if (place(i) >= low) found.push([place(i), text]);
  }
  return found;
}

/** Round numbers between low and high, about as many as asked for. */
function ticks(low, high, about, isDate) {
  if (isDate && high - low >= 2 && low > -719000 && high < 2932000) return dateTicks(low, high, about); // years of four digits
  const power = 10 ** Math.floor(Math.log10((high - low) / about));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => (high - low) / each <= about) || power;
  const written = inUnits(step, Math.max(Math.abs(low), Math.abs(high)));
  const found = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) {
    found.push([i * step, i ? written(i * step).replaceAll("-", "\u2212") : "0"]);
  }
  return found;
}

/** How to write multiples of a step up to the farthest: short, but so that no two are the same. */
function inUnits(step, farthest) {
  const power = (value) => Math.floor(Math.log10(value) + 1e-9);
  if (farthest >= 1e15 || farthest < 1e-3) {
    return (value) => value.toExponential(Math.max(0, power(Math.abs(value)) - power(step))).replace("e+", "e");
  }
  const fits = ([unit]) => unit <= farthest && power(unit) - power(step) <= FEW_PLACES;
  const [unit, letter] = UNITS.find(fits) || [1, ""];
  const places = Math.max(0, power(unit) - power(step));
  const options = { minimumFractionDigits: places, maximumFractionDigits: places };
  return (value) => (value / unit).toLocaleString("en", options) + letter;
}

/** Lines and numbers of the axes, and their names. */
function paintAxes(pen, frame, view, style) {
  pen.font = style.font;
  pen.fillStyle = style.color;
  pen.strokeStyle = style.borderTopColor;
  pen.lineWidth = 1;
  pen.textAlign = "center";
  pen.textBaseline = "top";
  const bottom = frame.top + frame.height;
  for (const [value, text] of ticks(view.low[0], view.high[0], frame.width > 500 ? 8 : 4, view.dates[0])) {
    const x = Math.round(frame.left + (frame.width * (value - view.low[0])) / (view.high[0] - view.low[0])) + 0.5;
    pen.beginPath(); pen.moveTo(x, frame.top); pen.lineTo(x, bottom); pen.stroke();
    if (x > frame.left + 12 && x < frame.left + frame.width - 12) pen.fillText(text, x, bottom + 6);
  }
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (const [value, text] of ticks(view.low[1], view.high[1], frame.height > 350 ? MOST_UP : 4, view.dates[1])) {
    const y = Math.round(bottom - (frame.height * (value - view.low[1])) / (view.high[1] - view.low[1])) + 0.5;
    pen.beginPath(); pen.moveTo(frame.left, y); pen.lineTo(frame.left + frame.width, y); pen.stroke();
    if (y > frame.top + 6 && y < bottom - 6) pen.fillText(text, frame.left - 6, y, frame.left - 20);
  }
  pen.textAlign = "center";
  pen.textBaseline = "bottom";
  pen.fillText(view.axes[0], frame.left + frame.width / 2, frame.whole - 5, frame.width);
  pen.save();
  pen.translate(4, frame.top + frame.height / 2);
  pen.rotate(-Math.PI / 2);
  pen.textBaseline = "top";
  pen.fillText(view.axes[1], 0, 0, frame.height);
  pen.restore();
}

/** Many rows: an image with a pixel a cell. */
function paintCells(pen, frame, view, visible, colours, data) {
  const image = new ImageData(data.columns, data.lines);
  for (let cell = 0; cell < data.columns * data.lines; cell++) {
    const found = inCell(view, cell, visible);
    if (!found.length) continue;
    const [r, g, b, alpha] = shade(found, view, colours);
    const line = data.lines - 1 - Math.floor(cell / data.columns);
    image.data.set([r, g, b, 255 * alpha], 4 * (line * data.columns + (cell % data.columns)));
  }
  const small = document.createElement("canvas");
  small.width = data.columns;
  small.height = data.lines;
  small.getContext("2d").putImageData(image, 0, 0);
  pen.imageSmoothingEnabled = true;
  pen.imageSmoothingQuality = "high";
  pen.drawImage(small, frame.left, frame.top, frame.width, frame.height);
}

/** Few rows: a dot a cell. */
function paintDots(pen, frame, view, visible, colours, data) {
  const radius = Math.max(1.6, frame.width / 260) * (view.cell.length < 1500 ? 1.25 : 1);
  for (let i = 0; i < view.cell.length; i++) {
    const cell = view.cell[i];
    if (i > 0 && view.cell[i - 1] === cell) continue;
    const found = inCell(view, cell, visible);
    if (!found.length) continue;
    const [r, g, b, alpha] = shade(found, view, colours);
    const x = frame.left + (frame.width * ((cell % data.columns) + 0.5)) / data.columns;
    const y = frame.top + frame.height * (1 - (Math.floor(cell / data.columns) + 0.5) / data.lines);
    pen.fillStyle = `rgb(${r} ${g} ${b} / ${Math.max(0.55, alpha)})`;
    pen.beginPath(); pen.arc(x, y, radius, 0, 7); pen.fill();
  }
}

/** The landmarks as small dots with a rim. */
function paintLandmarks(pen, frame, view, night) {
  pen.fillStyle = night ? "#ffffff" : "#16191d";
  pen.strokeStyle = night ? "#14171b" : "#ffffff";
  pen.lineWidth = 0.8;
  for (const [x, y] of view.landmarks) {
    pen.beginPath();
    pen.arc(frame.left + frame.width * x, frame.top + frame.height * (1 - y), 1.9, 0, 7);
    pen.fill(); pen.stroke();
  }
}
