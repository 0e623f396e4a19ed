/**
 * Amounts with a comma between braces. YAML reads `{ limit: 1,000.00 USD }` as `limit: 1` and a key `000.00 USD` without a value. Two messages about these would mislead; one says what happened.
 */
import { suggestMoney } from "../../money/suggest-money.ts";
import type { Loose } from "./loose-value.ts";

/** What stands behind a comma; YAML reads `000` as the number 0. */
const REST_PATTERN = /^\d{1,3}(?:\.\d+)?(?: *[A-Za-z]{3,8})?$/;

export interface CutValue {
  /** Whose value was cut. */
  readonly key: string;
  readonly message: string;
}

/**
 * @param unknownKeys those of the section that the schema does not know
 * @returns the values that were cut, and the keys that are their rests
 */
export function findCutValues(
  section: Loose,
  unknownKeys: readonly string[],
): { readonly values: readonly CutValue[]; readonly rests: ReadonlySet<string> } {
  const values: CutValue[] = [];
  const rests = new Set<string>();
  let owner: string | null = null;
  for (const [key, value] of inOrder(section)) {
    const isRest = unknownKeys.includes(key) && value === null && REST_PATTERN.test(key);
    if (!isRest) {
      owner = /^\d{1,3}$/.test(String(value)) ? key : null;
    } else if (owner !== null) {
      rests.add(key);
      if (!values.some(({ key: known }) => known === owner)) {
        values.push({ key: owner, message: describeCut(`${section[owner]},${key}`) });
      }
    }
  }
  return { values, rests };
}

/** Objects list keys that are whole numbers first: such a rest is taken to belong to the first value that can have one. */
function inOrder(section: Loose): readonly (readonly [string, unknown])[] {
  const entries = Object.entries(section);
  const numbers = entries.filter(([key]) => /^\d+$/.test(key));
  const rest = entries.filter(([key]) => !/^\d+$/.test(key));
  const at = rest.findIndex(([, value]) => /^\d{1,3}$/.test(String(value)));
  return numbers.length === 0 || at < 0 ? entries : [...rest.slice(0, at + 1), ...numbers, ...rest.slice(at + 1)];
}

function describeCut(whole: string): string {
  const suggestion = /[A-Za-z]/.test(whole) ? suggestMoney(whole) : null;
  const advice = suggestion === null ? "write it without thousands separators" : `write "${suggestion}"`;
  return `was cut at a comma, which ends a value between braces: ${advice}`;
}
