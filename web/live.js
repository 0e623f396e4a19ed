// Draws the parts of a page again while something happens, without a jump. Without this script a page shows the same, as it was when it was loaded.
const parts = () => document.querySelectorAll("[data-part]");

// What a person is about to use stays as it is until the next time.
function isInUse(part) {
  const selected = getSelection();
  return part.contains(document.activeElement) || (!selected.isCollapsed && selected.containsNode(part, true));
}

function replace(part, fresh) {
  const scrolled = [...part.querySelectorAll(".scroll")].map((each) => each.scrollLeft);
  const open = [...part.querySelectorAll("details")].map((each) => each.open);
  part.replaceChildren(...fresh.childNodes);
  part.querySelectorAll(".scroll").forEach((each, index) => {
    each.scrollLeft = scrolled[index] ?? 0;
  });
  part.querySelectorAll("details").forEach((each, index) => {
    each.open = open[index] ?? each.open;
  });
}

let isDrawing = false;
async function draw() {
  if (isDrawing) {
    return;
  }
  isDrawing = true;
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" }, redirect: "manual" });
    if (answer.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const part of parts()) {
        const fresh = page.getElementById(part.id);
        if (fresh !== null && !isInUse(part) && fresh.innerHTML !== part.innerHTML) {
          replace(part, fresh);
        }
      }
    }
  } catch {
    // The service is away. The stream says when it is back.
  } finally {
    isDrawing = false;
  }
}

// A browser opens few connections at once, so only a page that is seen has one.
const AGAIN_MS = 30_000;
const still = document.getElementById("still");
let stream = null;
let again = 0;
function watch() {
  stream?.close();
  stream = null;
  clearTimeout(again);
  if (!document.hidden) {
    stream = new EventSource("/live");
    stream.addEventListener("changed", draw);
    stream.addEventListener("open", () => {
      still.hidden = true;
    });
    // The browser tries again by itself when a connection broke, and not when it was refused.
    stream.addEventListener("error", () => {
      if (stream.readyState === EventSource.CLOSED) {
        still.hidden = false;
        again = setTimeout(watch, AGAIN_MS);
      }
    });
  }
}

if (document.body.dataset.live === "yes") {
  document.addEventListener("visibilitychange", watch);
  watch();
}
