import type { ConfigInput } from "./config-input.ts";

/**
 * Gives a configuration in `licet.config.ts` or `.js` its type and returns it unchanged. `${ENV}` in its texts is filled in as in
 * the other formats.
 */
export function defineConfig(input: ConfigInput): ConfigInput {
  return input;
}
