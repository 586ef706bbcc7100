// The page works without this script; with it, Copy buttons appear.
"use strict";

// Browsers offer the clipboard to pages served over https only; the selection works everywhere.
function copySelection(source) {
  const range = document.createRange();
  range.selectNodeContents(source);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
  document.execCommand("copy");
}

async function copy(source) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(source.innerText);
  } else {
    copySelection(source);
  }
}

for (const button of document.querySelectorAll("[data-copy]")) {
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await copy(document.getElementById(button.dataset.copy));
    button.textContent = button.dataset.done;
    setTimeout(() => { button.textContent = label; }, 2000);
  });
}
