/* Make what is wider than the paper smaller, and return what is still too wide. */
function fitTables() {
  const SMALLEST = 0.55, LARGEST_CELL = 0.5;
  const column = document.querySelector("article").getBoundingClientRect();
  const over = (node) => node.getBoundingClientRect().right - column.right;
  const named = (node) => `${node.localName} in ${(node.closest("[id]") || {}).id}: ${node.textContent.trim().slice(0, 40)}`;

  /** A formula in a cell may not take the whole table's room. */
  function cells(table) {
    for (const formula of table.querySelectorAll("math")) {
      const { width } = formula.getBoundingClientRect(), room = column.width * LARGEST_CELL;
      if (width > room) formula.style.zoom = room / width;
    }
  }

  function fit(node) {
    if (node.localName === "table") cells(node);
    for (let zoom = 1, tries = 0; over(node) > 1 && tries < 4 && zoom > SMALLEST; tries++) {
      const { left, right } = node.getBoundingClientRect();
      zoom = Math.max(SMALLEST, (0.985 * zoom * (column.right - Math.max(left, column.left))) / (right - left));
      node.style.zoom = zoom;
    }
    return over(node) <= 2;
  }

  const outer = (node) => !node.parentElement.closest("table, math, svg");
  return [...document.querySelectorAll("table, math, pre, svg, img")].filter((node) => outer(node) && over(node) > 1 && !fit(node))
    .map((node) => `${named(node)}: by ${Math.round(over(node))} px`);
}
