/**
 * The globs of licet, on paths:
 *
 *     *      any characters of one segment; alone in its segment, at least one
 *     **     any number of segments, or none; it must be alone between slashes
 *     ?      one character of a segment
 *     {a,b}  a or b; alternatives may be empty, and may contain slashes, wildcards and braces
 *
 * Every other character matches itself. A glob that ends in `*` also accepts a slash at the end of a path: `/news/*` matches
 * `/news/world/`. `/news/**` also matches `/news`. When the segment before the final `**` ends in `*`, the slash is required.
 *
 * Characters with a meaning in other glob dialects are refused, because a rule with an unexpected meaning would buy the wrong pages.
 * The author of a catalog chooses the paths, so the work is bounded: for each combination of alternatives, at most the number of
 * characters of the glob multiplied by that of the path.
 */

const ANY_CHARACTER = Symbol("?");
const STAR = Symbol("*");
const MANY_SEGMENTS = Symbol("**");

type Token = string | typeof ANY_CHARACTER | typeof STAR;
/** A plain text when the segment contains no wildcard. */
type Segment = string | readonly Token[] | typeof MANY_SEGMENTS;

/** Each combination of the alternatives is matched separately. */
const MAX_ALTERNATIVES = 1_000;
/** Characters with a meaning in other glob dialects. A `+` after braces means repetition there. */
const FOREIGN = /[\\[\]()|]|\}\+/;
const INNERMOST_BRACES = /\{([^{}]*)\}/;
const TWO_STARS_WITH_MORE = /[^/]\*\*|\*\*[^/]/;

/** Returns why a text is not a valid glob, as the end of a sentence that begins with the text. Null when it is valid. */
export function findGlobProblem(glob: string): string | null {
  if (FOREIGN.test(glob)) {
    return "has one of \\ [ ] ( ) | }+, which are not part of a glob here: write * ** ? and {a,b}. For the character itself write its escape, such as %28 for (";
  }
  let rest = glob;
  for (let braces = INNERMOST_BRACES.exec(rest); braces !== null; braces = INNERMOST_BRACES.exec(rest)) {
    const [whole, inside = ""] = braces;
    if (!inside.includes(",") || inside.includes("..")) {
      return "has braces without alternatives such as {a,b}. For the brace itself write %7B or %7D";
    }
    rest = rest.replace(whole, "");
  }
  if (/[{}]/.test(rest)) {
    return "has a brace without a matching one. For the brace itself write %7B or %7D";
  }
  const alternatives = expandBraces(glob);
  if (alternatives === null) {
    return `has more than ${MAX_ALTERNATIVES} alternatives in its braces`;
  }
  // `/{a*,b}*` contains no `**` itself: two stars that become neighbours count as one.
  if (glob.includes("**") && alternatives.some((one) => TWO_STARS_WITH_MORE.test(one))) {
    return "has ** beside other characters: it stands alone between slashes, as in /**/*.pdf";
  }
  return alternatives.every((one) => /^(?:\/|\*\*)/.test(one)) ? null : "can match no path: start it with / or **";
}

/**
 * @param glob one that `findGlobProblem` accepts
 * @param spell how to spell the literal text between the wildcards; its result is never a wildcard
 * @returns whether a path, from `/`, matches
 * @throws Error for an invalid glob, because a rule that matches nothing has no effect
 */
export function compileGlob(glob: string, spell: (literal: string) => string): (path: string) => boolean {
  const problem = findGlobProblem(glob);
  if (problem !== null) {
    throw new Error(`a glob was not checked with the configuration: ${JSON.stringify(glob)} ${problem}`);
  }
  const alternatives = (expandBraces(glob) ?? []).map((one) => toSegments(one, spell));
  // A final `**` matches at least one segment when the slash is required.
  const [endsInStar, wantsSlash] = [glob.endsWith("*"), /(?<!\*)\*(?:\/\*\*)+$/.test(glob)];
  return (path) => {
    const segments = path.split("/");
    const shorter = segments.slice(0, -1);
    const spellings = wantsSlash ? [shorter] : endsInStar && path.endsWith("/") ? [segments, shorter] : [segments];
    return alternatives.some((one) => spellings.some((way) => matchAll(one, way, isManySegments, matchSegment)));
  };
}

/** All combinations of the braces' alternatives, expanded from the innermost brace outwards. Null when there are too many. */
function expandBraces(glob: string): readonly string[] | null {
  const found = [glob];
  const plain = new Set<string>();
  for (const one of found) {
    const [whole, inside] = INNERMOST_BRACES.exec(one) ?? [];
    if (whole === undefined || inside === undefined) {
      plain.add(one);
    } else {
      found.push(...inside.split(",").map((choice) => one.replace(whole, () => choice)));
    }
    if (found.length > MAX_ALTERNATIVES) {
      return null;
    }
  }
  return [...plain];
}

function toSegments(glob: string, spell: (literal: string) => string): readonly Segment[] {
  const rooted = glob.startsWith("**") ? `/${glob}` : glob;
  return rooted.split("/").flatMap((text): readonly Segment[] => {
    if (text === "**") {
      return [MANY_SEGMENTS];
    }
    return /[*?]/.test(text) ? splitAtSlashes(toTokens(text, spell)) : spell(text).split("/");
  });
}

/** An escaped slash is a literal character. */
function splitAtSlashes(tokens: readonly Token[]): readonly Segment[] {
  const slash = tokens.indexOf("/");
  return slash === -1 ? [tokens] : [tokens.slice(0, slash), ...splitAtSlashes(tokens.slice(slash + 1))];
}

function toTokens(text: string, spell: (literal: string) => string): readonly Token[] {
  return text.split(/([*?])/).flatMap((part, index): readonly Token[] => {
    const isLiteral = index % 2 === 0;
    return isLiteral ? [...spell(part)] : [part === "*" ? STAR : ANY_CHARACTER];
  });
}

function isManySegments(segment: Segment): boolean {
  return segment === MANY_SEGMENTS;
}

function matchSegment(glob: Segment, segment: string): boolean {
  if (typeof glob !== "object") {
    return glob === segment;
  }
  const isAny = (token: Token) => token === STAR;
  const takes = (token: Token, character: string) => token === ANY_CHARACTER || token === character;
  return segment === "" ? glob.length === 0 : matchAll(glob, [...segment], isAny, takes);
}

/**
 * Says whether the parts match all items in order: each part one item, each wildcard any number. The search goes back only to the
 * last wildcard, because the last wildcard can match everything that an earlier one could leave.
 */
function matchAll<Part, Item>(
  parts: readonly Part[],
  items: readonly Item[],
  isWildcard: (part: Part) => boolean,
  takes: (part: Part, item: Item) => boolean,
): boolean {
  let at = 0;
  let wildcardAt = -1;
  let firstAfter = 0;
  for (let item = 0; item < items.length; ) {
    const part = parts[at];
    if (part !== undefined && isWildcard(part)) {
      wildcardAt = at++;
      firstAfter = item;
    } else if (part !== undefined && takes(part, items[item] as Item)) {
      at++;
      item++;
    } else if (wildcardAt >= 0) {
      at = wildcardAt + 1;
      item = ++firstAfter;
    } else {
      return false;
    }
  }
  return parts.slice(at).every(isWildcard);
}
