// Draws a graph whose name scopes fold and unfold. `description` is what description.py returns;
// dagre places the boxes of one scope, and an unfolded scope is a box in its parent.
"use strict";

const SERIES_LENGTH = 5; // so many siblings that differ only in their number are one box
// A box stands aside, without edges, if it has more neighbours than this: anywhere in its scope,
// or where nothing follows it (savers, groups of initializers, updates).
const CROWD = 12;
const CROWD_AT_END = 5;
const PALETTE = [
  "#a6cee3", "#b2df8a", "#fdbf6f", "#cab2d6", "#ffffb3", "#fb9a99", "#8dd3c7", "#d9d9d9",
];

/** A scope, a series of alike siblings, or an op (`node` is its description). */
class Box {
  constructor(name, parent, node = null) {
    this.name = name; // the last part of the full name
    this.parent = parent;
    this.node = node;
    this.children = new Map();
    this.edges = new Map(); // between children: "a\nb" -> {from, to, count, label, control}
    this.open = false;
    this.isSeries = false;
    this.depth = parent ? parent.depth + 1 : 0;
    this.size = 0; // the number of ops inside
    this.time = 0;
    this.devices = new Map(); // device -> the number of ops
  }

  get path() {
    if (this.node) return this.node.name;
    const above = this.parent ? this.parent.scopePath : "";
    return above ? `${above}/${this.name}` : this.name;
  }

  get scopePath() {
    return this.isSeries ? this.parent.scopePath : this.path;
  }

  get device() {
    let [best, most] = ["", 0];
    for (const [device, count] of this.devices) if (count > most) [best, most] = [device, count];
    return best;
  }
}

function buildTree(description) {
  const root = new Box("", null);
  const scopes = new Set();
  for (const { name } of description.nodes) {
    for (let end = name.indexOf("/"); end >= 0; end = name.indexOf("/", end + 1)) {
      scopes.add(name.slice(0, end));
    }
  }
  const boxes = description.nodes.map((node) => {
    const parts = node.name.split("/");
    // An op that has the name of a scope is drawn inside of it.
    if (scopes.has(node.name)) parts.push(`(${parts[parts.length - 1]})`);
    const last = parts.pop();
    let parent = root;
    for (const part of parts) {
      if (!parent.children.has(part)) parent.children.set(part, new Box(part, parent));
      parent = parent.children.get(part);
    }
    const box = new Box(last, parent, node);
    parent.children.set(last, box);
    return box;
  });
  gatherSeries(root);
  for (const box of boxes) {
    for (let above = box; above; above = above.parent) {
      above.size += 1;
      above.time += box.node.time || 0;
      const device = box.node.device || "";
      above.devices.set(device, (above.devices.get(device) || 0) + 1);
    }
  }
  for (const [from, to, slot] of description.edges) addEdge(boxes[from], boxes[to], slot);
  return { root, boxes };
}

/** What makes siblings alike: their name without its number, and the op types inside. */
function seriesKey(box) {
  const base = box.name.replace(/_\d+$/, "");
  if (box.node) return `${base}\n${box.node.op}`;
  return `${base}\n${[...box.children.keys()].map((name) => name.replace(/_\d+$/, "")).join()}`;
}

function gatherSeries(scope) {
  const families = new Map();
  for (const child of scope.children.values()) {
    gatherSeries(child);
    const key = seriesKey(child);
    if (!families.has(key)) families.set(key, []);
    families.get(key).push(child);
  }
  for (const family of families.values()) {
    if (family.length < SERIES_LENGTH || family.length === scope.children.size) continue;
    const first = family[0].name;
    const series = new Box(`${first} … ${family[family.length - 1].name}`, scope);
    series.isSeries = true;
    for (const member of family) {
      scope.children.delete(member.name);
      series.children.set(member.name, member);
      member.parent = series;
    }
    scope.children.set(series.name, series);
    setDepths(series);
  }
}

function setDepths(box) {
  box.depth = box.parent.depth + 1;
  for (const child of box.children.values()) setDepths(child);
}

/** Records an edge at the innermost scope that holds both ends. */
function addEdge(producer, consumer, slot) {
  let [from, to] = [producer, consumer];
  while (from.depth > to.depth) from = from.parent;
  while (to.depth > from.depth) to = to.parent;
  if (from === to) return;
  while (from.parent !== to.parent) [from, to] = [from.parent, to.parent];
  const key = `${from.name}\n${to.name}`;
  const edges = from.parent.edges;
  if (!edges.has(key)) edges.set(key, { from, to, count: 0, label: "", control: true });
  const edge = edges.get(key);
  if (slot < 0) return;
  edge.control = false;
  edge.count += 1;
  const shape = producer.node.outputs[slot].split(" ")[1];
  edge.label = edge.count === 1 ? shape : `${edge.count} tensors`;
}

/** The children of a scope whose many edges would hide the others. */
function crowdedChildren(scope) {
  const degrees = new Map();
  const followed = new Set();
  for (const { from, to } of scope.edges.values()) {
    followed.add(from);
    for (const end of [from, to]) degrees.set(end, (degrees.get(end) || 0) + 1);
  }
  const limit = Math.max(CROWD, scope.children.size / 3);
  const isCrowded = ([box, degree]) => degree > (followed.has(box) ? limit : CROWD_AT_END);
  return new Set([...degrees].filter(isCrowded).map(([box]) => box));
}

const SVG = "http://www.w3.org/2000/svg";

function element(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const HEADER = 22;
const MARGIN = 14;

const isConstant = (box) => box.node !== null && box.node.op === "Const";

function labelOf(box) {
  const name = box.name.length > 32 ? `${box.name.slice(0, 31)}…` : box.name;
  return box.node ? name : `${name} (${box.size})`;
}

/** Sets width and height of a box and, if it is open, the places of its children. */
function place(box) {
  if (!box.open) {
    const letters = Math.max(labelOf(box).length, box.node ? box.node.op.length : 0);
    box.width = Math.max(48, 7 * letters + 20);
    box.height = box.node ? (isConstant(box) ? 24 : 36) : 30;
    return;
  }
  const aside = crowdedChildren(box);
  const layout = new dagre.graphlib.Graph().setGraph({
    rankdir: "BT", nodesep: 18, ranksep: 34, edgesep: 8, marginx: MARGIN, marginy: MARGIN,
  });
  for (const child of box.children.values()) {
    place(child);
    if (!aside.has(child)) layout.setNode(child.name, { width: child.width, height: child.height });
  }
  box.drawn = [];
  for (const edge of box.edges.values()) {
    if (aside.has(edge.from) || aside.has(edge.to)) continue;
    const label = { width: 6 * edge.label.length, height: 12, labelpos: "c", edge };
    layout.setEdge(edge.from.name, edge.to.name, label);
    box.drawn.push(label);
  }
  let [width, height] = [2 * MARGIN, 2 * MARGIN];
  if (layout.nodeCount()) {
    dagre.layout(layout);
    ({ width, height } = layout.graph());
    for (const name of layout.nodes()) {
      const child = box.children.get(name);
      ({ x: child.x, y: child.y } = layout.node(name));
    }
  }
  let below = MARGIN;
  let widest = 0;
  for (const child of aside) {
    child.x = width + child.width / 2;
    child.y = below + child.height / 2;
    below += child.height + MARGIN;
    widest = Math.max(widest, child.width + MARGIN);
  }
  box.width = Math.max(width + widest, 7 * labelOf(box).length + 40);
  box.height = Math.max(height, below) + HEADER;
}

class Drawing {
  constructor(description) {
    this.description = description;
    ({ root: this.root, boxes: this.boxes } = buildTree(description));
    this.root.open = true;
    this.selected = null;
    this.view = { x: 0, y: 0, scale: 1 };
    this.svg = document.querySelector("svg");
    this.panel = document.querySelector("#panel");
    this.colour = document.querySelector("#colour");
    this.legend = document.querySelector("#legend");
    this.devices = [...this.root.devices.keys()].sort();
    if (!description.measured) this.colour.querySelector("[value=time]").remove();
    this.colour.addEventListener("change", () => this.draw());
    document.querySelector("#fit").addEventListener("click", () => this.fit());
    const search = document.querySelector("#search");
    search.addEventListener("change", () => this.find(search.value));
    this.listenToPointer();
    // One scope around everything says nothing.
    while (this.root.children.size === 1) {
      const [only] = this.root.children.values();
      if (only.node || only.open) break;
      only.open = true;
      if (only.children.size !== 1) break;
    }
    this.draw();
    this.fit();
  }

  draw() {
    place(this.root);
    this.canvas = element("g");
    this.drawChildren(this.root, this.canvas, 0, 0);
    this.svg.querySelector("#canvas").replaceChildren(this.canvas);
    this.showLegend();
    this.moveView();
  }

  drawChildren(scope, group, left, top) {
    for (const { edge, points, x, y } of scope.drawn) {
      const line = points.map((point) => `${left + point.x},${top + point.y}`).join(" ");
      group.append(
        element("polyline", {
          points: line,
          class: edge.control ? "edge control" : "edge",
          "marker-end": "url(#arrow)",
          "stroke-width": edge.control ? 1 : Math.min(4, 1 + Math.log2(edge.count)),
        }),
      );
      if (edge.label) {
        group.append(element("text", { class: "shape", x: left + x, y: top + y + 3 }, edge.label));
      }
    }
    for (const child of scope.children.values()) {
      this.drawBox(child, group, left + child.x - child.width / 2, top + child.y - child.height / 2);
    }
  }

  drawBox(box, group, left, top) {
    const kind = box.node ? (isConstant(box) ? "constant" : "op") : "scope";
    const drawn = element("g", {
      class: `box ${kind}${box === this.selected ? " selected" : ""}`,
      "data-name": box.path,
    });
    const corner = kind === "scope" ? 8 : box.height / 2;
    drawn.append(
      element("title", {}, document.createTextNode(box.path)),
      element("rect", {
        x: left, y: top, width: box.width, height: box.height, rx: corner,
        fill: box.open ? "#fafafa" : this.fill(box),
      }),
    );
    const middle = left + box.width / 2;
    const line = box.open || !box.node || isConstant(box) ? top + 16 : top + 15;
    drawn.append(element("text", { x: middle, y: line }, labelOf(box)));
    if (box.node && !isConstant(box)) {
      drawn.append(element("text", { class: "type", x: middle, y: top + 29 }, box.node.op));
    }
    drawn.addEventListener("click", (event) => {
      event.stopPropagation();
      if (this.wasDragged) return;
      this.selected = box;
      if (!box.node) box.open = !box.open;
      this.draw();
      this.showDetails(box);
    });
    group.append(drawn);
    if (box.open) this.drawChildren(box, drawn, left, top + HEADER);
  }

  fill(box) {
    if (this.colour.value === "device") {
      return PALETTE[this.devices.indexOf(box.device) % PALETTE.length];
    }
    if (this.colour.value === "time") {
      const share = Math.sqrt(box.time / (this.root.time || 1));
      return box.time ? `hsl(${50 - 50 * share}, 90%, ${92 - 35 * share}%)` : "#ffffff";
    }
    if (box.node) return isConstant(box) ? "#eeeeee" : "#ffffff";
    // Scopes of the same contents have the same colour.
    const contents = seriesKey(box).split("\n")[1];
    let sum = 0;
    for (const letter of contents) sum = (31 * sum + letter.codePointAt(0)) % 9973;
    return PALETTE[sum % PALETTE.length];
  }

  showLegend() {
    const rows = this.colour.value === "device" ? this.devices : [];
    this.legend.replaceChildren(
      ...rows.map((device, i) => {
        const row = document.createElement("div");
        const patch = document.createElement("span");
        patch.style.background = PALETTE[i % PALETTE.length];
        row.append(patch, device || "no device");
        return row;
      }),
    );
  }

  showDetails(box) {
    const rows = [["name", box.path]];
    if (box.node) {
      rows.push(["op", box.node.op]);
      for (const [i, output] of (box.node.outputs || []).entries()) rows.push([`output ${i}`, output]);
      rows.push(...Object.entries(box.node.attrs || {}));
    } else {
      rows.push(["ops inside", String(box.size)]);
    }
    if (box.device) rows.push(["device", box.device]);
    if (this.description.measured) rows.push(["time", `${box.time} µs`]);
    const table = document.createElement("table");
    for (const [key, value] of rows) {
      const row = table.insertRow();
      row.insertCell().textContent = key;
      row.insertCell().textContent = value;
    }
    this.panel.replaceChildren(table);
    if (!box.node) return;
    const index = this.boxes.indexOf(box);
    const { edges } = this.description;
    this.addLinks("inputs", edges.filter((edge) => edge[1] === index).map(([from, , slot]) => [from, slot]));
    this.addLinks("consumers", edges.filter((edge) => edge[0] === index).map(([, to, slot]) => [to, slot]));
  }

  addLinks(title, ends) {
    const heading = document.createElement("h4");
    heading.textContent = `${title} (${ends.length})`;
    this.panel.append(heading);
    for (const [index, slot] of ends.slice(0, 200)) {
      const link = document.createElement("a");
      link.textContent = (slot < 0 ? "^" : "") + this.boxes[index].node.name;
      link.addEventListener("click", () => this.show(this.boxes[index]));
      this.panel.append(link);
    }
  }

  /** Unfolds the scopes around a box, selects it and brings it into the middle. */
  show(box) {
    for (let above = box.parent; above; above = above.parent) above.open = true;
    this.selected = box;
    this.draw();
    this.showDetails(box);
    const drawn = this.canvas.querySelector(".selected > rect");
    const { width, height } = this.svg.getBoundingClientRect();
    const { scale } = this.view;
    this.view.x = width / 2 - scale * (Number(drawn.getAttribute("x")) + box.width / 2);
    this.view.y = height / 2 - scale * (Number(drawn.getAttribute("y")) + box.height / 2);
    this.moveView();
  }

  find(text) {
    const names = this.boxes.map((box) => box.node.name);
    let index = names.indexOf(text);
    if (index < 0) index = names.findIndex((name) => name.includes(text));
    if (text && index >= 0) this.show(this.boxes[index]);
  }

  fit() {
    const { width, height } = this.svg.getBoundingClientRect();
    const scale = Math.min(1.2, width / this.root.width, height / this.root.height) || 1;
    this.view = {
      x: (width - scale * this.root.width) / 2,
      y: (height - scale * this.root.height) / 2,
      scale,
    };
    this.moveView();
  }

  moveView() {
    const { x, y, scale } = this.view;
    this.canvas.setAttribute("transform", `translate(${x},${y}) scale(${scale})`);
  }

  listenToPointer() {
    let start = null;
    this.svg.addEventListener("pointerdown", (event) => {
      start = { x: event.clientX - this.view.x, y: event.clientY - this.view.y };
      this.wasDragged = false;
    });
    window.addEventListener("pointermove", (event) => {
      if (!start) return;
      const [x, y] = [event.clientX - start.x, event.clientY - start.y];
      if (Math.abs(x - this.view.x) + Math.abs(y - this.view.y) > 4) this.wasDragged = true;
      if (this.wasDragged) [this.view.x, this.view.y] = [x, y];
      this.moveView();
    });
    window.addEventListener("pointerup", () => {
      start = null;
    });
    this.svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      const factor = Math.exp(-event.deltaY / 500);
      const frame = this.svg.getBoundingClientRect();
      const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
      this.view.x = x - factor * (x - this.view.x);
      this.view.y = y - factor * (y - this.view.y);
      this.view.scale *= factor;
      this.moveView();
    }, { passive: false });
  }
}

window.drawing = new Drawing(JSON.parse(document.querySelector("#description").textContent));
