/**
 * HTML as tagged templates that escape what stands in `${}`. A value is text: it cannot become an element, an attribute or an address of a
 * script, whatever it contains. Only what another template made is taken as it is.
 */
import { assertBug } from "../../../errors.ts";
import { type Place, placesOf } from "./places.ts";
import { visibleText } from "./visible-text.ts";

/** What a template made. Nothing else makes one, so its text was written in this program or is escaped. */
export class Html {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  /** Called by `html` alone. */
  static joined(pieces: readonly string[]): Html {
    return new Html(pieces.join(""));
  }

  toString(): string {
    return this.#text;
  }
}

/** Nothing is shown for null, undefined and false, so that `condition && html…` can be written. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/** @throws an error of the program where a value would stand at a place that escaping does not make safe */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const places = placesOf(parts);
  const pieces = values.flatMap((value, index) => [parts[index] ?? "", toPiece(places[index] as Place, value)]);
  return Html.joined([...pieces, parts.at(-1) ?? ""]);
}

function toPiece(place: Place, value: HtmlValue): string {
  switch (place.kind) {
    case "text":
      return toText(value);
    case "attribute":
      return escapeHtml(toAttributeText(value));
    case "address":
      return escapeHtml(toAddress(toAttributeText(value), place.isWhole));
    case "document":
      assertBug(value instanceof Html, "a document within a page is made by a template");
      return escapeHtml(String(value));
    case "flag":
      assertBug(value === "" || value === false || /^[a-z-]+$/.test(String(value)), "a flag of an element is a name");
      return value === false ? "" : String(value);
    default:
      return place satisfies never;
  }
}

function toText(value: HtmlValue): string {
  if (Array.isArray(value)) {
    return value.map(toText).join("");
  }
  if (value instanceof Html) {
    return String(value);
  }
  assertBug(typeof value !== "object" || value === null, "a value of a page is an object");
  return value === null || value === undefined || value === false ? "" : escapeHtml(visibleText(String(value)));
}

function toAttributeText(value: HtmlValue): string {
  assertBug(
    typeof value === "string" || typeof value === "number",
    "a value of an attribute is not a text or a number",
  );
  return String(value);
}

/** An address of this service, or of the web. Anything else (`javascript:`, `data:`, `//host`) leads nowhere. */
const ADDRESS = /^(?:\/(?![/\\])|[?#]|https?:\/\/)/i;
const NOWHERE = "#";

/** @param isWhole the template does not say how the address begins */
function toAddress(text: string, isWhole: boolean): string {
  return !isWhole || ADDRESS.test(text) ? text : NOWHERE;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}
