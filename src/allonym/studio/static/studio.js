"use strict";
// Links and forms work without this script. It adds file drop, progress of jobs, suggestions of concepts, and keeps the
// scroll position.
(function () {
  const one = (selector) => document.querySelector(selector);

  function openPage(address) {
    const target = new URL(address, location.href), samePage = target.pathname + target.search === location.pathname + location.search;
    location.assign(address);
    if (samePage) location.reload();  // a new fragment alone does not reload the page
  }

  function watchJob() {
    const box = one("#job");
    if (!box || !box.dataset.running) return;
    let typed = false;  // keep what was typed while the job was running
    addEventListener("input", (event) => { typed = typed || Boolean(event.target.closest("form[method=post]")); });
    const finish = (title, showResult) => {
      if (!typed) return showResult();
      const button = Object.assign(document.createElement("button"), { className: "quiet", textContent: "Show", onclick: showResult });
      box.replaceChildren(Object.assign(document.createElement("p"), { textContent: title + " has ended. Your changes on this page are not applied yet. " }), button);
    };
    const poll = async () => {
      try {
        const job = await (await fetch("/job?of=" + box.dataset.job, { headers: { accept: "application/json" } })).json();
        if (box.querySelector("form").dataset.sent) return;  // cancelled here: the next page reports it
        if (job.state === "running") {
          one("#job-title").textContent = job.what + " …";
          one("#job-percent").textContent = job.share + " %";
          one("#job-bar").value = job.share;
          setTimeout(poll, 300);
        } else finish(job.what, () => {
          if (job.state === "failed") location.assign("/problem");
          else if (job.state === "done" && job.then) openPage(job.then);
          else location.reload();
        });
      } catch {
        one("#job-title").textContent = "The studio does not respond. Is it still running?";
        setTimeout(poll, 2000);
      }
    };
    setTimeout(poll, 250);
  }

  function acceptDrops() {
    const drop = one("#drop"), input = one("#file"), error = one("#drop-error");
    if (!drop || !input) return;
    const send = () => {
      const size = [...input.files].reduce((sum, file) => sum + file.size, 0), limit = Number(drop.dataset.limit);
      error.textContent = size > limit
        ? "The file is too large: the limit is " + Math.round(limit / 1048576) + " MB. Open it from the command line: allonym studio FILE"
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

  function suggestConcepts() {
    document.querySelectorAll("input[data-concepts]").forEach((input) => {
      let waiting, last = "";
      input.addEventListener("input", () => {
        clearTimeout(waiting);
        waiting = setTimeout(async () => {
          const text = input.value.trim(), target = one("#" + input.getAttribute("list"));
          if (text.length < 2 || text === last || !target) return;
          last = text;
          const ontology = one("input[name=ontology]");
          const query = new URLSearchParams({ column: input.dataset.concepts, text, ontology: ontology ? ontology.value : "0" });
          const answer = await fetch("/concepts?" + query);
          if (!answer.ok) return;
          target.replaceChildren(...(await answer.json()).map((x) => Object.assign(document.createElement("option"), { value: x.id, label: x.label })));
        }, 200);
      });
    });
  }

  function selectAll() {
    const all = one("#pick-all");
    if (all) all.addEventListener("change", () => document.querySelectorAll("input[name=pick]").forEach((box) => { box.checked = all.checked; }));
  }

  function sendTogether() {  // a form sends the fields of another one along
    document.querySelectorAll("form[data-with]").forEach((form) => form.addEventListener("formdata", (event) => {
      for (const [name, value] of new FormData(one("#" + form.dataset.with))) if (!event.formData.has(name)) event.formData.append(name, value);
    }));
  }

  function warnOfLostChoices() {
    const form = one("#words-form");
    if (!form) return;
    form.addEventListener("change", (event) => { if (event.target.matches("select, input:not([type=checkbox])")) form.dataset.changed = "yes"; });
    form.addEventListener("submit", () => { delete form.dataset.changed; });
    addEventListener("beforeunload", (event) => { if (form.dataset.changed) event.preventDefault(); });  // unsent choices would be lost
  }

  function keepScrollPosition() {
    const key = "scroll " + location.pathname;
    document.querySelectorAll("form[method=post]").forEach((form) => form.addEventListener("submit", (event) => {
      sessionStorage.setItem(key, String(scrollY));
      if (form.dataset.sent) event.preventDefault();  // ignore a second click
      form.dataset.sent = "yes";
    }));
    addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
    const position = sessionStorage.getItem(key);
    sessionStorage.removeItem(key);
    const problems = one(".complaint[role=alert]");
    if (problems) problems.scrollIntoView({ block: "center" });
    else if (position && !location.hash) scrollTo(0, Number(position));
  }

  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.target.matches("input:not([type=checkbox]):not([type=radio]), textarea")) return;
    const key = event.key.toLowerCase(), wanted = key === "z" ? (event.shiftKey ? "#redo" : "#undo") : key === "y" ? "#redo" : "";
    const button = wanted && one(wanted);
    if (button && !button.disabled) { event.preventDefault(); button.click(); }
  });
  [watchJob, acceptDrops, suggestConcepts, selectAll, sendTogether, warnOfLostChoices, keepScrollPosition].forEach((start) => start());
})();
