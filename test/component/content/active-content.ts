/**
 * What in a Markdown text a reader's browser would act on or follow: raw HTML, autolinks, link definitions, and
 * destinations that are not absolute http, https or mailto. Reads Markdown by CommonMark's own rules for code and
 * escapes, and shares nothing with the code it checks. Code is left out, for it is shown and never acted on.
 */
export function findActiveContent(markdown: string): string[] {
  const prose = removeCodeSpans(removeFences(markdown)).replace(/\\[!-/:-@[-`{-~]/g, "·");
  return [
    ...matches(prose, /<[A-Za-z/!?][^\n]{0,40}/g),
    ...matches(prose, /^[ >\-\d.]*\[[^\]\n]*\]:.{0,40}/gm),
    ...findDestinations(prose).filter((url) => !/^(https?:\/\/[^\s]+|mailto:[^\s]*)$/.test(url)),
  ];
}

/** Each link's and image's destination, in order, code and escapes removed. */
export function findDestinations(prose: string): string[] {
  return [...prose.matchAll(/\]\(([^)\s]*)/g)].map((match) => match[1] ?? "");
}

/** Drops fenced code blocks, in list items and quotes too. */
export function removeFences(markdown: string): string {
  const kept: string[] = [];
  let fence = 0;
  for (const line of markdown.split("\n")) {
    const ticks = /^[ >]*(?:(?:-|\d+\.) +[ >]*)*(`{3,})([^`]*)$/.exec(line);
    const run = ticks?.[1]?.length ?? 0;
    if (fence === 0 && run > 0) {
      fence = run;
    } else if (fence > 0 && run >= fence && ticks?.[2]?.trim() === "") {
      fence = 0;
    } else if (fence === 0) {
      kept.push(line);
    }
  }
  return kept.join("\n");
}

/** Drops inline code: a run of backticks up to the next run of the same length in the same paragraph. */
function removeCodeSpans(prose: string): string {
  return prose
    .split(/\n[ >]*\n/)
    .map((paragraph) => {
      let rest = "";
      let at = 0;
      while (at < paragraph.length) {
        const character = paragraph[at] as string;
        if (character === "\\") {
          rest += paragraph.slice(at, at + 2);
          at += 2;
        } else if (character === "`") {
          const run = /^`+/.exec(paragraph.slice(at))?.[0] ?? "`";
          const end = new RegExp(`(?<!\`)${run}(?!\`)`, "g");
          end.lastIndex = at + run.length;
          const close = end.exec(paragraph);
          rest += close === null ? run : "";
          at = close === null ? at + run.length : close.index + run.length;
        } else {
          rest += character;
          at += 1;
        }
      }
      return rest;
    })
    .join("\n\n");
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[0]);
}
