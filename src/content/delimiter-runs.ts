/**
 * How CommonMark reads runs of `*` and `~` (§ 6.2 and the procedure in its appendix; `~` as in GFM): which runs open, which
 * close, and which have no partner and stay in the text.
 */

export interface DelimiterRun {
  readonly sign: "*" | "~";
  readonly length: number;
  readonly canOpen: boolean;
  readonly canClose: boolean;
  /** The emphases that should begin and end at this run. */
  readonly opens: ReadonlySet<object>;
  readonly closes: ReadonlySet<object>;
}

/** The most runs that are searched for a partner. Only a page made for that purpose has more open runs. */
const MAX_LOOK_BACK = 1_000;

const WHITESPACE = /[\s\p{Zs}]/u;
/** The private characters are code and a `!`. */
const PUNCTUATION = /[\p{P}\p{S}\uE000-\uE002]/u;

/** Says whether a run between these characters may open and close. The ends of the text count as white space. */
export function flanking(before: string, after: string): Pick<DelimiterRun, "canOpen" | "canClose"> {
  const isSpaceBefore = before === "" || WHITESPACE.test(before);
  const isSpaceAfter = after === "" || WHITESPACE.test(after);
  const isPunctuationBefore = PUNCTUATION.test(before);
  const isPunctuationAfter = PUNCTUATION.test(after);
  return {
    canOpen: !isSpaceAfter && (!isPunctuationAfter || isSpaceBefore || isPunctuationBefore),
    canClose: !isSpaceBefore && (!isPunctuationBefore || isSpaceAfter || isPunctuationAfter),
  };
}

/**
 * The indexes of the runs that a reader would interpret differently: a part of the run stays unpaired, or another run would be
 * paired with it first. The text is treated as one paragraph. When no such run is found, each pair is within its own paragraph,
 * cell or link, so their borders change nothing.
 */
export function findMisread(runs: readonly DelimiterRun[]): ReadonlySet<number> {
  const left = runs.map(({ length }) => length);
  const openers: number[] = [];
  const misread = new Set<number>();
  for (const [index, run] of runs.entries()) {
    let place = run.canClose ? findOpener(runs, left, openers, index) : -1;
    while (place !== -1) {
      const opener = openers[place] as number;
      // Openers between the two can no longer be paired.
      openers.length = place + 1;
      const isMeant = isPair(runs[opener] as DelimiterRun, run);
      const used = isMeant ? Math.min(2, left[opener] ?? 0, left[index] ?? 0) : 0;
      left[opener] = (left[opener] ?? 0) - used;
      left[index] = (left[index] ?? 0) - used;
      if (!isMeant) {
        misread.add(opener);
      }
      if (!isMeant || left[opener] === 0) {
        openers.pop();
      }
      place = left[index] === 0 ? -1 : findOpener(runs, left, openers, index);
    }
    if ((left[index] ?? 0) > 0 && run.canOpen) {
      openers.push(index);
    }
  }
  for (const [index, length] of left.entries()) {
    if (length > 0) {
      misread.add(index);
    }
  }
  return misread;
}

function isPair({ opens }: DelimiterRun, { closes }: DelimiterRun): boolean {
  const [few, many] = opens.size < closes.size ? [opens, closes] : [closes, opens];
  for (const pair of few) {
    if (many.has(pair)) {
      return true;
    }
  }
  return false;
}

/** The index in `openers` of the nearest opener that this run closes, or -1. */
function findOpener(
  runs: readonly DelimiterRun[],
  left: readonly number[],
  openers: readonly number[],
  closer: number,
): number {
  const run = runs[closer] as DelimiterRun;
  for (let place = openers.length - 1; place >= Math.max(0, openers.length - MAX_LOOK_BACK); place--) {
    const index = openers[place] as number;
    const opener = runs[index] as DelimiterRun;
    const isOdd = (run.canOpen || opener.canClose) && run.length % 3 !== 0 && (run.length + opener.length) % 3 === 0;
    // A strikethrough uses two signs at once.
    const isWhole = run.sign === "*" || Math.min(left[index] ?? 0, left[closer] ?? 0) >= 2;
    if (opener.sign === run.sign && !isOdd && isWhole) {
      return place;
    }
  }
  return -1;
}
