"use strict";
const WIDTH = 1180, LEFT = 10, CHAR = 6.6;
const frames = [...document.querySelectorAll("g.f")].map(g => ({
  g, rect: g.querySelector("rect"), text: g.querySelector("text"), name: g.dataset.n,
  x: +g.dataset.x, w: +g.dataset.w, y: +g.querySelector("rect").getAttribute("y"),
}));
const at = id => document.getElementById(id);
let total = frames.length ? frames[0].w : 1;

function show(zoomed) {
  for (const f of frames) {
    const above = f.y >= zoomed.y && f.x <= zoomed.x && f.x + f.w >= zoomed.x + zoomed.w;
    const within = f.y < zoomed.y && f.x >= zoomed.x && f.x + f.w <= zoomed.x + zoomed.w;
    const x = above ? LEFT : LEFT + (f.x - zoomed.x) / zoomed.w * WIDTH, w = above ? WIDTH : f.w / zoomed.w * WIDTH;
    f.g.style.display = above || within ? "" : "none";
    f.rect.setAttribute("x", x);
    f.rect.setAttribute("width", w);
    f.text.setAttribute("x", x + 2);
    const room = Math.floor((w - 4) / CHAR);
    f.text.textContent = room < 3 ? "" : f.name.length <= room ? f.name : f.name.slice(0, room - 2) + "..";
  }
  at("reset").style.display = zoomed === frames[0] ? "none" : "";
}

function search() {
  const text = prompt("Search (regular expression)", "");
  if (text === null) return;
  let pattern = null, until = 0, sum = 0;
  try { pattern = text ? new RegExp(text, "i") : null; } catch (e) { at("found").textContent = "not a regular expression"; return; }
  for (const f of frames) {
    const hit = pattern !== null && f !== frames[0] && pattern.test(f.name);
    f.rect.style.fill = hit ? "#c86bf0" : "";
    if (hit && f.x >= until) { sum += f.w; until = f.x + f.w; }
  }
  at("found").textContent = pattern ? "matched " + (100 * sum / total).toFixed(2) + " %" : "";
}

for (const f of frames) f.g.addEventListener("click", () => show(f));
at("reset").addEventListener("click", () => show(frames[0]));
at("search").addEventListener("click", search);
document.addEventListener("keydown", event => { if (event.key === "Escape") show(frames[0]); });
at("search").style.display = "";
