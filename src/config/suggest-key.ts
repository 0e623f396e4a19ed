import { closest, distance } from "fastest-levenshtein";

/** Two keys further apart than a third of the longer one are different words. */
const MAX_DISTANCE_SHARE = 3;
const MAX_LISTED = 12;
const MAX_SLIP_DISTANCE = 2;

/** The end of a complaint about an unknown name: the nearest known one, or all of them. */
export function suggestKey(unknown: string, known: readonly string[]): string {
  if (known.length === 0) {
    return "nothing is known here";
  }
  const nearest = closest(unknown, known);
  if (isNear(unknown, nearest)) {
    return `did you mean "${nearest}"?`;
  }
  const listed = known.slice(0, MAX_LISTED).join(", ");
  return `known here: ${listed}${known.length > MAX_LISTED ? ", …" : ""} (nearest: "${nearest}")`;
}

/** True when one is likely a slip of the other. */
function isNear(a: string, b: string): boolean {
  return (
    distance(a.toLowerCase(), b.toLowerCase()) * MAX_DISTANCE_SHARE <=
    Math.max(a.length, b.length, MAX_DISTANCE_SHARE * 2)
  );
}

/** True when one is the other with a letter or two wrong, or in other case. */
export function isSlip(a: string, b: string): boolean {
  return a !== b && distance(a.toLowerCase(), b.toLowerCase()) <= MAX_SLIP_DISTANCE;
}
