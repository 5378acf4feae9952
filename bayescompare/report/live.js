// The sliders of the page: what they show is in the page itself, computed when it was made.
(() => {
  const panel = document.querySelector(".live");
  if (!panel) return;
  const data = JSON.parse(panel.dataset.live);
  const says = panel.querySelector(".says");
  const slider = panel.querySelector("input.level");
  const ropes = [...panel.querySelectorAll("input.rope")];
  const back = panel.querySelector(".back");
  const start = [slider, ...ropes].map((input) => input.value);

  const written = (x) => String(Number(x.toPrecision(4)));
  const join = (names, most = 6) => {
    if (names.length > most + 1) {
      return `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
    }
    const last = names[names.length - 1];
    return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${last}`;
  };
  // One less 0.95 is 0.050000000000000044.
  const alpha = (level) => Number((1 - level).toFixed(12));
  // The first sentence whose level is reached, or the last.
  const said = (sentences, level, shown) => {
    const [, words] = sentences.find(([least]) => least >= level) ?? sentences[sentences.length - 1];
    return words.replace("\0", () => written(shown));
  };

  // what a level means for each kind of page ------------------------------------------------------
  const kinds = {
    pairs(level) {
      const { names, pairs, bayesian, total, reference } = data;
      const held = pairs.filter((pair) => pair[3] >= level);
      const count = (kind) => held.filter((pair) => pair[2] === kind).length;
      const beaten = new Set(held.filter((pair) => pair[2] === "winner").map((pair) => pair[1]));
      const free = names.filter((_, k) => !beaten.has(k));
      const parts = [`${count("winner")} of ${total} pairs have a winner`];
      if (count("trade-off")) parts.push(`${count("trade-off")} a trade-off`);
      if (count("tie")) parts.push(`${count("tie")} a tie`);
      const usable = reference === null && free.length ? ` Not beaten: ${join(free)}.` : "";
      const holm = bayesian ? "" : ` (Holm at ${written(alpha(level))})`;
      const keyed = new Map(pairs.map((pair) => [`${Math.min(pair[0], pair[1])},${Math.max(pair[0], pair[1])}`, pair]));
      for (const row of document.querySelectorAll("tr[data-pair]")) {
        const pair = keyed.get(row.dataset.pair);
        const yes = pair !== undefined && pair[3] >= level;
        row.classList.toggle("marked", yes);
        row.classList.toggle("trade", yes && pair[2] === "trade-off");
        const leads = pair !== undefined && pair[4] !== null && pair[4] >= level;
        const named = { winner: "better", "trade-off": "trade-off", tie: "equal" };
        row.cells[2].textContent = yes ? named[pair[2]] : leads ? "leads" : "open";
      }
      for (const row of document.querySelectorAll("tr[data-algorithm]")) {
        const own = Number(row.dataset.algorithm);
        const found = { beats: 0, "beaten by": 0, "trade-offs": 0, ties: 0 };
        for (const [one, other, kind] of held) {
          if (one !== own && other !== own) continue;
          if (kind === "winner") found[one === own ? "beats" : "beaten by"]++;
          else found[kind === "trade-off" ? "trade-offs" : "ties"]++;
        }
        const verdicts = found.beats + found["beaten by"] + found["trade-offs"] + found.ties;
        [...row.closest("table").tHead.rows[0].cells].forEach((head, column) => {
          const name = head.textContent.trim();
          const value = name === "open" ? data.compared[own] - verdicts : found[name];
          if (value === undefined) return;
          row.cells[column].textContent = value;
          row.cells[column].dataset.v = value;
          row.cells[column].removeAttribute("title");
        });
      }
      return `At ${written(level)}${holm}: ${parts.join(", ")}.${usable}`;
    },
    comparison: (level) => said(data.says, level, data.bayesian ? level : alpha(level)),
    ranking(level) {
      const { names, top, front } = data;
      if (top) {
        const reached = top.findIndex((p) => p >= level - 1e-9);
        const first = reached < 0 ? names : names.slice(0, reached + 1);
        return first.length === 1 ? `At ${written(level)}: ${first[0]} is the best.`
          : `At ${written(level)} the best is one of ${first.length}: ${join(first)}.`;
      }
      const on = names.filter((_, k) => front[k] >= level);
      const open = names.filter((_, k) => front[k] < level && front[k] > alpha(level));
      const gone = names.length - on.length - open.length;
      return `At ${written(level)}: ${on.length ? `${join(on)} on the front` : "none surely on the front"}; `
        + `${open.length ? `${join(open)} may be` : "no other may be"}; ${gone} dominated.`;
    },
  };

  // The rope of one measure; those of the others are the report's own.
  const showRope = (j, level) => {
    const { which, answers, words } = data.ropes[j];
    const [sentences, rows] = answers[which[Number(ropes[j].value)]];
    panel.querySelector("tbody").replaceChildren(...rows.map(([statement, ...figures], k) => {
      const line = document.createElement("tr");
      line.className = k === 0 && sentences[0][0] >= level ? "marked" : "";
      for (const text of [words[statement], ...figures]) line.insertCell().textContent = text;
      line.cells[0].className = "text break";
      return line;
    }));
    return said(sentences, level, level);
  };

  let moved = -1; // the rope that was moved last
  const update = () => {
    const level = Number(slider.value);
    panel.querySelector("output.level").textContent = written(level);
    ropes.forEach((input, j) => {
      if (j !== moved) input.value = start[j + 1];
      input.parentElement.querySelector("output").textContent = data.ropes[j].shown[Number(input.value)];
    });
    says.textContent = moved < 0 ? kinds[data.kind](level) : showRope(moved, level);
    if (ropes.length) panel.querySelector(".table").hidden = moved < 0;
  };
  [slider, ...ropes].forEach((input, k) => input.addEventListener("input", () => {
    if (k) moved = k - 1;
    back.hidden = false;
    update();
  }));
  back.addEventListener("click", () => {
    slider.value = start[0];
    moved = -1;
    back.hidden = true;
    update();
  });
  panel.hidden = false;
  update();
  // Another rule made the verdicts of the page: they stay until the slider is moved.
  if (data.rule) says.textContent = data.rule;
})();
