// The report in one file: where its data is, its address, and its form on paper.
"use strict";

(() => {
  const { el, rich, count, decode, tooltip } = Watertight;
  const block = (id) => { const node = document.getElementById(id); return node ? JSON.parse(node.textContent) : null; };
  const meta = block("meta");
  const index = block("index");
  const contracts = new Map((block("contracts") || []).map((one) => [one.name, one]));
  const find = (id) => document.getElementById(id);

  // A row: [rule, level, confidence, support, stage, message, file, line, function, exits, first step].
  const all = index.rows.map((row, i) => ({
    i, rule: meta.rules[row[0]].id, level: row[1], confidence: row[2], support: row[3], stage: row[4],
    message: index.texts[row[5]], file: index.files[row[6]], line: row[7], func: index.texts[row[8]], exits: row[9], first: index.texts[row[10]],
  }));

  // ---- Details and sources, read when they are needed ----

  const chunks = new Map();
  const storyOf = (i) => {
    const number = Math.floor(i / meta.chunk);
    if (!chunks.has(number)) {
      if (chunks.size > 20) chunks.clear();
      chunks.set(number, decode(block(`d${number}`), meta.kinds));
    }
    return { ...all[i], ...chunks.get(number)[i % meta.chunk] };
  };
  const sources = new Map();
  const sourceOf = (file) => {
    if (!sources.has(file)) sources.set(file, file in meta.sources ? block(`s${meta.sources[file]}`) : null);
    return sources.get(file);
  };

  const remember = (i, exit, step) => {
    const parts = [`f${i + 1}`];
    if (exit) parts.push(`x${exit + 1}`);
    if (step >= 0) parts.push(`s${step + 1}`);
    try { history.replaceState(null, "", `#${parts.join(".")}`); } catch { /* Some viewers of files allow no history. */ }
  };
  const recall = () => {
    const match = /^#f(\d+)(?:\.x(\d+))?(?:\.s(\d+))?$/.exec(location.hash);
    return match ? page.choose(Number(match[1]) - 1, Number(match[2] || 1) - 1, Number(match[3] || 0) - 1) : null;
  };

  // ---- On paper: the list, and every finding with its steps ----

  const ON_PAPER = 200;
  addEventListener("beforeprint", () => {
    const paper = find("paper");
    const parts = all.slice(0, ON_PAPER).map((one) => {
      const story = storyOf(one.i);
      const steps = story.exits.map((exit, x) => el("div", "", story.exits.length > 1 ? el("h3", "", `Exit ${x + 1}`) : null,
        el("ol", "", ...exit.steps.map((step) => {
          const line = lineText(step);
          return el("li", "", el("span", "where", `${step.file}:${step.line} `), rich(step.text),
            step.values.length ? ` (${step.values.map(([name, value]) => `${name} = ${value}`).join(", ")})` : "",
            line ? el("pre", "", line) : null);
        }))));
      const more = [];
      if (story.sibling) more.push(el("p", "", "On another path ", rich(story.sibling.text), ` (line ${story.sibling.line})`));
      for (const text of story.needs) more.push(el("p", "", "Needs that ", rich(text)));
      for (const assumed of story.assumptions) more.push(el("p", "", "Assumes that ", rich(assumed.text)));
      for (const text of story.doubts) more.push(el("p", "", "Not sure because ", rich(text)));
      return el("section", "", el("h2", "", `${one.i + 1}. `, rich(one.message)),
        el("p", "quiet", `${one.rule} · ${one.file}:${one.line}${one.func ? " in " + one.func : ""} · ${meta.confidences[one.confidence]} confidence, ${meta.supports[one.support]}`), ...steps, ...more);
    });
    if (all.length > ON_PAPER) parts.push(el("p", "", `${count(all.length - ON_PAPER, "further finding")} not printed.`));
    paper.replaceChildren(el("h1", "", document.title), el("p", "", meta.summary), ...parts);
  });
  addEventListener("afterprint", () => find("paper").replaceChildren());
  const lineText = (step) => {
    const line = Watertight.lineOf(sourceOf(step.file), step.line);
    return typeof line === "string" ? line.trim().slice(0, 200) : "";
  };

  // ---- Begin ----

  find("summary").textContent = meta.summary;
  tooltip(contracts);
  const page = Watertight.findings(meta, all, { story: storyOf, source: sourceOf, contracts, remember });
  addEventListener("hashchange", recall);
  if (!recall() && all.length && matchMedia("(min-width: 900px)").matches) page.turn(0);
  document.documentElement.dataset.ready = "true";
})();
