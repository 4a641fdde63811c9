// Draws findings into their source. Shared by the report in one file and by the page of `watertight serve`.
//
// Every text goes to the page through textContent: nothing that a program contains can become markup.
"use strict";

const Watertight = (() => {
  const SVG = "http://www.w3.org/2000/svg";

  /** An element with a class and children; children are nodes or plain text. */
  const el = (tag, className, ...children) => {
    const node = document.createElement(tag);
    if (className) node.className = className;
    node.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
    return node;
  };

  /** A button that does something. */
  const button = (className, title, act, ...children) => {
    const node = el("button", className, ...children);
    node.type = "button";
    if (title) { node.title = title; node.setAttribute("aria-label", title); }
    node.addEventListener("click", act);
    return node;
  };

  const count = (number, thing, things) => `${number.toLocaleString("en")} ${number === 1 ? thing : things || thing + "s"}`;

  /** Text in which `code` stands between backticks. Names with a contract can be asked for it. */
  const rich = (text, contracts) => {
    const parts = document.createDocumentFragment();
    String(text).split("`").forEach((part, i) => {
      if (part === "") return;
      if (i % 2 === 0) { parts.append(part); return; }
      const code = el("code", "", part);
      if (contracts && contracts.has(part)) mark(code, part);
      parts.append(code);
    });
    return parts;
  };

  const mark = (node, name) => {
    node.classList.add("fn");
    node.dataset.fn = name;
    node.tabIndex = 0;
  };

  /** Tables of numbers and texts as findings; see `details.rs`. */
  const decode = (details, kinds) => {
    const { texts, files } = details;
    const at = (file, line, start, end, func) => ({ file: files[file], line, start, end, func: texts[func] });
    const step = (row) => {
      const values = [];
      for (let i = 0; i + 1 < row[8].length; i += 2) values.push([texts[row[8][i]], texts[row[8][i + 1]]]);
      return { kind: kinds[row[0]], text: texts[row[1]], depth: row[7], values, ...at(row[2], row[3], row[4], row[5], row[6]) };
    };
    return details.findings.map(([exits, sibling, assumptions, doubts, needs]) => ({
      exits: exits.map(([support, steps]) => ({ support, steps: steps.map(step) })),
      sibling: sibling && step(sibling),
      assumptions: assumptions.map((row) => ({ text: texts[row[0]], ...at(row[1], row[2], row[3], row[4], row[5]) })),
      doubts: doubts.map((text) => texts[text]),
      needs: needs.map((text) => texts[text]),
    }));
  };

  // ---- C, as far as the eye needs it ----

  const KEYWORDS = new Set(("auto break case const continue default do else enum extern for goto if inline register "
    + "restrict return sizeof static struct switch typedef union volatile while _Bool bool true false NULL").split(" "));
  const TYPES = new Set(("char double float int long short signed unsigned void size_t ssize_t FILE DIR off_t time_t "
    + "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t intptr_t ptrdiff_t").split(" "));
  const TOKEN = /\/\/.*|\/\*|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[A-Za-z_$][\w$]*|\d[\w.]*|[^A-Za-z_$\d"'/]+|\//g;

  /** Tokens of a line as [start, end, class, text], and whether a comment goes on after it. */
  const tokens = (text, inComment) => {
    const out = [];
    let from = 0;
    if (inComment) {
      const close = text.indexOf("*/");
      if (close < 0) return [[[0, text.length, "c", text]], true];
      out.push([0, close + 2, "c", text.slice(0, close + 2)]);
      from = close + 2;
    }
    const directive = !inComment && /^\s*#/.test(text);
    TOKEN.lastIndex = from;
    for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
      let token = match[0];
      if (token === "/*") {
        const close = text.indexOf("*/", match.index + 2);
        const end = close < 0 ? text.length : close + 2;
        out.push([match.index, end, "c", text.slice(match.index, end)]);
        if (close < 0) return [out, true];
        TOKEN.lastIndex = end;
        continue;
      }
      const kind = token.startsWith("//") ? "c"
        : token[0] === "\"" || token[0] === "'" ? "s"
        : /[A-Za-z_$]/.test(token[0]) ? (KEYWORDS.has(token) ? "k" : TYPES.has(token) ? "t" : directive ? "p" : "i")
        : /\d/.test(token[0]) ? "n" : directive ? "p" : "";
      out.push([match.index, match.index + token.length, kind, token]);
    }
    return [out, false];
  };

  /** Whether a run of lines seems to begin inside a comment. */
  const beginsInComment = (lines) => {
    for (const line of lines) {
      const text = typeof line === "string" ? line : "";
      const open = text.indexOf("/*");
      const close = text.indexOf("*/");
      if (close >= 0 && (open < 0 || close < open)) return true;
      if (open >= 0) return false;
    }
    return false;
  };

  /** A piece of a line, with what is marked in it. Marks have columns from one, counted in the whole line. */
  const drawPiece = (into, text, before, marks, comment, contracts) => {
    const [list, goesOn] = tokens(text, comment);
    for (const [start, end, kind, token] of list) {
      const edges = new Set([start, end]);
      for (const mark of marks) {
        for (const edge of [mark.start - 1 - before, mark.end - 1 - before]) if (edge > start && edge < end) edges.add(edge);
      }
      const sorted = [...edges].sort((a, b) => a - b);
      for (let i = 0; i + 1 < sorted.length; i += 1) {
        const part = text.slice(sorted[i], sorted[i + 1]);
        const hit = marks.find((mark) => mark.start - 1 - before <= sorted[i] && sorted[i + 1] <= mark.end - 1 - before);
        const known = kind === "i" && contracts && contracts.has(token) && part === token;
        if (!kind && !hit) { into.append(part); continue; }
        const span = el("span", (kind ? `t-${kind}` : "") + (hit ? ` hit kind-${hit.kind}` : ""), part);
        if (known) mark(span, token);
        into.append(span);
      }
    }
    return goesOn;
  };

  const drawLine = (line, marks, comment, contracts) => {
    const code = el("code", "tx");
    if (typeof line === "string") return [code, drawPiece(code, line, 0, marks, comment, contracts)];
    const [units, pieces] = line;
    let shown = 0;
    for (const [before, text] of pieces) {
      if (before > shown) code.append(el("span", "cut", `⋯ ${count(before - shown, "character")} ⋯`));
      drawPiece(code, text, before, marks, false, contracts);
      shown = before + text.length;
    }
    if (units > shown) code.append(el("span", "cut", `⋯ ${count(units - shown, "character")}`));
    return [code, false];
  };

  /** Looks up lines of an excerpt. */
  const lineOf = (excerpt, number) => {
    for (const run of excerpt ? excerpt.runs : []) {
      if (number >= run.first && number < run.first + run.lines.length) return run.lines[number - run.first];
    }
    return undefined;
  };

  // ---- What a function does, on hover ----

  const tooltip = (contracts) => {
    const box = el("div", "tip");
    box.setAttribute("role", "tooltip");
    box.hidden = true;
    document.body.append(box);
    const hide = () => { box.hidden = true; };
    const show = (target) => {
      const contract = contracts.get(target.dataset.fn);
      if (!contract) return;
      const list = el("ul", "", ...contract.does.map((sentence) => el("li", "", rich(sentence))));
      box.replaceChildren(el("div", "tip-name", el("code", "", contract.name), " ", el("span", "quiet", contract.from)), list);
      box.hidden = false;
      const at = target.getBoundingClientRect();
      const size = box.getBoundingClientRect();
      const left = Math.max(8, Math.min(at.left, innerWidth - size.width - 8));
      const below = at.bottom + 6 + size.height < innerHeight;
      box.style.left = `${left}px`;
      box.style.top = `${below ? at.bottom + 6 : Math.max(8, at.top - size.height - 6)}px`;
    };
    const over = (event) => {
      const target = event.target instanceof Element ? event.target.closest(".fn") : null;
      if (target) show(target); else hide();
    };
    document.addEventListener("mouseover", over);
    document.addEventListener("focusin", over);
    document.addEventListener("scroll", hide, true);
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  };

  // ---- A finding in its source ----

  /** Gaps up to this are filled rather than folded. */
  const SMALL_GAP = 10;
  const AROUND = 3;
  const MORE = 12;

  /**
   * Shows one finding. `options.source(file)` gives an excerpt or nothing, or a promise of one; `options.contracts` is
   * a map from names to contracts; `options.moved(exit, step)` is told where the reader is.
   */
  class Viewer {
    constructor(into, options) {
      this.into = into;
      this.options = options;
      this.contracts = options.contracts || new Map();
      this.finding = null;
      this.opened = new Map();
      new ResizeObserver(() => this.drawPath()).observe(into);
    }

    async show(finding, exit = 0, step = -1) {
      this.finding = finding;
      this.exit = Math.max(0, Math.min(exit, finding.exits.length - 1));
      this.step = step;
      this.opened = new Map();
      const files = new Set();
      const add = (place) => { if (place && place.file) files.add(place.file); };
      for (const one of finding.exits) one.steps.forEach(add);
      add(finding.sibling);
      finding.assumptions.forEach(add);
      add(finding);
      const names = [...files];
      const found = await Promise.all(names.map((file) => this.options.source(file)));
      if (this.finding !== finding) return;
      this.excerpts = new Map(names.map((file, i) => [file, found[i]]));
      this.render();
      if (this.step >= 0) this.go(this.step, false); else this.into.scrollTop = 0;
    }

    steps() {
      const exit = this.finding && this.finding.exits[this.exit];
      return exit ? exit.steps : [];
    }

    /** Everything that is marked in the source. */
    marks() {
      const marks = this.steps().map((step, i) => ({ ...step, step: i, number: String(i + 1) }));
      if (!marks.length) marks.push({ ...this.finding, kind: "acquire", text: "acquired here", values: [], number: "1" });
      this.finding.exits.forEach((exit, i) => {
        const end = exit.steps.findLast((step) => step.kind === "lost") || exit.steps[exit.steps.length - 1];
        if (i !== this.exit && end) marks.push({ ...end, kind: "other", text: `exit ${i + 1} ends here`, exit: i, values: [] });
      });
      const { sibling } = this.finding;
      if (sibling) marks.push({ ...sibling, kind: "sibling", text: `on another path: ${sibling.text}` });
      for (const one of this.finding.assumptions) marks.push({ ...one, kind: "assume", text: `assumes that ${one.text}`, values: [] });
      return marks;
    }

    render() {
      const parts = new Map();
      for (const mark of this.marks()) {
        const key = `${mark.file}\u0000${mark.func}`;
        if (!parts.has(key)) parts.set(key, { file: mark.file, func: mark.func, depth: mark.depth || 0, marks: [] });
        parts.get(key).marks.push(mark);
      }
      this.svg = document.createElementNS(SVG, "svg");
      this.svg.setAttribute("class", "way");
      this.svg.setAttribute("aria-hidden", "true");
      const source = el("div", "source", this.svg);
      for (const [key, part] of parts) source.append(this.part(key, part));
      this.source = source;
      this.into.replaceChildren(source);
      this.mark();
      requestAnimationFrame(() => this.drawPath());
    }

    part(key, part) {
      const excerpt = this.excerpts.get(part.file);
      const head = el("div", "part-head", el("span", "file", part.file || "unknown file"));
      if (part.func) {
        const name = el("code", "", part.func);
        if (this.contracts.has(part.func)) mark(name, part.func);
        head.append(el("span", "in", "in "), name);
      }
      if (part.depth > 0) head.append(el("span", "quiet", count(part.depth, "call") + " deep"));
      const body = el("div", "part-body");
      const byLine = new Map();
      for (const one of part.marks) {
        if (!byLine.has(one.line)) byLine.set(one.line, []);
        byLine.get(one.line).push(one);
      }
      if (!excerpt) {
        const told = el("p", "quiet pad", part.file ? "The source could not be read." : "The place is not known.");
        body.append(told, ...part.marks.map((one) => this.note(one)));
        return el("section", "part", head, body);
      }
      const shown = this.shownLines(key, excerpt, [...byLine.keys()]);
      let previous = null;
      let comment = false;
      for (const number of shown) {
        const line = lineOf(excerpt, number);
        if (previous === null || number !== previous + 1) {
          this.fold(body, key, excerpt, previous, number);
          const ahead = [];
          for (let i = number; i < number + 40 && lineOf(excerpt, i) !== undefined; i += 1) ahead.push(lineOf(excerpt, i));
          comment = beginsInComment(ahead);
        }
        const here = byLine.get(number) || [];
        const row = el("div", here.length ? "row at" : "row", el("span", "ln", String(number)));
        const [code, goesOn] = drawLine(line, here.filter((one) => one.start > 0 && one.end > one.start), comment, this.contracts);
        comment = goesOn;
        row.append(code);
        body.append(row, ...here.map((one) => this.note(one)));
        previous = number;
      }
      // A place on a line that is not in the file, when the file has changed since.
      for (const [line, marks] of byLine) {
        if (lineOf(excerpt, line) === undefined) body.append(...marks.map((one) => this.note(one)));
      }
      this.fold(body, key, excerpt, previous, null);
      return el("section", "part", head, body);
    }

    shownLines(key, excerpt, lines) {
      const shown = new Set(this.opened.get(key) || []);
      const add = (from, to) => { for (let i = Math.max(1, from); i <= to; i += 1) if (lineOf(excerpt, i) !== undefined) shown.add(i); };
      const sorted = lines.filter((line) => line > 0).sort((a, b) => a - b);
      sorted.forEach((line, i) => {
        add(line - AROUND, line + AROUND);
        if (i > 0 && line - sorted[i - 1] <= SMALL_GAP + 2 * AROUND) add(sorted[i - 1], line);
      });
      return [...shown].sort((a, b) => a - b);
    }

    /** What stands for lines that are not shown: between two lines, before the first or after the last. */
    fold(body, key, excerpt, previous, next) {
      const hidden = [];
      if (previous !== null && next !== null) {
        for (let i = previous + 1; i < next; i += 1) if (lineOf(excerpt, i) !== undefined) hidden.push(i);
      } else if (next !== null) {
        for (let i = next - 1; i > 0 && hidden.length < MORE && lineOf(excerpt, i) !== undefined; i -= 1) hidden.push(i);
      } else if (previous !== null) {
        for (let i = previous + 1; hidden.length < MORE && lineOf(excerpt, i) !== undefined; i += 1) hidden.push(i);
      }
      const between = previous !== null && next !== null;
      if (!hidden.length) {
        if (between) body.append(el("div", "fold still", count(next - previous - 1, "line") + " not shown"));
        return;
      }
      const all = between ? next - previous - 1 : hidden.length;
      const text = between ? count(all, "line") : previous === null ? "lines above" : "lines below";
      const sign = between ? "⋯" : previous === null ? "↑" : "↓";
      const open = () => {
        const known = this.opened.get(key) || [];
        this.opened.set(key, known.concat(hidden));
        this.render();
      };
      body.append(button("fold", `Show ${text}`, open, el("span", "sign", sign), text));
    }

    note(one) {
      const values = el("span", "vals", ...(one.values || []).map(([name, value]) => el("span", "val", el("code", "", name), " = ", el("code", "v", value))));
      const number = el("span", "num", one.number || (one.kind === "sibling" ? "✓" : one.kind === "assume" ? "?" : "•"));
      const node = el("div", `note kind-${one.kind}`, number, el("span", "what", rich(one.text, this.contracts), values.childNodes.length ? values : null));
      if (one.step !== undefined) {
        node.dataset.step = one.step;
        node.addEventListener("click", () => this.go(one.step, false));
      } else if (one.exit !== undefined) {
        node.addEventListener("click", () => this.choose(one.exit));
      }
      return node;
    }

    choose(exit) {
      this.exit = exit;
      this.step = -1;
      this.render();
      this.tell();
    }

    /** Goes to a step; a reader who came there by key or button is taken to it. */
    go(step, move = true) {
      const steps = this.steps();
      if (!steps.length) return;
      this.step = Math.max(0, Math.min(step, steps.length - 1));
      this.mark();
      const node = this.source.querySelector(`.note[data-step="${this.step}"]`);
      if (node && move !== null) {
        const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
        node.scrollIntoView({ block: "center", behavior: calm || !move ? "auto" : "smooth" });
      }
      this.tell();
    }

    next() { this.go(this.step + 1); }
    previous() { this.go(this.step < 0 ? 0 : this.step - 1); }

    tell() { if (this.options.moved) this.options.moved(this.exit, this.step); }

    mark() {
      for (const note of this.source.querySelectorAll(".note[data-step]")) {
        const here = Number(note.dataset.step);
        note.classList.toggle("now", here === this.step);
        note.classList.toggle("past", this.step >= 0 && here < this.step);
      }
      this.drawPath();
    }

    /** The way from number to number in the margin; a note is not on the way. */
    drawPath() {
      if (!this.svg || !this.source || !this.source.isConnected) return;
      const origin = this.source.getBoundingClientRect();
      const dots = [...this.source.querySelectorAll(".note[data-step]:not(.kind-note) .num")].map((num) => {
        const box = num.getBoundingClientRect();
        return { step: Number(num.closest(".note").dataset.step), x: box.left + box.width / 2 - origin.left, y: box.top + box.height / 2 - origin.top, r: box.height / 2 };
      }).sort((a, b) => a.step - b.step);
      this.svg.setAttribute("width", "64");
      this.svg.setAttribute("height", String(Math.ceil(origin.height)));
      const ways = [];
      for (let i = 0; i + 1 < dots.length; i += 1) {
        const [a, b] = [dots[i], dots[i + 1]];
        const direct = b.y > a.y && !dots.some((dot) => dot.y > a.y + 1 && dot.y < b.y - 1);
        ways.push({ a, b, direct, top: Math.min(a.y, b.y), bottom: Math.max(a.y, b.y) });
      }
      const room = dots.length ? dots[0].x - dots[0].r - 5 : 0;
      let around = ways.filter((way) => !way.direct);
      let gap = Math.min(7, room / (lanes(around) + 0.5));
      if (gap < THIN) {
        // Too many for this margin: those to and from the step at hand are drawn.
        around = around.filter((way) => way.a.step === this.step || way.b.step === this.step);
        gap = Math.min(7, room / (lanes(around) + 0.5));
      }
      const lines = [];
      for (const { a, b, direct, lane } of ways.filter((way) => way.direct || around.includes(way))) {
        const path = document.createElementNS(SVG, "path");
        const head = document.createElementNS(SVG, "path");
        if (direct) {
          const y = b.y - b.r - 1;
          path.setAttribute("d", `M ${a.x} ${a.y + a.r} L ${b.x} ${y - 4}`);
          head.setAttribute("d", `M ${b.x - 3.5} ${y - 5} L ${b.x} ${y} L ${b.x + 3.5} ${y - 5} Z`);
        } else {
          // It leaves below the middle of a number and comes in above it, so that two ways at one number stay apart.
          const [from, to, x] = [a.y + 4, b.y - 4, b.x - b.r];
          const side = x - 5 - gap * (lane + 0.6);
          const bend = Math.min(5, gap) * Math.sign(to - from);
          path.setAttribute("d", `M ${a.x - a.r + 1} ${from} H ${side + Math.abs(bend)} Q ${side} ${from}, ${side} ${from + bend} V ${to - bend} Q ${side} ${to}, ${side + Math.abs(bend)} ${to} H ${x - 4}`);
          head.setAttribute("d", `M ${x - 5} ${to - 3.5} L ${x} ${to} L ${x - 5} ${to + 3.5} Z`);
        }
        const state = this.step < 0 ? "" : b.step === this.step ? "now" : b.step < this.step ? "past" : "ahead";
        path.setAttribute("class", `line ${state}`);
        head.setAttribute("class", `head ${state}`);
        lines.push(path, head);
      }
      this.svg.replaceChildren(...lines);
    }
  }

  /** Lanes that are narrower than this many pixels run into each other. */
  const THIN = 3;

  /**
   * Gives every way that passes other numbers a lane of its own in the margin, short ways next to the numbers, so that ways
   * neither cross nor cover each other. Returns how many lanes there are.
   */
  const lanes = (ways) => {
    const taken = [];
    for (const way of [...ways].sort((a, b) => a.bottom - a.top - (b.bottom - b.top))) {
      let lane = taken.findIndex((others) => others.every((other) => way.bottom < other.top || way.top > other.bottom));
      if (lane < 0) lane = taken.push([]) - 1;
      taken[lane].push(way);
      way.lane = lane;
    }
    return taken.length;
  };

  // ---- The steps beside the source ----

  /** Exits, steps, the release elsewhere, the assumptions and the doubts, as a list. */
  const stepList = (finding, viewer, contracts) => {
    const box = el("div", "steps");
    if (finding.exits.length > 1) {
      const exits = el("div", "exits");
      exits.setAttribute("role", "tablist");
      finding.exits.forEach((exit, i) => {
        const end = exit.steps.findLast((step) => step.kind === "lost") || exit.steps[exit.steps.length - 1];
        const tab = button(i === viewer.exit ? "exit on" : "exit", `Exit ${i + 1} of ${finding.exits.length}`, () => viewer.choose(i), `Exit ${i + 1}`, end && end.line ? el("span", "quiet", `line ${end.line}`) : null);
        tab.setAttribute("role", "tab");
        tab.setAttribute("aria-selected", String(i === viewer.exit));
        exits.append(tab);
      });
      box.append(exits);
    }
    const steps = viewer.steps();
    const bar = el("div", "step-bar",
      el("span", "where", viewer.step < 0 ? count(steps.length, "step") : `Step ${viewer.step + 1} of ${steps.length}`),
      button("turn", "Previous step (p or ←)", () => viewer.previous(), "←"),
      button("turn", "Next step (n or →)", () => viewer.next(), "→"));
    if (steps.length) box.append(bar);
    const list = el("ol", "step-list");
    steps.forEach((step, i) => {
      const item = button(`step kind-${step.kind}` + (i === viewer.step ? " now" : ""), "", () => viewer.go(i),
        el("span", "num", String(i + 1)),
        el("span", "what", rich(step.text), el("span", "where", `${(step.file || "").split("/").pop()}${step.line ? ":" + step.line : ""}`)));
      item.removeAttribute("aria-label");
      item.style.setProperty("--depth", Math.min(step.depth, 6));
      if (i === viewer.step) item.setAttribute("aria-current", "step");
      list.append(el("li", "", item));
    });
    box.append(list);
    if (finding.sibling) box.append(el("div", "aside kind-sibling", el("span", "num", "✓"), el("span", "what", "On another path ", rich(finding.sibling.text, contracts), `, line ${finding.sibling.line}`)));
    for (const text of finding.needs) box.append(el("div", "aside kind-assume", el("span", "num", "!"), el("span", "what", "Needs that ", rich(text, contracts))));
    for (const one of finding.assumptions) box.append(el("div", "aside kind-assume", el("span", "num", "?"), el("span", "what", "Assumes that ", rich(one.text, contracts))));
    for (const text of finding.doubts) box.append(el("div", "aside kind-assume", el("span", "num", "?"), el("span", "what", "Not sure because ", rich(text))));
    return box;
  };

  // ---- Light and dark ----

  const theme = {
    get() { try { return localStorage.getItem("watertight-theme"); } catch { return null; } },
    set(name) {
      if (name) document.documentElement.dataset.theme = name; else delete document.documentElement.dataset.theme;
      try { if (name) localStorage.setItem("watertight-theme", name); else localStorage.removeItem("watertight-theme"); } catch { /* Pages from files may keep nothing. */ }
    },
    toggle() {
      const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      theme.set(dark ? "light" : "dark");
    },
    start() { const known = theme.get(); if (known === "dark" || known === "light") document.documentElement.dataset.theme = known; },
  };

  // ---- Lists of any length ----

  /** Shows only the rows in sight. Rows have a height of their own; `draw(index)` makes one. */
  class LongList {
    constructor(into, draw) {
      this.into = into;
      this.draw = draw;
      this.space = el("div", "space");
      into.replaceChildren(this.space);
      this.rows = new Map();
      into.addEventListener("scroll", () => this.paint(), { passive: true });
      new ResizeObserver(() => this.paint()).observe(into);
    }

    fill(heights) {
      this.tops = new Float64Array(heights.length + 1);
      heights.forEach((height, i) => { this.tops[i + 1] = this.tops[i] + height; });
      this.space.style.height = `${this.tops[heights.length]}px`;
      this.again();
    }

    again() {
      this.rows.clear();
      this.space.replaceChildren();
      this.paint();
    }

    /** The last row that begins at or before a height. */
    at(y) {
      let [low, high] = [0, this.tops.length - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (this.tops[middle] <= y) low = middle; else high = middle - 1;
      }
      return low;
    }

    paint() {
      if (!this.tops) return;
      const number = this.tops.length - 1;
      const first = Math.max(0, this.at(this.into.scrollTop) - 4);
      const last = Math.min(number - 1, this.at(this.into.scrollTop + this.into.clientHeight) + 4);
      for (const [i, row] of this.rows) if (i < first || i > last) { row.remove(); this.rows.delete(i); }
      for (let i = first; i <= last; i += 1) {
        if (this.rows.has(i)) continue;
        const row = this.draw(i);
        row.style.top = `${this.tops[i]}px`;
        row.style.height = `${this.tops[i + 1] - this.tops[i]}px`;
        this.rows.set(i, row);
        this.space.append(row);
      }
    }

    reveal(i) {
      if (!this.tops || i < 0) return;
      const [top, bottom] = [this.tops[i], this.tops[i + 1]];
      const { scrollTop, clientHeight } = this.into;
      if (top < scrollTop + 40) this.into.scrollTop = Math.max(0, top - 60);
      else if (bottom > scrollTop + clientHeight) this.into.scrollTop = bottom - clientHeight + 20;
      this.paint();
    }
  }

  return { el, button, rich, count, decode, tooltip, Viewer, stepList, theme, LongList, drawLine, lineOf, beginsInComment };
})();
Watertight.theme.start();
