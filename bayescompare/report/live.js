// The sliders of the page. Everything that they need is in the page itself.
(() => {
  const panel = document.querySelector(".live");
  if (!panel) return;
  const data = JSON.parse(panel.dataset.live);
  const says = panel.querySelector(".says");
  const slider = panel.querySelector("input.level");
  const shown = panel.querySelector("output.level");
  let moved = false;

  // numbers as the page writes them ---------------------------------------------------------------
  const figure = (p) => {
    const text = p.toFixed(3);
    return text === "1.000" ? "> 0.999" : text === "0.000" ? "< 0.001" : `= ${text}`;
  };
  const trimmed = (x) => String(Number(x.toPrecision(4)));
  const join = (names, most = 6) => {
    if (names.length > most + 1) {
      return `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
    }
    const last = names[names.length - 1];
    return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${last}`;
  };
  // One less 0.95 is 0.050000000000000044.
  const alpha = (level) => Number((1 - level).toFixed(12));

  // P(each is the largest) under a Dirichlet distribution -----------------------------------------
  const LANCZOS = [
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
    -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
    1.5056327351493116e-7,
  ];
  const logGamma = (x) => {
    if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
    let sum = LANCZOS[0];
    for (let i = 1; i < 9; i++) sum += LANCZOS[i] / (x - 1 + i);
    const t = x + 6.5;
    return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
  };
  // The regularised incomplete gamma function, from below.
  const gammaCdf = (a, x, logGammaA) => {
    const front = Math.exp(a * Math.log(x) - x - logGammaA);
    if (x < a + 1) {
      let term = 1 / a, sum = term;
      for (let n = a + 1; term > sum * 1e-17; n++) sum += term *= x / n;
      return front * sum;
    }
    // Lentz's continued fraction of the upper tail.
    let b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (let i = 1; i < 10000; i++) {
      const an = -i * (i - a);
      b += 2;
      d = 1 / (an * d + b);
      c = b + an / c;
      const delta = d * c;
      h *= delta;
      if (Math.abs(delta - 1) < 1e-16) break;
    }
    return 1 - front * h;
  };
  // θ is a vector of Gamma variables over their sum, so the largest is that of independent Gammas:
  // P(k) = ∫ f_k(x) Π F_j(x) dx. In t = log x the integrand is smooth and vanishes at both ends,
  // where the trapezoidal rule converges exponentially.
  const largest = (alphas) => {
    const distinct = [...new Set(alphas)];
    const times = distinct.map((a) => alphas.filter((b) => b === a).length);
    const logs = distinct.map(logGamma);
    const total = alphas.reduce((sum, a) => sum + a, 0);
    const top = Math.max(...distinct);
    const low = -40 / total - 1, high = Math.log(top + 14 * Math.sqrt(top) + 60);
    const step = Math.min(0.1, 0.2 / Math.sqrt(total));
    const sums = distinct.map(() => 0);
    for (let t = low; t <= high; t += step) {
      const x = Math.exp(t);
      const below = distinct.map((a, k) => gammaCdf(a, x, logs[k]));
      const density = distinct.map((a, k) => Math.exp(a * t - x - logs[k]));
      distinct.forEach((_, k) => {
        let product = density[k];
        distinct.forEach((_, j) => {
          const power = times[j] - (j === k ? 1 : 0);
          if (power) product *= below[j] ** power;
        });
        sums[k] += product;
      });
    }
    return alphas.map((a) => sums[distinct.indexOf(a)] * step);
  };

  // a table of two algorithms, counted again with other ropes -------------------------------------
  const recount = (table, ropes) => {
    const states = ropes.map((rope) => (rope === null ? ["first", "second"] : ["first", "equal", "second"]));
    let statements = [[]];
    for (const own of states) statements = statements.flatMap((s) => own.map((state) => [...s, state]));
    const counts = statements.map(() => 0);
    table.differences.forEach((row, i) => {
      const allowed = row.map((d, j) => {
        const close = Math.abs(d) <= (ropes[j] ?? 0) + table.noise[i][j];
        if (ropes[j] !== null) return [close ? "equal" : d > 0 ? "first" : "second"];
        return close ? ["first", "second"] : [d > 0 ? "first" : "second"];
      });
      const share = allowed.reduce((product, own) => product / own.length, 1);
      statements.forEach((statement, k) => {
        if (statement.every((state, j) => allowed[j].includes(state))) counts[k] += share;
      });
    });
    const alphas = counts.map((n) => n + table.strength / statements.length);
    const p = largest(alphas);
    // What a statement says of each measure by itself: the others are summed out.
    const parts = states.map((own, j) => {
      const sums = own.map((state) => alphas.filter((_, k) => statements[k][j] === state).reduce((a, b) => a + b, 0));
      const each = largest(sums);
      return Object.fromEntries(own.map((state, i) => [state, each[i]]));
    });
    return statements.map((statement, k) => ({
      statement, count: counts[k], p: p[k],
      least: Math.min(p[k], ...statement.map((state, j) => parts[j][state])),
    }));
  };
  const statementWords = (table, statement) => {
    const [first, second] = table.algorithms;
    const on = { first: [], second: [], equal: [] };
    statement.forEach((state, j) => on[state].push(table.measures[j]));
    const pieces = [];
    if (on.first.length) pieces.push(`${first} is better than ${second} on ${join(on.first)}`);
    if (on.second.length) pieces.push(`${second} is better than ${first} on ${join(on.second)}`);
    if (on.equal.length) pieces.push(`${first} and ${second} are equivalent on ${join(on.equal)}`);
    return pieces.join(", and ");
  };

  // what a level means for each kind of page ------------------------------------------------------
  // The least of P and of what is said of each measure decides.
  const verdictOf = (words, p, least, level) =>
    least >= level ? `${words} (P ${figure(least)} at the least): settled at ${trimmed(level)}.`
      : p >= level ? `The most frequent outcome: ${words} (P ${figure(p)}); not every measure is sure by itself (P ${figure(least)}).`
        : `No verdict at ${trimmed(level)}. Leading: ${words} (P ${figure(p)}).`;
  const kinds = {
    pairs(level) {
      const { names, pairs, bayesian, total, reference } = data;
      const reaches = (value) => (bayesian ? value >= level : value <= alpha(level));
      const held = pairs.filter((pair) => reaches(pair[3]));
      const count = (kind) => held.filter((pair) => pair[2] === kind).length;
      const beaten = new Set(held.filter((pair) => pair[2] === "winner").map((pair) => pair[1]));
      const free = names.filter((_, k) => !beaten.has(k));
      const parts = [`${count("winner")} of ${total} pairs have a winner`];
      if (count("trade-off")) parts.push(`${count("trade-off")} a trade-off`);
      if (count("tie")) parts.push(`${count("tie")} a tie`);
      const usable = reference === null && free.length ? ` Not beaten: ${join(free)}.` : "";
      const line = `${bayesian ? `At ${trimmed(level)}` : `At ${trimmed(level)} (Holm at ${trimmed(alpha(level))})`}: ${parts.join(", ")}.${usable}`;
      const keyed = new Map(pairs.map((pair) => [`${Math.min(pair[0], pair[1])},${Math.max(pair[0], pair[1])}`, pair]));
      for (const row of document.querySelectorAll("tr[data-pair]")) {
        const pair = keyed.get(row.dataset.pair);
        const yes = pair !== undefined && reaches(pair[3]);
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
        const opponents = data.compared[own];
        [...row.closest("table").tHead.rows[0].cells].forEach((head, column) => {
          const name = head.textContent.trim();
          const value = name === "open" ? opponents - verdicts : found[name];
          if (value === undefined) return;
          row.cells[column].textContent = value;
          row.cells[column].dataset.v = value;
          row.cells[column].removeAttribute("title");
        });
      }
      return line;
    },
    comparison(level) {
      const { words, p, pvalue } = data;
      if (pvalue !== null) {
        return pvalue <= alpha(level) ? `Significant at ${trimmed(alpha(level))} (p ${figure(pvalue)}).`
          : `Not significant at ${trimmed(alpha(level))} (p ${figure(pvalue)}).`;
      }
      return verdictOf(words, data.lead, p, level);
    },
    ranking(level) {
      const { names, best, front } = data;
      if (best !== null) {
        const order = names.map((_, k) => k).sort((a, b) => best[b] - best[a] || a - b);
        let sum = 0;
        const top = [];
        for (const k of order) {
          top.push(names[k]);
          sum += best[k];
          if (sum >= level - 1e-9) break;
        }
        return top.length === 1 ? `At ${trimmed(level)}: ${top[0]} is the best.`
          : `At ${trimmed(level)} the best is one of ${top.length}: ${join(top)}.`;
      }
      const on = names.filter((_, k) => front[k] >= level);
      const open = names.filter((_, k) => front[k] < level && front[k] > alpha(level));
      const gone = names.length - on.length - open.length;
      return `At ${trimmed(level)}: ${on.length ? `${join(on)} on the front` : "none surely on the front"}; `
        + `${open.length ? `${join(open)} may be` : "no other may be"}; ${gone} dominated.`;
    },
  };

  // two algorithms: the ropes ---------------------------------------------------------------------
  const ropes = [...panel.querySelectorAll("input.rope")];
  const readRopes = () => ropes.map((input) => (Number(input.value) > 0 ? Number(input.value) : null));
  const showRopes = (level) => {
    const table = data.table, own = readRopes();
    const rows = recount(table, own).sort((a, b) => b.p - a.p);
    own.forEach((rope, j) => {
      const unit = table.units[j] ? ` ${table.units[j]}` : "";
      ropes[j].parentElement.querySelector("output").textContent = rope === null ? "no rope" : `${trimmed(rope)}${unit}`;
    });
    const body = panel.querySelector("tbody");
    body.replaceChildren(...rows.slice(0, 8).map((row) => {
      const line = document.createElement("tr");
      line.className = row.least >= level ? "marked" : "";
      line.dataset.p = row.p;
      line.dataset.statement = row.statement.join("|");
      for (const text of [statementWords(table, row.statement), figure(row.p).replace("= ", ""), trimmed(row.count)]) {
        const cell = document.createElement("td");
        cell.textContent = text;
        line.append(cell);
      }
      line.cells[0].className = "text break";
      return line;
    }));
    panel.querySelector(".table").hidden = !moved;
    return verdictOf(statementWords(table, rows[0].statement), rows[0].p, rows[0].least, level);
  };

  const update = () => {
    const level = Number(slider.value);
    shown.textContent = trimmed(level);
    says.textContent = ropes.length ? showRopes(level) : kinds[data.kind](level);
    panel.querySelector(".back").hidden = !moved;
  };
  const start = [slider, ...ropes].map((input) => input.value);
  for (const input of [slider, ...ropes]) {
    input.addEventListener("input", () => { moved = true; update(); });
  }
  panel.querySelector(".back").addEventListener("click", () => {
    [slider, ...ropes].forEach((input, k) => { input.value = start[k]; });
    moved = false;
    update();
  });
  panel.hidden = false;
  // Another rule made the verdicts of the page: they stay until the slider is moved.
  if (data.rule) says.textContent = data.rule;
  else update();
})();
