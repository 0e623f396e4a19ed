import type { StageDeps, WorkerDeps } from "../stage-deps.ts";

/** Pages that the sweep reads at once. Each page may be large. */
const SWEEP_BATCH = 16;

/** Temporary failures, which do not depend on the page. Its Markdown is derived later. */
const PASSING_FAILURES: ReadonlySet<string> = new Set(["closed", "queue_full"]);

/**
 * Derives one page's Markdown and stores it, or stores the reason why there is none. The HTML is kept in both cases.
 * @returns false when the conversion could not be tried now
 */
export async function deriveMarkdown(
  deps: Pick<WorkerDeps, "converter" | "ledger">,
  page: { readonly purchaseId: number; readonly url: string; readonly html: string },
): Promise<boolean> {
  const conversion = await deps.converter.convert(page.html, page.url);
  if (!conversion.ok && PASSING_FAILURES.has(conversion.reason)) {
    return false;
  }
  await deps.ledger.recordMarkdown({
    purchaseId: page.purchaseId,
    markdown: conversion.ok ? conversion.markdown : null,
    failure: conversion.ok ? null : `${conversion.reason}: ${conversion.detail}`,
  });
  return true;
}

/** Converts pages that were settled but not converted when a process ended. */
export async function deriveMissingMarkdown(deps: Pick<StageDeps, "converter" | "ledger">): Promise<void> {
  let pages = await deps.ledger.listUnderived(SWEEP_BATCH);
  while (pages.length > 0) {
    const derived = await Promise.all(pages.map((page) => deriveMarkdown(deps, page)));
    if (!derived.some(Boolean)) {
      return;
    }
    pages = await deps.ledger.listUnderived(SWEEP_BATCH);
  }
}
