import type { StageDeps } from "./stage-deps.ts";

/** Pages read at once by the sweep: each may be large. */
const SWEEP_BATCH = 16;

/** Derives one page's Markdown and stores it, or the reason why there is none. The HTML stays either way. */
export async function deriveMarkdown(
  deps: Pick<StageDeps, "converter" | "ledger">,
  page: { readonly purchaseId: number; readonly url: string; readonly html: string },
): Promise<void> {
  const conversion = await deps.converter.convert(page.html, page.url);
  await deps.ledger.recordMarkdown({
    purchaseId: page.purchaseId,
    markdown: conversion.ok ? conversion.markdown : null,
    failure: conversion.ok ? null : `${conversion.reason}: ${conversion.detail}`,
  });
}

/** Catches up on pages that were settled but not converted when a process ended. */
export async function deriveMissingMarkdown(deps: Pick<StageDeps, "converter" | "ledger">): Promise<void> {
  for (;;) {
    const pages = await deps.ledger.listUnderived(SWEEP_BATCH);
    if (pages.length === 0) {
      return;
    }
    await Promise.all(pages.map((page) => deriveMarkdown(deps, page)));
  }
}
