// The page of a project: which part is shown, functions, the call graph, and marks.
"use strict";

(async () => {
  const { el, button, rich, count, decode, tooltip, LongList, drawLine, lineOf, beginsInComment } = Watertight;
  const SVG = "http://www.w3.org/2000/svg";
  const find = (id) => document.getElementById(id);
  const contracts = new Map();

  const say = (text) => {
    const toast = find("toast");
    toast.textContent = text;
    toast.hidden = false;
    clearTimeout(say.timer);
    say.timer = setTimeout(() => { toast.hidden = true; }, 3500);
  };
  const get = async (path) => {
    const response = await fetch(path);
    if (!response.ok) throw new Error((await response.text()).trim() || response.statusText);
    return response.json();
  };
  const learn = (list) => { for (const one of list) contracts.set(one.name, one); };

  const project = await get("/api/project");
  const listed = await get("/api/findings");
  const { meta } = project;
  const { index, fingerprints } = listed;
  const marks = new Map(Object.entries(listed.marks));
  const all = index.rows.map((row, i) => ({
    i, rule: meta.rules[row[0]].id, level: row[1], confidence: row[2], support: row[3], stage: row[4],
    message: index.texts[row[5]], file: index.files[row[6]], line: row[7], func: index.texts[row[8]], exits: row[9], first: index.texts[row[10]],
    fingerprint: fingerprints[i],
  }));
  document.title = `${project.project} · Watertight`;
  find("project").textContent = project.project;
  find("summary").textContent = meta.summary;

  // ---- Marks ----

  const VERDICTS = [["true", "Real defect"], ["false", "False alarm"], ["wont-fix", "Won’t fix"]];
  const hidden = (one) => { const mark = marks.get(one.fingerprint); return mark && mark.verdict !== "true"; };
  let showMarked = false;

  const setMark = async (one, verdict, note) => {
    const response = await fetch("/api/mark", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ fingerprint: one.fingerprint, verdict, note }),
    });
    if (!response.ok) { say((await response.text()).trim()); return false; }
    const mark = await response.json();
    if (mark) marks.set(one.fingerprint, mark); else marks.delete(one.fingerprint);
    say(!mark ? "The mark is gone." : mark.verdict === "true" ? "Marked as a real defect." : "Marked. Later runs will not report it.");
    return true;
  };

  const triage = (one) => {
    const box = el("div", "triage");
    const draw = () => {
      const mark = marks.get(one.fingerprint);
      const note = el("input", "field");
      note.type = "text";
      note.placeholder = "Note: why";
      note.setAttribute("aria-label", "Note");
      note.maxLength = 2000;
      note.value = mark ? mark.note : "";
      const keep = async (verdict) => { if (await setMark(one, verdict, note.value)) { draw(); page.chips(); page.again(); } };
      note.addEventListener("change", () => { if (marks.has(one.fingerprint)) keep(marks.get(one.fingerprint).verdict); });
      const verdicts = el("div", "verdicts", ...VERDICTS.map(([verdict, text]) => {
        const on = Boolean(mark) && mark.verdict === verdict;
        const node = button("verdict", on ? "Take the mark away" : "", () => keep(on ? null : verdict), text);
        if (!on) node.removeAttribute("aria-label");
        node.dataset.verdict = verdict;
        node.setAttribute("aria-pressed", String(on));
        return node;
      }));
      verdicts.setAttribute("role", "group");
      verdicts.setAttribute("aria-label", "Mark");
      box.replaceChildren(verdicts, note, ...(mark ? [el("span", "said", mark.at.slice(0, 10))] : []));
    };
    draw();
    return box;
  };

  // ---- Findings ----

  let sources = {};
  let part = "findings";
  const address = (i, exit, step) => `#/findings/${i + 1}${exit ? `/x${exit + 1}` : ""}${step >= 0 ? `/s${step + 1}` : ""}`;
  tooltip(contracts);
  const page = Watertight.findings(meta, all, {
    contracts,
    story: async (i) => {
      const one = await get(`/api/finding?i=${i}`);
      sources = one.sources;
      learn(one.contracts);
      return { ...all[i], ...decode(one.details, meta.kinds)[0] };
    },
    source: (file) => sources[file] || null,
    remember: (i, exit, step) => { if (part === "findings") history.replaceState(null, "", address(i, exit, step)); },
    active: () => part === "findings",
    hides: (one) => !showMarked && hidden(one),
    extra: (one) => triage(one),
    badge: (one) => {
      const mark = marks.get(one.fingerprint);
      return mark ? el("span", `badge ${mark.verdict}`, VERDICTS.find(([name]) => name === mark.verdict)[1].toLowerCase()) : null;
    },
    chips: () => {
      const number = all.filter(hidden).length;
      if (!number) return [];
      const chip = button(showMarked ? "chip on" : "chip", "", () => { showMarked = !showMarked; page.chips(); page.fill(); }, "marked", el("span", "quiet", String(number)));
      chip.removeAttribute("aria-label");
      chip.setAttribute("aria-pressed", String(showMarked));
      chip.id = "show-marked";
      return [chip];
    },
  });

  // ---- Functions ----

  let found = [];
  let open = null;
  const list = new LongList(find("function-list"), (at) => {
    const one = found[at];
    const node = button("entry func" + (open && open.name === one.name && open.file === one.file ? " on" : ""), "", () => { location.hash = link(one); },
      el("code", "", one.name), el("span", "where", one.file ? `${one.file}:${one.line}` : one.library ? "library, described by a model" : "not known"));
    node.removeAttribute("aria-label");
    return node;
  });
  const link = (one) => `#/function/${encodeURIComponent(one.name)}${one.file ? "/" + encodeURIComponent(one.file) : ""}`;
  const filter = { text: "", does: "" };
  let asked = 0;
  const search = async () => {
    asked += 1;
    const mine = asked;
    const answer = await get(`/api/functions?q=${encodeURIComponent(filter.text)}&does=${encodeURIComponent(filter.does)}`);
    if (mine !== asked) return;
    found = answer.functions;
    find("function-shown").textContent = answer.total > found.length ? `${found.length.toLocaleString("en")} of ${count(answer.total, "function")}` : count(answer.total, "function");
    find("function-nothing").hidden = found.length > 0;
    find("function-list").scrollTop = 0;
    list.fill(found.map(() => 52));
  };
  const kindChips = () => {
    find("function-filters").replaceChildren(...Object.entries(project.behaviours).map(([name, number]) => {
      const on = filter.does === name;
      const chip = button(on ? "chip on" : "chip", "", () => { filter.does = on ? "" : name; kindChips(); search(); }, name, el("span", "quiet", number.toLocaleString("en")));
      chip.removeAttribute("aria-label");
      chip.setAttribute("aria-pressed", String(on));
      return chip;
    }));
  };

  const names = (title, id, rows, left) => {
    const items = rows.map((one) => {
      const anchor = el("a", "", el("code", "", one.name));
      anchor.href = link(one);
      return el("li", "", anchor, one.known ? null : el("span", "quiet", "not known"));
    });
    if (!items.length) items.push(el("li", "quiet", "nobody that was read"));
    if (left) items.push(el("li", "quiet", `and ${count(left, "other")}`));
    const card = el("section", "card", el("h2", "", title, el("span", "quiet", (rows.length + left).toLocaleString("en"))), el("ul", "names", ...items));
    card.id = id;
    return card;
  };

  const acquires = (one) => one.behaviours.some((name) => /^(allocates|returns)-/.test(name));
  const releases = (one) => one.behaviours.some((name) => /^frees-/.test(name));

  /** Callers left, callees right, the function in the middle. */
  const graph = (one) => {
    const { columns, edges } = one.surroundings;
    const [height, gapX, gapY] = [26, 52, 8];
    const shorten = (name) => (name.length > 24 ? `${name.slice(0, 23)}…` : name);
    const dotsOf = (row) => [acquires(row) ? "acquires" : "", releases(row) ? "releases" : ""].filter(Boolean);
    // A column is as wide as its longest name.
    const widths = columns.map((column) => Math.max(84, ...column.functions.map((id) => shorten(one.around[id].name).length * 7.3 + 22 + 12 * dotsOf(one.around[id]).length)));
    const lefts = widths.map((_, c) => widths.slice(0, c).reduce((sum, wide) => sum + wide + gapX, 0));
    const tall = Math.max(...columns.map((column) => column.functions.length + (column.more ? 1 : 0)));
    const all = { w: lefts[lefts.length - 1] + widths[widths.length - 1], h: tall * (height + gapY) - gapY };
    const make = (tag, attributes, ...children) => {
      const node = document.createElementNS(SVG, tag);
      for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
      node.append(...children);
      return node;
    };
    const at = new Map();
    const nodes = [];
    columns.forEach((column, c) => {
      const [x, width] = [lefts[c], widths[c]];
      const rows = column.functions.length + (column.more ? 1 : 0);
      const top = (all.h - (rows * (height + gapY) - gapY)) / 2;
      column.functions.forEach((id, r) => {
        const row = one.around[id];
        const y = top + r * (height + gapY);
        at.set(id, { x, y, width });
        const dots = dotsOf(row).map((kind, i) => make("circle", { cx: x + width - 11 - 12 * i, cy: y + 13, r: 4, class: kind }));
        const isSelf = row.name === one.row.name && row.file === one.row.file;
        nodes.push(make("a", { href: link(row), class: `node${isSelf ? " self" : ""}${row.file ? "" : " lib"}` },
          make("title", {}, row.file ? `${row.name} · ${row.file}:${row.line}` : row.name),
          make("rect", { x, y, width, height, rx: 6 }), make("text", { x: x + 10, y: y + 17 }, shorten(row.name)), ...dots));
      });
      if (column.more) nodes.push(make("text", { x: x + 10, y: top + column.functions.length * (height + gapY) + 17, class: "more" }, `and ${column.more.toLocaleString("en")} more`));
    });
    const ways = edges.filter(([from, to]) => at.has(from) && at.has(to)).map(([from, to]) => {
      const [a, b] = [at.get(from), at.get(to)];
      const [x1, y1, x2, y2] = [a.x + a.width, a.y + height / 2, b.x, b.y + height / 2];
      return make("path", { d: `M ${x1} ${y1} C ${x1 + gapX / 2} ${y1}, ${x2 - gapX / 2} ${y2}, ${x2} ${y2}`, class: "edge" });
    });
    return make("svg", { width: all.w + 2, height: all.h + 2, viewBox: `-1 -1 ${all.w + 2} ${all.h + 2}`, role: "img", "aria-label": `Callers and callees of ${one.row.name}` }, ...ways, ...nodes);
  };

  const sourceLines = (one) => {
    const box = el("div", "code");
    let comment = beginsInComment(one.source.runs[0] ? one.source.runs[0].lines : []);
    for (const run of one.source.runs) {
      run.lines.forEach((line, i) => {
        const [code, goesOn] = drawLine(line, [], comment, contracts);
        comment = goesOn;
        box.append(el("div", "row", el("span", "ln", String(run.first + i)), code));
      });
    }
    return box;
  };

  /** Sentences, by the condition they begin with; what happens to resources first, the rest folded away. */
  const contractOf = (sentences) => {
    const weighty = (text) => /new |release|keep|given up|not known|return/.test(text);
    const groups = new Map();
    for (const sentence of sentences) {
      const match = /^(if .+?): (.+)$/.exec(sentence);
      const [when, what] = match ? [match[1], match[2]] : ["", sentence];
      if (!groups.has(when)) groups.set(when, []);
      groups.get(when).push(what);
    }
    // What holds in every case comes first.
    const ordered = [...groups].sort(([a], [b]) => Number(a !== "") - Number(b !== ""));
    const box = el("div", "contract");
    const list = (texts) => el("ul", "", ...texts.map((text) => el("li", text.startsWith("# ") ? "quiet" : "", rich(text.replace(/^# /, ""), contracts))));
    for (const [when, texts] of ordered) {
      if (!when && groups.size > 1) box.append(el("p", "when", "In any case"));
      if (when) box.append(el("p", "when", rich(`${when[0].toUpperCase()}${when.slice(1)}`, contracts)));
      const [first, rest] = [texts.filter(weighty), texts.filter((text) => !weighty(text))];
      if (first.length) box.append(list(first));
      if (rest.length > 3 && first.length + rest.length > 5) box.append(el("details", "rest", el("summary", "", `${count(rest.length, "other change")}`), list(rest)));
      else if (rest.length) box.append(list(rest));
    }
    return box;
  };

  const showFunction = async (name, file) => {
    const box = find("function");
    let one;
    try {
      one = await get(`/api/function?name=${encodeURIComponent(name)}${file ? `&file=${encodeURIComponent(file)}` : ""}`);
    } catch (error) {
      box.replaceChildren(el("h1", "", name), el("p", "from", error.message));
      box.hidden = false;
      find("function-empty").hidden = true;
      return;
    }
    learn(one.contracts);
    open = one.row;
    document.body.classList.add("open");
    const back = button("tool back", "Back to the list", () => document.body.classList.remove("open"), "←");
    const tags = el("div", "tags", one.isStatic ? el("span", "tag", "static") : null, ...one.row.behaviours.map((text) => el("span", "tag", text)));
    const parts = [back, el("h1", "", one.row.name), el("p", "from", one.from)];
    if (tags.childNodes.length) parts.push(tags);
    const contract = el("section", "card", el("h2", "", "What it does"),
      one.givenUp ? el("p", "given-up", `Given up: ${one.givenUp}`) : null,
      contractOf(one.does));
    contract.id = "contract";
    if (one.model) contract.append(el("details", "model", el("summary", "", "As a model"), el("pre", "", one.model)));
    parts.push(contract);
    if (one.effects.length) {
      const words = { acquires: "Acquires", releases: "Releases", keeps: "Keeps" };
      const groups = new Map();
      for (const [effect, kind, place] of one.effects) {
        const key = `${effect}\u0000${kind}`;
        if (!groups.has(key)) groups.set(key, { effect, kind, places: [] });
        groups.get(key).places.push(place);
      }
      const rows = [...groups.values()].map(({ effect, kind, places }) => el("tr", `effect ${effect}`, el("td", "", words[effect] || effect), el("td", "", kind),
        el("td", "", ...places.flatMap((place, i) => [i ? ", " : "", rich(place.includes("`") ? place : `\`${place}\``)]))));
      parts.push(el("section", "card", el("h2", "", "Effects", el("span", "quiet", "on some path")), el("table", "effects", ...rows)));
    }
    if (one.findings.length) {
      const items = one.findings.map((i) => { const anchor = el("a", "", rich(all[i].message)); anchor.href = address(i, 0, -1); return el("li", "", anchor, marks.has(all[i].fingerprint) ? el("span", "quiet", " (marked)") : null); });
      parts.push(el("section", "card", el("h2", "", "Findings here", el("span", "quiet", String(one.findings.length))), el("ul", "list-findings", ...items)));
    }
    parts.push(el("div", "two", names("Called by", "callers", one.callers, one.callersLeft), names("Calls", "callees", one.callees, one.calleesLeft)));
    const drawn = el("section", "card", el("h2", "", "Call graph", el("span", "quiet", "callers left, callees right")), el("div", "graph", graph(one)),
      el("div", "graph-key", el("span", "", el("i", "a"), "allocates"), el("span", "", el("i", "r"), "releases")));
    drawn.id = "graph";
    parts.push(drawn);
    if (one.others.length) {
      parts.push(el("section", "card", el("h2", "", "Others of this name"), el("ul", "names", ...one.others.map((other) => { const anchor = el("a", "", other.file || other.name); anchor.href = link(other); return el("li", "", anchor); }))));
    }
    if (one.source && one.source.runs.length) parts.push(el("section", "card", el("h2", "", "Source"), sourceLines(one)));
    box.replaceChildren(...parts);
    box.hidden = false;
    box.scrollTop = 0;
    find("function-empty").hidden = true;
    list.again();
    // The middle of the graph is what was asked for.
    const frame = box.querySelector(".graph");
    const self = box.querySelector(".graph .self rect");
    if (frame && self) frame.scrollLeft = Number(self.getAttribute("x")) + Number(self.getAttribute("width")) / 2 + 14 - frame.clientWidth / 2;
  };

  // A click on a name with a contract goes to the function.
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target.closest(".fn") : null;
    if (target && !target.closest("a")) { event.stopPropagation(); location.hash = `#/function/${encodeURIComponent(target.dataset.fn)}`; }
  }, true);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target instanceof Element && event.target.matches(".fn")) event.target.click();
    if (part === "findings" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.matches("input, select, textarea")) { if (event.key === "Escape") event.target.blur(); return; }
    if (event.key === "/" && part === "functions") { event.preventDefault(); document.body.classList.remove("open"); find("function-search").focus(); }
    if (event.key === "t") Watertight.theme.toggle();
    if (event.key === "?") find("keys").showModal();
    if (event.key === "Escape") document.body.classList.remove("open");
  });

  // ---- Where we are ----

  const show = (name) => {
    if (part !== name) document.body.classList.remove("open");
    part = name;
    find("room-findings").hidden = name !== "findings";
    find("room-functions").hidden = name !== "functions";
    find("room-history").hidden = name !== "history";
    find("tab-findings").classList.toggle("on", name === "findings");
    find("tab-functions").classList.toggle("on", name === "functions");
    find("tab-history").classList.toggle("on", name === "history");
  };
  const go = async () => {
    const [, name, ...rest] = location.hash.split("/");
    if (name === "function" && rest[0]) {
      show("functions");
      if (!found.length) await search();
      await showFunction(decodeURIComponent(rest[0]), rest[1] ? decodeURIComponent(rest[1]) : "");
    } else if (name === "functions") {
      show("functions");
      await search();
    } else if (name === "history") {
      show("history");
      Watertight.history(await get("/api/history"), find("history"));
    } else {
      show("findings");
      page.fill();
      const number = (letter) => Number((rest.find((one) => one.startsWith(letter)) || "").slice(1) || 0) - 1;
      if (/^\d+$/.test(rest[0] || "")) await page.choose(Number(rest[0]) - 1, Math.max(0, number("x")), number("s"));
      else if (all.length && matchMedia("(min-width: 900px)").matches && page.chosen() < 0) await page.turn(0);
    }
  };

  let wait;
  find("function-search").addEventListener("input", (event) => {
    filter.text = event.target.value.trim();
    clearTimeout(wait);
    wait = setTimeout(search, 90);
  });
  find("function-search").addEventListener("keydown", (event) => { if (event.key === "Enter" && found.length) location.hash = link(found[0]); });
  kindChips();
  addEventListener("hashchange", () => go().catch((error) => say(error.message)));
  await go();
  document.documentElement.dataset.ready = "true";
})().catch((error) => {
  const toast = document.getElementById("toast");
  toast.textContent = `This page could not be loaded: ${error.message}`;
  toast.hidden = false;
});
