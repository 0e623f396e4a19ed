/**
 * Where the values of a template stand. Escaping makes a value safe within text and within a quoted attribute, and nowhere else, so a
 * template that has a value anywhere else is an error of the program, whatever the value.
 */
import { assertBug } from "../../../errors.ts";

export type Place =
  | { readonly kind: "text" }
  /** Within the quotes of an attribute that a browser only reads. */
  | { readonly kind: "attribute" }
  /** Of an attribute that a browser follows. `isWhole`: the value is its beginning. */
  | { readonly kind: "address"; readonly isWhole: boolean }
  /** `srcdoc`: a page of its own within the page. */
  | { readonly kind: "document" }
  /** Among the attributes of an element: the name of one that has no value, such as `checked`. */
  | { readonly kind: "flag" };

const ADDRESSES: ReadonlySet<string> = new Set(["href", "src", "action", "formaction"]);

/** What a page must not have: the policy of pages (page-headers.ts) refuses it, and no escaping would make it safe. */
const FORBIDDEN = /<(?:script(?! src="[^"]*" defer><\/script>)|style|!--)|\s(?:on[a-z]+|style)=/i;

const known = new WeakMap<TemplateStringsArray, readonly Place[]>();

/** A template is one object for each place of the program, so it is read once. */
export function placesOf(parts: TemplateStringsArray): readonly Place[] {
  const found = known.get(parts) ?? readPlaces(parts);
  known.set(parts, found);
  return found;
}

/** `name` of the attribute whose value is being read. */
interface State {
  readonly within: "text" | "tag" | "value";
  readonly name: string;
}

const TEXT: State = { within: "text", name: "" };
const TAG: State = { within: "tag", name: "" };

function readPlaces(parts: TemplateStringsArray): readonly Place[] {
  assertBug(!FORBIDDEN.test(parts.join("x")), `a template has a script, a style or a comment: ${parts.join("…")}`);
  const places: Place[] = [];
  let state = TEXT;
  for (const [index, part] of parts.entries()) {
    state = follow(state, part);
    if (index < parts.length - 1) {
      places.push(toPlace(state, part));
    }
  }
  assertBug(state.within === "text", `a template ends within an element: ${parts.join("…")}`);
  return places;
}

/** Reads a part of a template from its first character to its last. */
function follow(from: State, part: string): State {
  let state = from;
  for (let at = 0; at < part.length; at += 1) {
    const character = part[at];
    if (state.within === "text" && character === "<") {
      state = TAG;
    } else if (state.within === "tag" && character === ">") {
      state = TEXT;
    } else if (state.within === "tag" && character === '"') {
      state = { within: "value", name: /([a-z][\w:-]*)=$/i.exec(part.slice(0, at))?.[1]?.toLowerCase() ?? "" };
      assertBug(state.name !== "", `a quote in a template is not that of an attribute: ${part}`);
    } else if (state.within === "value" && character === '"') {
      state = TAG;
    }
  }
  return state;
}

function toPlace(state: State, part: string): Place {
  if (state.within === "text") {
    return { kind: "text" };
  }
  if (state.within === "tag") {
    assertBug(/\s$/.test(part), `a value in a template stands without quotes: ${part}`);
    return { kind: "flag" };
  }
  if (state.name === "srcdoc") {
    return { kind: "document" };
  }
  return ADDRESSES.has(state.name)
    ? { kind: "address", isWhole: part.endsWith(`${state.name}="`) }
    : { kind: "attribute" };
}
