/** How values are written on every page: each in one way, so that it can be read, compared and copied. */
import { formatWithDecimals } from "../../../money/format-money.ts";
import type { Micros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import { isoDate } from "../../../time/period.ts";
import { type Html, type HtmlValue, html } from "./html.ts";

/** Instead of a value that there is not. */
export const NONE = html`<span class="none">–</span>`;

/** Text from elsewhere: a title, a URL, a message of the gateway. Its direction changes nothing around it, and a long word breaks. */
export function foreign(text: string | null): Html {
  return text === null ? NONE : html`<bdi class="foreign">${text}</bdi>`;
}

/** The type of a license: a long name, in which a browser finds no place to break it. */
export function licenseType(type: string | null): Html {
  return type === null
    ? NONE
    : html`<bdi class="foreign">${type.split("_").map((word, index) => html`${index > 0 && html`_<wbr>`}${word}`)}</bdi>`;
}

/** To the micro, as `parseMoney` reads it, and the micros of `--json` beside it. */
export function amount(micros: Micros | null, currency: Currency | null, leastDecimals = 0): Html {
  if (micros === null || currency === null) {
    return NONE;
  }
  return html`<data class="amount" value="${micros}" data-currency="${currency}">${formatWithDecimals({ micros, currency }, leastDecimals)}</data>`;
}

/** One line for each currency. Amounts of different currencies are never added. */
export function amounts(byCurrency: Readonly<Record<Currency, Micros>>, leastDecimals = 0): Html {
  const all = Object.entries(byCurrency).map(([currency, micros]) => amount(micros, currency, leastDecimals));
  return all.length === 1 ? html`${all}` : all.length === 0 ? NONE : html`${all.map((one) => html`<div>${one}</div>`)}`;
}

/** In UTC, to the second. */
export function instant(at: number | null): Html {
  if (at === null) {
    return NONE;
  }
  return html`<time datetime="${new Date(at).toISOString()}">${dateAndTime(at)}</time>`;
}

/** Only its UTC day, where the day is enough. */
export function dayOf(at: number | null): Html {
  return at === null ? NONE : html`<time datetime="${new Date(at).toISOString()}"><span>${isoDate(at)}</span></time>`;
}

/** What only this process knows, so that no report has it: the same text, and not marked as a value of a report. */
export function plainInstant(at: number): Html {
  return html`<span class="time">${dateAndTime(at)}</span>`;
}

/** Both can stand on a line of their own, and neither is broken. */
function dateAndTime(at: number): Html {
  const iso = new Date(at).toISOString();
  return html`<span>${iso.slice(0, 10)}</span> <span>${iso.slice(11, 19)} UTC</span>`;
}

/** `1,234`: a number of the report. */
export function count(number: number): Html {
  return html`<data class="count" value="${number}">${number.toLocaleString("en-US")}</data>`;
}

/** `1 page`, `1,234 pages` */
export function counted(number: number, one: string, many = `${one}s`): Html {
  return html`${count(number)} ${number === 1 ? one : many}`;
}

/** `2026-11-20`, of UTC. */
export function day(date: string): Html {
  return html`<time datetime="${date}"><span>${date}</span></time>`;
}

/** A word of the output, such as a state. `tone` is how a person should take it; the word says it too. */
export function badge(word: string, tone: "good" | "caution" | "bad" | "plain" = "plain"): Html {
  return html`<span class="badge ${tone}">${word}</span>`;
}

/** An address of this service: what stands in `${}` is one part of a path or one value of a query. */
export function address(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return parts.reduce((joined, part, index) => joined + encodeURIComponent(String(values[index - 1] ?? "")) + part);
}

/** `?site=…&cursor=…`: without what is undefined, null or empty. */
export function query(given: Readonly<Record<string, string | number | null | undefined>>): string {
  const named = Object.entries(given).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null || value === "" ? [] : [[name, String(value)]],
  );
  return named.length === 0 ? "" : `?${new URLSearchParams(named)}`;
}

/** A link to the page of an action. */
export function button(to: string, text: HtmlValue): Html {
  return html`<a class="button" href="${to}">${text}</a>`;
}

/** A link within the service. */
export function link(to: string, text: HtmlValue): Html {
  return html`<a href="${to}">${text}</a>`;
}
