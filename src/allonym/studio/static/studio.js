"use strict";
// Everything works by links and forms; this adds dropping a file, watching work go on, words that are proposed, and
// staying at the same place of a page.
(function () {
  const one = (selector) => document.querySelector(selector);

  function goOn(address) {
    const there = new URL(address, location.href), here = there.pathname + there.search === location.pathname + location.search;
    location.assign(address);
    if (here) location.reload();  // another place on the same page is not loaded by itself
  }

  function watchWork() {
    const box = one("#job");
    if (!box || !box.dataset.running) return;
    let typed = false;  // what was typed or chosen while it went on must not be lost
    addEventListener("input", (event) => { typed = typed || Boolean(event.target.closest("form[method=post]")); });
    const end = (what, then) => {
      if (!typed) return then();
      const button = Object.assign(document.createElement("button"), { className: "quiet", textContent: "Show", onclick: then });
      box.replaceChildren(Object.assign(document.createElement("p"), { textContent: what + " has ended. What was typed here is not applied yet. " }), button);
    };
    const look = async () => {
      try {
        const job = await (await fetch("/job?of=" + box.dataset.job, { headers: { accept: "application/json" } })).json();
        if (box.querySelector("form").dataset.sent) return;  // it was cancelled here: the page that comes says so
        if (job.state === "running") {
          one("#job-what").textContent = job.what + " …";
          one("#job-share").textContent = job.share + " %";
          one("#job-bar").value = job.share;
          setTimeout(look, 300);
        } else end(job.what, () => {
          if (job.state === "failed") location.assign("/problem");
          else if (job.state === "done" && job.then) goOn(job.then);
          else location.reload();
        });
      } catch {
        one("#job-what").textContent = "The studio does not answer. Was it ended?";
        setTimeout(look, 2000);
      }
    };
    setTimeout(look, 250);
  }

  function takeDrops() {
    const drop = one("#drop"), input = one("#file"), error = one("#drop-error");
    if (!drop || !input) return;
    const send = () => {
      const size = [...input.files].reduce((sum, file) => sum + file.size, 0), limit = Number(drop.dataset.limit);
      error.textContent = size > limit
        ? "That is too large: " + Math.round(limit / 1048576) + " MB are taken at most. Start the studio with the file's name instead: allonym studio FILE"
        : "";
      if (error.textContent || !input.files.length) return;
      drop.querySelector("button").textContent = "Opening …";
      drop.requestSubmit();
    };
    input.addEventListener("change", send);
    ["dragover", "dragenter"].forEach((name) => addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); }));
    addEventListener("dragleave", (event) => { if (!event.relatedTarget) drop.classList.remove("over"); });
    addEventListener("drop", (event) => {
      event.preventDefault();
      drop.classList.remove("over");
      if (!event.dataTransfer.files.length) return;
      input.files = event.dataTransfer.files;
      send();
    });
  }

  function proposeConcepts() {
    const list = one("#concepts");
    document.querySelectorAll("input[data-concepts]").forEach((input) => {
      let waiting, last = "";
      input.addEventListener("input", () => {
        clearTimeout(waiting);
        waiting = setTimeout(async () => {
          const text = input.value.trim(), target = list || one("#" + input.getAttribute("list"));
          if (text.length < 2 || text === last || !target) return;
          last = text;
          const place = one("input[name=ontology]");
          const asked = new URLSearchParams({ column: input.dataset.concepts, text, ontology: place ? place.value : "0" });
          const answer = await fetch("/concepts?" + asked);
          if (!answer.ok) return;
          target.replaceChildren(...(await answer.json()).map((x) => Object.assign(document.createElement("option"), { value: x.id, label: x.label })));
        }, 200);
      });
    });
  }

  function tickAll() {
    const all = one("#pick-all");
    if (all) all.addEventListener("change", () => document.querySelectorAll("input[name=pick]").forEach((box) => { box.checked = all.checked; }));
  }

  function sendTogether() {  // what was typed in a form goes along with another of the page
    document.querySelectorAll("form[data-with]").forEach((form) => form.addEventListener("formdata", (event) => {
      for (const [name, value] of new FormData(one("#" + form.dataset.with))) if (!event.formData.has(name)) event.formData.append(name, value);
    }));
  }

  function keepChoices() {
    const form = one("#words-form");
    if (!form) return;
    form.addEventListener("change", (event) => { if (event.target.matches("select, input:not([type=checkbox])")) form.dataset.changed = "yes"; });
    form.addEventListener("submit", () => { delete form.dataset.changed; });
    addEventListener("beforeunload", (event) => { if (form.dataset.changed) event.preventDefault(); });  // what was not sent would be lost
  }

  function stayInPlace() {
    const key = "place " + location.pathname;
    document.querySelectorAll("form[method=post]").forEach((form) => form.addEventListener("submit", (event) => {
      sessionStorage.setItem(key, String(scrollY));
      if (form.dataset.sent) event.preventDefault();  // twice is once
      form.dataset.sent = "yes";
    }));
    addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
    const place = sessionStorage.getItem(key);
    sessionStorage.removeItem(key);
    const said = one(".complaint[role=alert]");
    if (said) said.scrollIntoView({ block: "center" });
    else if (place && !location.hash) scrollTo(0, Number(place));
  }

  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.target.matches("input:not([type=checkbox]):not([type=radio]), textarea")) return;
    const key = event.key.toLowerCase(), wanted = key === "z" ? (event.shiftKey ? "#redo" : "#undo") : key === "y" ? "#redo" : "";
    const button = wanted && one(wanted);
    if (button && !button.disabled) { event.preventDefault(); button.click(); }
  });
  [watchWork, takeDrops, proposeConcepts, tickAll, sendTogether, keepChoices, stayInPlace].forEach((begin) => begin());
})();
