"use strict";
(() => {
  const root = document.getElementById("viewer");
  const episodes = JSON.parse(document.getElementById("viewer-data").textContent);
  if (!root || !episodes.length) return;
  const $ = (name) => root.querySelector(`[data-v="${name}"]`);
  let episode = 0, step = 0;

  const fill = (name, nodes, empty = "∅") => $(name).replaceChildren(...(nodes.length ? nodes : [make("span", empty, "soft")]));
  const lines = (items, cls) => items.map((text) => make("span", text, `atom ${cls || ""}`));

  function tree(rows, before, places, hand) {
    const old = new Map(before.map((r) => [r[0], r]));
    const under = new Map();
    const put = (parent, node) => under.has(parent) ? under.get(parent).push(node) : under.set(parent, [node]);
    for (const r of rows) put(r[2], r);
    const roomOf = new Map(places);
    const rooms = new Map();
    for (const id of under.keys()) {
      if (rows.some((r) => r[0] === id)) continue;
      const room = id === "hand" || id === "?" ? id : roomOf.get(id) || id;
      if (!rooms.has(room)) rooms.set(room, []);
      rooms.get(room).push(id);
    }
    const item = (r) => {
      const [id, relation, , attributes, source, others, there] = r;
      const was = old.get(id);
      const moved = before.length && (!was || was[2] !== r[2] || was[1] !== relation);
      const changed = was && was[3].join() !== attributes.join();
      const li = make("li");
      const label = make("span", id, there === false ? "bad" : "");
      if (moved || changed) label.classList.add("fresh");
      li.append(label);
      if (attributes.length) li.append(make("em", ` ${attributes.join(", ")}`));
      if (moved && source) li.append(make("small", ` ${was ? "moved" : "new"}, by ${source}`));
      if (there === false) li.append(make("small", " not there", "bad"));
      if (others.length) li.append(make("small", ` or ${others.join(" / ")}`));
      const inside = under.get(id) || [];
      if (inside.length) { const ul = make("ul"); ul.append(...inside.map(item)); li.append(ul); }
      return li;
    };
    const order = [...rooms.keys()].sort((a, b) => (a === "hand" ? -1 : b === "hand" ? 1 : a === "?" ? 1 : b === "?" ? -1 : a.localeCompare(b)));
    return order.map((room) => {
      const box = make("li", room === "?" ? "whereabouts unknown" : room, "room");
      const ul = make("ul");
      for (const id of rooms.get(room).sort()) {
        const things = under.get(id).map(item);
        if (id === room) ul.append(...things);
        else { const place = make("li", id, "place"); const inner = make("ul"); inner.append(...things); place.append(inner); ul.append(place); }
      }
      box.append(ul);
      return box;
    });
  }

  function draw() {
    const e = episodes[episode], s = e.steps[step], before = step ? e.steps[step - 1] : s;
    $("instruction").textContent = `“${e.instruction}”`;
    fill("chips", [make("span", e.arm, "chip"), ...(e.subset ? [make("span", e.subset, "chip")] : []), make("span", e.verdict, `chip ${e.declared_sr ? "good" : "bad"}`),
      make("span", `${e.length} steps${e.length > e.steps.length - 1 ? `, ${e.steps.length - 1} shown` : ""}`, "chip"),
      ...(e.faults ? [make("span", `${e.faults} fault${e.faults > 1 ? "s" : ""}`, "chip warn")] : []),
      ...(e.cause ? [make("span", `first wrong link: ${e.cause}`, "chip bad")] : [])]);
    $("before").src = before.image; $("after").src = s.image; $("depth").src = s.depth; $("depth-before").src = before.depth;
    $("before").alt = step ? `frame before step ${step}` : "first frame";
    $("after").alt = step ? `frame after step ${step}` : "first frame";
    $("depth").alt = "depth of the frame after, near is bright"; $("depth-before").alt = "depth of the frame before";
    $("where").textContent = `${step} / ${e.steps.length - 1}`;
    $("command").textContent = step ? s.command : "before the first step";
    fill("facts", step ? [make("span", s.mode.replace("_", " "), "chip"), make("span", s.claimed ? "claims success" : "reports failure", `chip ${s.claimed ? "" : "warn"}`),
      ...(s.fault ? [make("span", `fault: ${s.fault}`, "chip warn")] : [])] : [], "");
    $("text").textContent = s.text ? `“${s.text}”` : "";
    fill("truth", lines(s.truth || []));
    fill("estimate", (s.estimate || []).map(([text, p]) => make("span", `${text} · ${(100 * p).toFixed(p > 0.995 ? 1 : 0)} %`, "atom")));
    fill("written", (s.written || []).map(([text, mark]) => make("span", text, `atom ${mark}`)));
    fill("held", lines(s.held || []), "–");
    fill("agenda", s.agenda.map(([id, status]) => {
      const li = make("li", e.goals[id], status);
      if (id === s.goal) li.classList.add("active");
      li.append(make("small", ` ${status}${id === s.goal ? ", active" : ""}`));
      return li;
    }));
    $("grounded").textContent = s.grounded ? `${s.grounded.object} (${s.grounded.parent || "place"})${s.grounded.target ? ` → ${s.grounded.target}` : ""}` : step ? "⊥, nothing grounded" : "–";
    fill("candidates", (s.candidates || []).map(([id, parent, ...support]) => {
      const row = make("tr");
      row.append(make("td", id), make("td", parent || "place"), ...support.map((x) => make("td", x.toFixed(2))));
      if (s.grounded && s.grounded.object === id) row.className = "chosen";
      return row;
    }), "");
    fill("tree", tree(s.tree, step > 1 ? before.tree : [], e.places, s.hand), "empty");
    [...$("rail").children].forEach((b, i) => { b.setAttribute("aria-current", i === step ? "step" : "false"); b.tabIndex = i === step ? 0 : -1; });
    const current = $("rail").children[step], rail = $("rail");
    rail.scrollLeft = current.offsetLeft - rail.clientWidth / 2;
    $("previous").disabled = step === 0; $("next").disabled = step === e.steps.length - 1;
  }

  function open(index) {
    episode = index; step = 0;
    const e = episodes[episode];
    $("choose").value = String(index);
    $("rail").replaceChildren(...e.steps.map((s, i) => {
      const b = make("button", String(i), [s.wrong ? "bad" : s.missed ? "miss" : "", s.fault ? "fault" : ""].join(" ").trim());
      b.type = "button";
      b.title = i ? `${s.command}${s.fault ? `, fault: ${s.fault}` : ""}${s.wrong ? ", wrote what did not happen" : ""}${s.missed ? ", missed a change" : ""}` : "start";
      b.addEventListener("click", () => { step = i; draw(); });
      return b;
    }));
    draw();
  }

  const go = (by) => { step = Math.min(Math.max(step + by, 0), episodes[episode].steps.length - 1); draw(); };
  const FILTERS = ["arm", "subset", "outcome"];
  const OUTCOMES = { right: "declared, right", wrong: "declared, wrong", unfinished: "not finished" };
  let shown = episodes.map((_, i) => i);

  function filter() {
    const fits = (e, without) => FILTERS.every((f) => f === without || !$(f).value || e[f] === $(f).value);
    for (const f of FILTERS) for (const option of $(f).options) option.disabled = option.value !== "" && option.value !== $(f).value && !episodes.some((e) => fits(e, f) && e[f] === option.value);
    shown = episodes.map((_, i) => i).filter((i) => fits(episodes[i]));
    $("choose").replaceChildren(...shown.map((i) => {
      const e = episodes[i];
      return new Option(`${$("arm").value ? "" : `${e.arm}: `}${e.instruction} (${e.verdict})`, String(i));
    }));
    if (shown.includes(episode)) $("choose").value = String(episode); else open(shown[0]);
  }

  for (const f of FILTERS) {
    const values = [...new Set(episodes.map((e) => e[f]))].filter(Boolean);
    $(f).append(new Option(`all (${episodes.length})`, ""), ...values.map((v) => new Option(`${f === "outcome" ? OUTCOMES[v] : v} (${episodes.filter((e) => e[f] === v).length})`, v)));
    $(f).closest("label").hidden = values.length < 2;
    $(f).addEventListener("change", filter);
  }
  $("choose").addEventListener("change", (event) => open(Number(event.target.value)));
  $("previous").addEventListener("click", () => go(-1));
  $("next").addEventListener("click", () => go(1));
  root.addEventListener("keydown", (event) => {
    if (event.target.tagName === "SELECT" || event.altKey || event.ctrlKey || event.metaKey) return;
    const move = { ArrowLeft: -1, ArrowRight: 1, Home: -1e6, End: 1e6 }[event.key];
    if (move !== undefined) { event.preventDefault(); go(move); $("rail").children[step].focus({ preventScroll: true }); }
    else if (event.key === "PageDown" || event.key === "PageUp") {
      event.preventDefault();
      open(shown[(shown.indexOf(episode) + (event.key === "PageDown" ? 1 : shown.length - 1)) % shown.length]);
    }
  });
  root.hidden = false;
  filter();
  open(0);
})();
