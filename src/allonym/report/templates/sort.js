document.querySelectorAll("table.sortable").forEach(function (table) {
  var body = table.tBodies[0];
  table.querySelectorAll("thead button").forEach(function (button, place) {
    button.addEventListener("click", function () {
      var head = button.parentElement;
      var down = head.getAttribute("aria-sort") === "ascending";
      table.querySelectorAll("th").forEach(function (other) { other.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      Array.from(body.rows)
        .sort(function (a, b) {
          var x = a.cells[place].dataset.value, y = b.cells[place].dataset.value;
          if (x === "" || y === "") return (x === "") - (y === "");
          var order = isNaN(x) || isNaN(y) ? x.localeCompare(y) : x - y;
          return down ? -order : order;
        })
        .forEach(function (row) { body.appendChild(row); });
    });
  });
});
