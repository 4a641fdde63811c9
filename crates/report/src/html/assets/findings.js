// The list of findings and the chosen one, with their keys. Shared by the report and the page.
"use strict";

/**
 * Brings the frame of `findings.html` to life. `meta` has the words, `all` the rows of the list. `io` says where the rest
 * comes from: `story(i)` and `source(file)` give details, or promises of them; `contracts` is a map; `remember` is told where
 * the reader is; `extra(finding)` and `badge(finding)` may add something to a finding and to its row; `hides(finding)` may keep
 * it out of the list, and `chips()` may add to the filters.
 */
Watertight.findings = (meta, all, io) => {
  const { el, button, rich, count, Viewer, stepList, theme, LongList } = Watertight;
  const { contracts } = io;
  const find = (id) => document.getElementById(id);

  // ---- The list ----

  const GROUPS = {
    urgency: (one) => meta.stages[one.stage].group,
    file: (one) => one.file || "unknown file",
    rule: (one) => one.rule,
    none: () => "",
  };
  let entries = [];
  let chosen = -1;
  const state = { text: "", rules: new Set(), confidence: new Set(), group: "urgency" };

  const list = new LongList(find("list"), (at) => drawEntry(entries[at]));

  const drawEntry = (entry) => {
    if (entry.head !== undefined) return el("div", "entry head", el("span", "name", entry.head), el("span", "quiet", entry.number.toLocaleString("en")));
    const one = all[entry.i];
    const name = one.file.split("/").pop();
    const isChosen = entry.same.includes(chosen);
    const node = button("entry finding" + (isChosen ? " on" : ""), "", () => choose(entry.i),
      el("span", `dot ${meta.confidences[one.confidence]}`),
      el("span", "body", el("span", "message", rich(one.message)),
        el("span", "where", `${name}${one.line ? ":" + one.line : ""}`, one.func ? el("span", "quiet", ` ${one.func}`) : null,
          entry.same.length > 1 ? el("span", "quiet", ` · ${entry.same.length} places`) : one.exits > 1 ? el("span", "quiet", ` · ${one.exits} exits`) : null, io.badge ? io.badge(one) : null)));
    node.removeAttribute("aria-label");
    node.title = `${meta.confidences[one.confidence]} confidence · ${one.rule} · ${one.file}`;
    node.dataset.i = entry.i;
    if (isChosen) node.setAttribute("aria-current", "true");
    return node;
  };

  const fill = () => {
    const text = state.text.toLowerCase();
    const passes = (one) => (!state.rules.size || state.rules.has(one.rule))
      && (!state.confidence.size || state.confidence.has(one.confidence))
      && (!text || one.message.toLowerCase().includes(text) || one.file.toLowerCase().includes(text) || one.func.toLowerCase().includes(text) || one.rule.includes(text) || one.first.toLowerCase().includes(text));
    const kept = all.filter((one) => !(io.hides && io.hides(one)) && passes(one));
    // What a filter takes out is not shown beside the list either. One that was just marked stays, so that it can be undone.
    if (current && !passes(all[chosen])) leave(kept.length > 0);
    if (state.group === "urgency") kept.sort((a, b) => a.stage - b.stage || a.confidence - b.confidence || a.i - b.i);
    const groups = new Map();
    for (const one of kept) {
      const key = GROUPS[state.group](one);
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(one.i);
    }
    entries = [];
    for (const [head, members] of groups) {
      if (head) entries.push({ head, number: members.length });
      // Findings that say the same of the same function are one row, with its places inside.
      const rows = new Map();
      for (const i of members) {
        const key = `${all[i].rule}\u0000${all[i].func}\u0000${all[i].message}`;
        if (rows.has(key)) rows.get(key).same.push(i); else rows.set(key, { i, same: [i] });
      }
      entries.push(...rows.values());
    }
    find("shown").textContent = kept.length === all.length ? count(all.length, "finding") : `${kept.length.toLocaleString("en")} of ${count(all.length, "finding")}`;
    find("nothing").hidden = kept.length > 0;
    const short = kept.length < 5000 ? lineFits() : () => false;
    list.fill(entries.map((entry) => (entry.head !== undefined ? 38 : short(all[entry.i].message) ? 56 : 74)));
  };

  /** Whether a message fits on one line of the list, so that its row can be less high. */
  const lineFits = () => {
    const pen = document.createElement("canvas").getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const fonts = [`13px ${style.getPropertyValue("--sans")}`, `12.025px ${style.getPropertyValue("--mono")}`];
    const room = find("list").clientWidth - 50;
    return (message) => message.length < 90 && room > message.split("`").reduce((sum, part, i) => {
      pen.font = fonts[i % 2];
      return sum + pen.measureText(part).width;
    }, 0);
  };

  // ---- The chosen finding ----

  let current = null;
  const viewer = new Viewer(find("view"), {
    contracts,
    source: (file) => io.source(file),
    moved: () => { drawSteps(); remember(); },
  });

  const drawSteps = () => find("path").replaceChildren(stepList(current, viewer, contracts));

  const choose = async (i, exit = 0, step = -1) => {
    if (!all[i]) return;
    chosen = i;
    const story = await io.story(i);
    if (chosen !== i) return;
    current = story;
    document.body.classList.add("open");
    find("title").replaceChildren(rich(current.message, contracts));
    const rule = meta.rules.find((one) => one.id === current.rule);
    const facts = el("div", "facts", el("span", "tag", current.rule), ...rule.cwe.map((cwe) => el("span", "tag", `CWE-${cwe}`)),
      el("span", "fact", el("span", `dot ${meta.confidences[current.confidence]}`), `${meta.confidences[current.confidence]} confidence`),
      el("span", "fact", meta.supports[current.support]),
      meta.stages[current.stage].said ? el("span", "fact", meta.stages[current.stage].said) : null);
    find("facts").replaceChildren(facts);
    find("places").replaceChildren(...placesOf(i));
    find("extra").replaceChildren(...[io.extra ? io.extra(current) : null].filter(Boolean));
    find("help").replaceChildren(rich(rule.help || ""));
    find("detail").hidden = false;
    find("empty").hidden = true;
    find("problems").hidden = true;
    list.again();
    list.reveal(entries.findIndex((entry) => entry.same && entry.same.includes(i)));
    await viewer.show(current, exit, step);
    drawSteps();
    remember();
  };

  /** Shows no finding. */
  const leave = (others) => {
    chosen = -1;
    current = null;
    find("detail").hidden = true;
    find("empty").textContent = others ? "The finding that was shown is filtered out. Choose another one." : "No finding matches the filter.";
    find("empty").hidden = false;
  };

  /** The places of a row of several findings, to choose from. */
  const placesOf = (i) => {
    const entry = entries.find((one) => one.same && one.same.includes(i));
    if (!entry || entry.same.length < 2) return [];
    return entry.same.map((other) => {
      const node = button(other === i ? "exit on" : "exit", "", () => choose(other), `${all[other].file.split("/").pop()}:${all[other].line}`);
      node.removeAttribute("aria-label");
      node.title = `${all[other].file}:${all[other].line}`;
      node.setAttribute("aria-pressed", String(other === i));
      return node;
    });
  };

  const remember = () => io.remember(chosen, viewer.exit, viewer.step);

  const turn = (by) => {
    const order = entries.filter((entry) => entry.same);
    const at = order.findIndex((entry) => entry.same.includes(chosen));
    const to = at < 0 ? 0 : Math.max(0, Math.min(order.length - 1, at + by));
    return order.length ? choose(order[to].i) : null;
  };

  // ---- The bar at the top ----

  const chips = () => {
    const into = find("filters");
    const chip = (set, value, text, number, dot) => {
      const node = button(set.has(value) ? "chip on" : "chip", "", () => {
        if (set.has(value)) set.delete(value); else set.add(value);
        chips();
        fill();
      }, dot ? el("span", `dot ${dot}`) : null, text, el("span", "quiet", number.toLocaleString("en")));
      node.removeAttribute("aria-label");
      node.setAttribute("aria-pressed", String(set.has(value)));
      return node;
    };
    const number = (test) => all.reduce((sum, one) => sum + (test(one) ? 1 : 0), 0);
    const nodes = [];
    meta.confidences.forEach((name, i) => { const n = number((one) => one.confidence === i); if (n) nodes.push(chip(state.confidence, i, name, n, name)); });
    for (const rule of meta.rules) { const n = number((one) => one.rule === rule.id); if (n) nodes.push(chip(state.rules, rule.id, rule.id, n)); }
    into.replaceChildren(...nodes, ...(io.chips ? io.chips() : []));
  };

  const showProblems = () => {
    document.body.classList.add("open");
    find("detail").hidden = true;
    find("empty").hidden = true;
    const rows = meta.problems.map(([kind, level, text, place]) => el("li", `problem ${level}`, el("span", "tag", kind), el("span", "what", rich(text)), place ? el("span", "where", place) : null));
    const left = meta.problemsLeft ? el("p", "quiet", `and ${count(meta.problemsLeft, "other")}`) : null;
    find("problems").replaceChildren(el("h2", "", "What could not be looked at"), el("p", "quiet", "Functions that were given up are never counted as clean."), el("ul", "plain", ...rows), left);
    find("problems").hidden = false;
  };

  const help = find("keys");
  const keys = {
    j: () => turn(1), k: () => turn(-1), n: () => viewer.next(), p: () => viewer.previous(),
    ArrowRight: () => viewer.next(), ArrowLeft: () => viewer.previous(),
    "]": () => current && viewer.choose(Math.min(viewer.exit + 1, current.exits.length - 1)),
    "[": () => current && viewer.choose(Math.max(viewer.exit - 1, 0)),
    "/": () => { document.body.classList.remove("open"); find("search").focus(); },
    t: () => theme.toggle(), "?": () => help.showModal(), Escape: () => document.body.classList.remove("open"),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open || (io.active && !io.active())) return;
    if (event.target instanceof Element && event.target.matches("input, select, textarea")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (!keys[event.key] || (!current && "npArrowLeftArrowRight".includes(event.key))) return;
    event.preventDefault();
    keys[event.key]();
  });

  // ---- Begin ----

  find("search").addEventListener("input", (event) => { state.text = event.target.value; fill(); });
  find("group").addEventListener("change", (event) => { state.group = event.target.value; fill(); });
  find("theme").addEventListener("click", () => theme.toggle());
  find("ask").addEventListener("click", () => help.showModal());
  find("back").addEventListener("click", () => document.body.classList.remove("open"));
  find("prev-finding").addEventListener("click", () => turn(-1));
  find("next-finding").addEventListener("click", () => turn(1));
  const problems = meta.problems.length + meta.problemsLeft;
  find("problem-count").hidden = problems === 0;
  find("problem-count").textContent = count(problems, "problem");
  find("problem-count").addEventListener("click", showProblems);
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; fill(); } });
  chips();
  fill();
  if (!all.length) {
    // On a narrow screen the list is all there is.
    find("nothing").textContent = `No findings. ${(meta.summary ?? "").replace(/^no findings in/, "Checked:")}`;
    find("empty").textContent = "No findings.";
  }
  return { choose, turn, fill, chips, keys, again: () => list.again(), chosen: () => chosen };
};
