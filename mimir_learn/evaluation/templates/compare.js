"use strict";
(() => {
  const root = document.getElementById("compare");
  const pairs = JSON.parse(document.getElementById("compare-data").textContent);
  if (!root || !pairs.length) return;
  const $ = (name) => root.querySelector(`[data-v="${name}"]`);
  const OUTCOMES = { right: "declared, right", wrong: "declared, wrong", unfinished: "not finished" };
  const FLIPS = { won: "won: only B succeeds", lost: "lost: only A succeeds", both: "both succeed", neither: "neither succeeds" };
  let shown = [], chosen = 0;

  function step(s, i, same, parting) {
    const [command, fault, claimed, truth, written, held, falsely] = s;
    const li = make("li", undefined, i < same ? "same" : parting ? "parting" : "");
    const body = make("div", command);
    if (fault) body.append(" ", make("span", fault, "chip warn"));
    if (!claimed) body.append(" ", make("span", "reports failure", "chip"));
    if (falsely) body.append(" ", make("span", "goal marked done, but is not", "chip bad"));
    if (written.length) { const p = make("p"); written.forEach(([text, mark], k) => p.append(k ? ", " : "", make("span", text, `atom inline ${mark}`))); body.append(p); }
    if (held.length) body.append(make("p", `held: ${held.join(", ")}`, "soft"));
    if (truth.length && written.some(([, mark]) => mark !== "good")) body.append(make("p", `true: ${truth.join(", ")}`, "soft"));
    li.append(make("b", String(i + 1)), body);
    return li;
  }

  function draw() {
    [...$("list").children].forEach((row, i) => row.setAttribute && row.setAttribute("aria-selected", String(i === chosen)));
    const e = pairs[shown[chosen]];
    if (!e) return;
    $("list").setAttribute("aria-activedescendant", `pair-${shown[chosen]}`);
    $("instruction").textContent = `“${e.instruction}”`;
    $("chips").replaceChildren(make("span", FLIPS[e.flip], `chip ${e.flip === "won" ? "good" : e.flip === "lost" ? "bad" : ""}`), make("span", e.arm, "chip"),
      make("span", e.subset, "chip"), make("span", `${e.task}, seed ${e.seed}`, "chip"));
    $("goals").textContent = `Goals: ${Object.values(e.goals).join("; ")}`;
    const most = Math.max(...e.sides.map((s) => s.steps.length));
    $("parting").textContent = e.same === most ? "The two are the same, step for step." : e.same ? `The same for ${e.same} step${e.same > 1 ? "s" : ""}, then they part.` : "They part at the first step.";
    e.sides.forEach((s, k) => {
      $(`head-${k}`).replaceChildren(make("b", "AB"[k]), `: ${OUTCOMES[s.outcome]}, ${s.length} steps, ${s.faults} fault${s.faults === 1 ? "" : "s"}`);
      $(`steps-${k}`).replaceChildren(...s.steps.map((x, i) => step(x, i, e.same, i === e.same)));
    });
  }

  function filter() {
    shown = pairs.map((_, i) => i).filter((i) => ["flip", "subset", "arm"].every((f) => !$(f).value || pairs[i][f] === $(f).value));
    chosen = 0;
    $("list").replaceChildren(...(shown.length ? shown.map((i, at) => {
      const row = make("div", pairs[i].instruction, pairs[i].flip);
      row.id = `pair-${i}`;
      row.setAttribute("role", "option");
      row.append(make("small", `${pairs[i].flip} · ${pairs[i].subset} · ${pairs[i].arm}`));
      row.addEventListener("click", () => { chosen = at; draw(); });
      return row;
    }) : [make("div", "no such episode", "empty")]));
    draw();
  }

  for (const f of ["flip", "subset", "arm"]) {
    const values = [...new Set(pairs.map((e) => e[f]))];
    $(f).append(new Option(`all (${pairs.length})`, ""), ...values.map((v) => new Option(`${f === "flip" ? FLIPS[v] : v} (${pairs.filter((e) => e[f] === v).length})`, v)));
    $(f).closest("label").hidden = values.length < 2;
    $(f).addEventListener("change", filter);
  }
  $("list").addEventListener("keydown", (event) => {
    const move = { ArrowUp: -1, ArrowDown: 1, PageUp: -8, PageDown: 8, Home: -1e6, End: 1e6 }[event.key];
    if (move === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    chosen = Math.min(Math.max(chosen + move, 0), shown.length - 1);
    draw();
    $("list").children[chosen].scrollIntoView({ block: "nearest" });
  });
  root.hidden = false;
  filter();
})();
