// The history of a project: findings over runs as a plot, and the runs as a table.
"use strict";

/** Draws the runs of `/api/history`, oldest first, into an element. */
Watertight.history = (runs, into) => {
  const { el, count } = Watertight;
  const SVG = "http://www.w3.org/2000/svg";
  const LEVELS = ["high", "medium", "low"];
  const make = (tag, attributes, ...children) => {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
    node.append(...children);
    return node;
  };
  const sum = (run) => run.findings.reduce((all, one) => all + one, 0);
  const when = (run) => run.at.replace("T", " ").replace(/:\d\dZ$/, "");
  const parts = (run) => LEVELS.map((level, i) => `${run.findings[i].toLocaleString("en")} ${level}`).join(", ");

  /** Round numbers up to the largest, at most five of them. */
  const ticks = (most) => {
    const raw = Math.max(1, most / 4);
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = Math.max(1, [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw));
    return Array.from({ length: Math.ceil(most / step) + 1 }, (_, i) => i * step);
  };

  const plot = (wide) => {
    const [left, right, top, bottom, high] = [44, 8, 10, 26, 220];
    const marks = ticks(Math.max(1, ...runs.map(sum)));
    const y = (value) => top + (high - top - bottom) * (1 - value / marks[marks.length - 1]);
    const room = wide - left - right;
    const pitch = Math.min(48, room / runs.length);
    const bar = Math.max(1, pitch * 0.72);
    const grid = marks.flatMap((value) => [
      make("line", { x1: left, x2: wide - right, y1: y(value), y2: y(value), class: "grid" }),
      make("text", { x: left - 8, y: y(value) + 4, class: "tick end" }, value.toLocaleString("en")),
    ]);
    const bars = runs.map((run, i) => {
      const x = left + i * pitch + (pitch - bar) / 2;
      let from = 0;
      const pieces = LEVELS.map((level, l) => {
        const [low, up] = [from, from + run.findings[l]];
        from = up;
        return up === low ? null : make("rect", { x, y: y(up), width: bar, height: Math.max(1, y(low) - y(up)), class: level });
      }).filter(Boolean);
      const node = make("g", { class: "bar-of-run", "data-run": i }, make("title", {}, `${when(run)}: ${count(sum(run), "finding")} (${parts(run)}), ${run.new} new, ${run.gone} gone`),
        make("rect", { x: left + i * pitch, y: top, width: pitch, height: high - top - bottom, class: "reach" }), ...pieces);
      node.addEventListener("mouseenter", () => point(i, true));
      node.addEventListener("mouseleave", () => point(i, false));
      return node;
    });
    // A day is written where its first run stands, as far as there is room.
    const days = [];
    let free = 0;
    runs.forEach((run, i) => {
      const x = left + i * pitch;
      const day = run.at.slice(0, 10);
      if ((i === 0 || runs[i - 1].at.slice(0, 10) !== day) && x >= free && x + 70 <= wide) {
        days.push(make("text", { x, y: high - 7, class: "tick" }, day));
        free = x + 86;
      }
    });
    return make("svg", { width: wide, height: high, viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": "Findings of each run, by confidence" }, ...grid, ...bars, ...days);
  };

  const rows = runs.map((run, i) => {
    const change = run.new || run.gone ? [run.new ? el("span", "more", `+${run.new}`) : null, run.gone ? el("span", "less", `−${run.gone}`) : null] : ["–"];
    const row = el("tr", "", el("td", "", when(run)), ...run.findings.map((number) => el("td", "number", number.toLocaleString("en"))),
      el("td", "number change", ...change), el("td", "number", run.files.toLocaleString("en")), el("td", "number", run.functions.toLocaleString("en")),
      el("td", "number", run.problems.toLocaleString("en")), el("td", "number", `${run.seconds.toFixed(run.seconds < 10 ? 1 : 0)} s`), el("td", "", run.version));
    row.dataset.run = i;
    return row;
  });
  const point = (i, on) => rows[i].classList.toggle("on", on);

  const head = ["When (UTC)", "High", "Medium", "Low", "Change", "Files", "Functions", "Problems", "Took", "Version"];
  const table = el("table", "runs", el("thead", "", el("tr", "", ...head.map((text, i) => el("th", i > 0 && i < 9 ? "number" : "", text)))), el("tbody", "", ...[...rows].reverse()));
  const frame = el("div", "plot");
  const key = el("div", "graph-key", ...LEVELS.map((level) => el("span", "", el("i", level), `${level} confidence`)));
  const last = runs[runs.length - 1];
  into.replaceChildren(
    el("h1", "", "History"),
    el("p", "from", runs.length ? `${count(runs.length, "run")} in the store. The newest, of ${when(last)}, has ${count(sum(last), "finding")}: ${parts(last)}. ` : "No run is in the store.",
      "Findings that comments and marks hide are counted."),
    el("section", "card", el("h2", "", "Findings", el("span", "quiet", "one bar for each run, oldest first")), frame, key),
    el("section", "card", el("h2", "", "Runs", el("span", "quiet", "newest first")), el("div", "scroll", table)));
  const draw = () => { if (runs.length && frame.clientWidth > 0) frame.replaceChildren(plot(Math.max(260, frame.clientWidth - 28))); };
  new ResizeObserver(draw).observe(frame);
  draw();
};
