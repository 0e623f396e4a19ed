/** What stands around every page: its head, the way to its content, the navigation, who looks, and the command that says the same. */
import { isoDate } from "../../../time/period.ts";
import type { Assets } from "../assets.ts";
import type { Page } from "../page.ts";
import { MENU_GROUPS } from "../page.ts";
import { formFields } from "../session/forms.ts";
import type { Viewer } from "../session/viewer.ts";
import { type Html, html } from "./html.ts";
import { instant } from "./values.ts";

export interface Frame {
  readonly title: string;
  readonly body: Html;
  /** The same in the terminal. Each says a part of the page. */
  readonly commands: readonly string[];
  /** The path of the page, which the navigation marks. */
  readonly path: string;
  readonly viewer: Viewer;
  readonly now: number;
  readonly isLive: boolean;
}

/** What the pages of one service share. */
export interface FrameContext {
  readonly pages: readonly Page[];
  readonly assets: Assets;
}

export function layout(frame: Frame, { pages, assets }: FrameContext): Html {
  const { title, body, commands, viewer, now, isLive } = frame;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · licet</title>
<link rel="icon" href="${assets.icon.address}">
<link rel="stylesheet" href="${assets.style.address}">
<script src="${assets.script.address}" defer></script>
</head>
<body data-live="${isLive ? "yes" : "no"}">
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="name" href="/">licet</a>
${viewerLine(viewer)}
</header>
<div class="columns">
${navigation(pages, frame.path)}
<div class="page">
<main id="content" tabindex="-1">
<h1>${title}</h1>
${body}
</main>
<footer>
${isLive && html`<p id="still" role="status" hidden>This page is as it was when it was loaded: the service draws too many pages again, or is away. It tries again by itself.</p>`}
${commands.map((command, index) => html`<p>${index === 0 ? "The same in the terminal:" : "and"} <code data-command>${command}</code></p>`)}
<p>Read at ${instant(now)}. Days and months are those of UTC; today is ${isoDate(now)}.</p>
</footer>
</div>
</div>
</body>
</html>
`;
}

function navigation(pages: readonly Page[], path: string): Html {
  const groups = MENU_GROUPS.map((group) => ({
    group,
    entries: pages.flatMap((page) => (page.menu?.group === group ? [{ path: page.path, name: page.menu.name }] : [])),
  })).filter(({ entries }) => entries.length > 0);
  return html`<nav aria-label="Pages">${groups.map(
    ({ group, entries }) => html`<h2>${group}</h2>
<ul>${entries.map((entry) =>
      entry.path === path
        ? html`<li><a href="${entry.path}" aria-current="page">${entry.name}</a></li>`
        : html`<li><a href="${entry.path}">${entry.name}</a></li>`,
    )}</ul>`,
  )}</nav>`;
}

function viewerLine(viewer: Viewer): Html {
  const { name, mayAct, formToken } = viewer;
  if (formToken === null) {
    return html`<p class="viewer">Read only. <a href="/login">Log in</a></p>`;
  }
  return html`<form class="viewer" method="post" action="/logout">${formFields(viewer)}
${name}${!mayAct && " (read only)"} <button>Log out</button></form>`;
}
