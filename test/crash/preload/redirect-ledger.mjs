/** A resolve hook: whoever opens a ledger gets the one whose steps are traced. */
const LEDGER = new URL("../../../dist/crash/open-ledger.js", import.meta.url).href;
const TRACED = new URL("./traced-ledger.mjs", import.meta.url).href;

export function resolve(specifier, context, next) {
  const resolved = next(specifier, context);
  return resolved.url === LEDGER && context.parentURL !== TRACED ? { ...resolved, url: TRACED } : resolved;
}
