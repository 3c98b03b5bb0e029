"""How a report looks and the little it does by itself: its style sheet and its script."""

from __future__ import annotations

STYLE = """
:root {
  --page: #f4f4f1; --card: #ffffff; --text: #1d1f21; --soft: #63686e; --line: #dcdcd6;
  --good: #1f7a45; --bad: #b3261e; --note: #7a5200; --new: #1d5fa8; --mat: #e9e9e4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #151618; --card: #1e2023; --text: #e6e6e3; --soft: #9aa0a6; --line: #34373b;
    --good: #67c98d; --bad: #ff8a80; --note: #e6b450; --new: #82b6f2; --mat: #121315;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2rem clamp(1rem, 4vw, 3rem) 3rem; max-width: 120rem;
  background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif;
}
h1 { font-size: 1.6rem; font-weight: 650; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; font-weight: 600; margin: 0; overflow-wrap: anywhere; }
.introduction, .title { color: var(--soft); margin: .3rem 0 0; max-width: 75ch; }
.summary { margin: .8rem 0 0; }
.badge {
  display: inline-block; padding: .05rem .6rem; border-radius: 1rem; border: 1px solid;
  font-size: .8rem; font-weight: 600;
}
.passed { --mark: var(--good); } .failed, .broken { --mark: var(--bad); }
.updated { --mark: var(--new); } .shown { --mark: var(--line); }
.badge, nav a { color: var(--mark); }
section.shown h2 .badge { display: none; }
nav ul { list-style: none; padding: 0; margin: 1.2rem 0 0; columns: 18rem; }
nav a { text-decoration: none; overflow-wrap: anywhere; }
nav a:hover { text-decoration: underline; }
nav a.shown { color: inherit; }
section {
  margin-top: 1.5rem; padding: 1.2rem 1.4rem 1.3rem; background: var(--card);
  border: 1px solid var(--line); border-left: 4px solid var(--mark); border-radius: 8px;
}
.seconds, figcaption span { color: var(--soft); font-weight: 400; font-size: .85rem; }
.message { color: var(--bad); margin: .5rem 0 0; overflow-wrap: anywhere; white-space: pre-wrap; }
.updated .message, .shown .message { color: var(--soft); }
.pictures {
  display: grid; gap: 1rem; margin-top: 1rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr));
}
figure { margin: 0; max-width: 60rem; }
figure a { display: block; background: var(--mat); border-radius: 4px; overflow: hidden; }
img {
  display: block; width: 100%; height: auto; max-height: 80vh; object-fit: contain;
  background: repeating-conic-gradient(#8884 0 25%, #0000 0 50%) 0 0 / 16px 16px;
}
img.small { image-rendering: pixelated; }
figcaption { display: flex; justify-content: space-between; gap: 1rem; margin-top: .35rem; }
.scale { display: flex; align-items: center; gap: .5rem; font-size: .8rem; color: var(--soft); }
.scale i { flex: 1; height: .6rem; border-radius: 2px; }
.flip {
  margin-top: .6rem; padding: .2rem .8rem; font: inherit; font-size: .85rem; cursor: pointer;
  color: inherit; background: none; border: 1px solid var(--line); border-radius: 4px;
}
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin-top: .9rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; font-weight: 400; padding: .2rem 1.4rem .2rem 0; }
tr + tr { border-top: 1px solid var(--line); }
td:nth-child(3) { color: var(--soft); } td:last-child { color: var(--good); padding-right: 0; }
.exceeded th, .exceeded td { color: var(--bad); font-weight: 600; }
.notes { margin: .9rem 0 0; padding-left: 1.2rem; color: var(--note); overflow-wrap: anywhere; }
footer { margin-top: 2.5rem; color: var(--soft); font-size: .85rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1.2rem; margin: 0; }
dd { margin: 0; overflow-wrap: anywhere; }
"""

SCRIPT = """
for (const button of document.querySelectorAll(".flip")) {
  const [first, second] = button.previousElementSibling.querySelectorAll("img");
  const own = first.src;
  button.hidden = false;
  button.addEventListener("click", () => {
    first.src = first.src === own ? second.src : own;
    const label = first.closest("figure").querySelector("b");
    label.dataset.own ??= label.textContent;
    label.textContent = first.src === own
      ? label.dataset.own
      : second.closest("figure").querySelector("b").textContent;
  });
}
"""
