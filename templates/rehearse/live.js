"use strict";
const PERIOD = 250, THIN = 1.5, THICK = 9, SIDE = 168;
const at = (id) => document.getElementById(id);
let ended = false;

function wires(state) {
  const moved = NAMES.edges.map((edge) => {
    const alive = [edge.from, edge.to, edge.server].every((name) => name === null || state.nodes[name].alive);
    const frames = edge.from !== null ? state.nodes[edge.from].out : state.nodes[edge.to].in;
    return alive ? frames * edge.bytes : 0;
  });
  const most = Math.max(...moved, 1);
  for (const picture of document.querySelectorAll("svg.cluster")) {
    picture.querySelectorAll("path.wire").forEach((wire, index) => {
      wire.setAttribute("stroke-width", (THIN + (THICK - THIN) * Math.sqrt(moved[index] / most)).toFixed(1));
      wire.classList.toggle("still", moved[index] === 0);
    });
    picture.querySelectorAll(":scope > a, :scope > g[role=img]").forEach((part, index) => {
      const name = NAMES.parts[index];
      part.classList.toggle("dead", Boolean(name) && !state.nodes[name].alive);
    });
  }
}

function level(cell, value, ring) {
  const [bar, text] = cell.children;
  bar.firstElementChild.style.width = `${Math.min(100, (100 * value) / ring)}%`;
  bar.classList.toggle("full", value >= ring);
  text.textContent = `${value} of ${ring}`;
}

function table(state) {
  for (const row of at("nodes").children) {
    const node = state.nodes[row.dataset.node];
    const cells = row.children;
    row.classList.toggle("dead", !node.alive);
    cells[1].textContent = node.alive ? "runs" : "gone";
    cells[2].textContent = node.received;
    cells[3].textContent = node.made;
    level(cells[4], node.waiting, node.ring);
    level(cells[5], node.unsent, node.ring);
  }
}

function picture(found) {
  const rows = found.rows.length, columns = found.rows[0].length;
  const canvas = document.createElement("canvas");
  const ink = getComputedStyle(document.body).color;
  const span = found.high - found.low || 1;
  const bars = rows === 1;
  const cell = Math.max(1, Math.floor(SIDE / Math.max(columns, bars ? 1 : rows)));
  canvas.width = columns * cell;
  canvas.height = bars ? SIDE / 2 : rows * cell;
  const pen = canvas.getContext("2d");
  pen.fillStyle = ink;
  found.rows.forEach((values, y) => values.forEach((value, x) => {
    const share = (value - found.low) / span;
    if (bars) {
      pen.globalAlpha = value === found.high ? 1 : 0.45;
      pen.fillRect(x * cell, canvas.height * (1 - share) - 1, Math.max(1, cell - 1), canvas.height * share + 1);
    } else {
      pen.globalAlpha = share;
      pen.fillRect(x * cell, y * cell, cell, cell);
    }
  }));
  const best = bars ? `, largest at ${found.rows[0].indexOf(found.high)}` : "";
  const label = `${found.side === "in" ? "input" : "output"} ${found.name}: ${found.low} to ${found.high}${best}`;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", label);
  const caption = document.createElement("figcaption");
  caption.textContent = label;
  const figure = document.createElement("figure");
  figure.append(canvas, caption);
  return figure;
}

function show(state) {
  at("done").textContent = `${state.done} of ${state.count} frames, ${state.rate} frames/s`;
  at("verdict").textContent = state.verdict;
  at("verdict").className = state.verdict === "PASS" ? "pass" : "fail";
  wires(state);
  table(state);
  at("frame").textContent = state.frame < 0 ? "" : `number ${state.frame}`;
  at("frames").replaceChildren(...state.pictures.map(picture));
  if (state.notes.length) {
    at("notes").replaceChildren(...state.notes.map((text) => {
      const item = document.createElement("li");
      item.textContent = text;
      return item;
    }));
  }
  ended = state.verdict !== "";
}

async function look() {
  try {
    show(await (await fetch("state.json")).json());
  } catch (error) {
    if (!ended) at("verdict").textContent = "the rehearsal is gone";
    ended = true;
  }
  if (!ended) setTimeout(look, PERIOD);
}

look();
