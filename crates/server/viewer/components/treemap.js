// A map of areas: each rectangle as large as its value, rows of them as near to squares as they go (squarified treemap).

/** Places items with a `value` above 0, the largest first, into a rectangle. Returns `{ item, x, y, width, height }`. */
export function treemap(items, width, height) {
  const sorted = items.filter((item) => item.value > 0).sort((a, b) => b.value - a.value);
  const total = sorted.reduce((sum, item) => sum + item.value, 0);
  const placed = [];
  let free = { x: 0, y: 0, width, height };
  let rest = sorted.map((item) => ({ item, area: (item.value / total) * width * height }));
  while (rest.length) {
    const row = bestRow(rest, Math.min(free.width, free.height));
    free = place(row, free, placed);
    rest = rest.slice(row.length);
  }
  return placed;
}

/** Takes items into a row as long as that makes its worst shape better. */
function bestRow(rest, side) {
  let row = [rest[0]];
  while (row.length < rest.length) {
    const longer = [...row, rest[row.length]];
    if (worst(longer, side) > worst(row, side)) break;
    row = longer;
  }
  return row;
}

function worst(row, side) {
  const sum = row.reduce((total, { area }) => total + area, 0);
  const thickness = sum / side;
  return Math.max(...row.map(({ area }) => Math.max((area / thickness) / thickness, thickness / (area / thickness))));
}

/** Lays a row along the shorter side, and returns what is left. */
function place(row, free, placed) {
  const sum = row.reduce((total, { area }) => total + area, 0);
  const isTall = free.width >= free.height;
  const side = isTall ? free.height : free.width;
  const thickness = side > 0 ? sum / side : 0;
  let along = 0;
  for (const { item, area } of row) {
    const length = thickness > 0 ? area / thickness : 0;
    placed.push(isTall
      ? { item, x: free.x, y: free.y + along, width: thickness, height: length }
      : { item, x: free.x + along, y: free.y, width: length, height: thickness });
    along += length;
  }
  return isTall
    ? { ...free, x: free.x + thickness, width: free.width - thickness }
    : { ...free, y: free.y + thickness, height: free.height - thickness };
}
