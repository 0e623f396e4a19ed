import { closest, distance } from "fastest-levenshtein";

/** Two keys that differ by more than a third of the longer one are different words. */
const MAX_DISTANCE_SHARE = 3;
const MAX_LISTED = 12;
const MAX_SLIP_DISTANCE = 2;

/** The end of a message about an unknown name: the nearest known name, or all names. */
export function suggestKey(unknown: string, known: readonly string[]): string {
  if (known.length === 0) {
    return "no name is known here";
  }
  const nearest = closest(unknown, known);
  if (isNear(unknown, nearest)) {
    return `did you mean "${nearest}"?`;
  }
  const listed = known.slice(0, MAX_LISTED).join(", ");
  return `known here: ${listed}${known.length > MAX_LISTED ? ", …" : ""} (nearest: "${nearest}")`;
}

/** True when one is probably a typing error of the other. */
function isNear(a: string, b: string): boolean {
  return (
    distance(a.toLowerCase(), b.toLowerCase()) * MAX_DISTANCE_SHARE <=
    Math.max(a.length, b.length, MAX_DISTANCE_SHARE * 2)
  );
}

/** True when one is the other with one or two wrong letters, or in another case. */
export function isSlip(a: string, b: string): boolean {
  return a !== b && distance(a.toLowerCase(), b.toLowerCase()) <= MAX_SLIP_DISTANCE;
}
