/**
 * A regular expression on texts that somebody hostile chose. JavaScript tries one way after the other through an expression, and
 * a text can be made so that there are more ways than anyone can wait for: three stars in one segment and a path of four
 * thousand dashes took twenty seconds. Where that could happen, all ways are followed at once: each state meets each
 * position of the text once, so the work is bounded by the product of the two lengths.
 */
import { parseRegex, type RegexNode, type UnitTest } from "./parse-regex.ts";

type State =
  | { readonly op: "unit"; readonly test: UnitTest; readonly next: number }
  | { readonly op: "split"; next: number; readonly other: number }
  | { readonly op: "start" | "end"; readonly next: number }
  | { readonly op: "ahead"; readonly negative: boolean; readonly body: number; readonly next: number }
  | { readonly op: "match" };

/** As many steps JavaScript may take for one text: some milliseconds at worst, and usual globs on usual paths stay below it. */
const MAX_NATIVE_STEPS = 2_000_000;

/**
 * The same answer as `regex.test(text)`, in bounded time. For expressions that are anchored at their beginning, with no flag
 * but `s`; one with what globs are not made of (parse-regex.ts) is left to JavaScript.
 */
export function createBoundedTest(regex: RegExp, maxNativeSteps = MAX_NATIVE_STEPS): (text: string) => boolean {
  const tree = parseRegex(regex.source);
  if (tree === null) {
    return (text) => regex.test(text);
  }
  const loops = countLoops(tree);
  const states: State[] = [{ op: "match" }];
  const first = addStates(states, tree, 0);
  return (text) => ((text.length + 1) ** loops <= maxNativeSteps ? regex.test(text) : run(states, first, text, 0));
}

/**
 * How often a way through the expression can part at each character: the exponent of the worst case. Infinite when a
 * repetition repeats a repetition, which doubles the ways with each character.
 */
function countLoops(node: RegexNode, isRepeated = false): number {
  switch (node.kind) {
    case "sequence":
    case "alternatives":
      return node.nodes.reduce((sum, one) => sum + countLoops(one, isRepeated), 0);
    case "repeat": {
      const repeats = node.max === Number.POSITIVE_INFINITY;
      const inner = countLoops(node.node, isRepeated || repeats);
      return repeats && isRepeated ? Number.POSITIVE_INFINITY : inner + (repeats ? 1 : 0);
    }
    case "ahead":
      return countLoops(node.node, isRepeated);
    case "unit":
    case "start":
    case "end":
      return 0;
    default:
      return node satisfies never;
  }
}

/** @returns the state in which the node begins */
function addStates(states: State[], node: RegexNode, next: number): number {
  const add = (state: State) => states.push(state) - 1;
  switch (node.kind) {
    case "unit":
      return add({ op: "unit", test: node.test, next });
    case "start":
    case "end":
      return add({ op: node.kind, next });
    case "sequence":
      return node.nodes.reduceRight((after, one) => addStates(states, one, after), next);
    case "alternatives":
      return node.nodes
        .map((one) => addStates(states, one, next))
        .reduce((other, one) => add({ op: "split", next: one, other }));
    case "ahead":
      return add({ op: "ahead", negative: node.negative, body: addStates(states, node.node, 0), next });
    case "repeat":
      return addRepeat(states, node, next);
    default:
      return node satisfies never;
  }
}

/** As many copies as must be, then a loop, or as many more that may be left out. */
function addRepeat(
  states: State[],
  { node, min, max }: Extract<RegexNode, { readonly kind: "repeat" }>,
  next: number,
): number {
  let first = next;
  if (max === Number.POSITIVE_INFINITY) {
    const loop: Extract<State, { readonly op: "split" }> = { op: "split", next: 0, other: next };
    first = states.push(loop) - 1;
    loop.next = addStates(states, node, first);
  } else {
    for (let copy = min; copy < max; copy++) {
      first = states.push({ op: "split", next: addStates(states, node, first), other: next }) - 1;
    }
  }
  for (let copy = 0; copy < min; copy++) {
    first = addStates(states, node, first);
  }
  return first;
}

/** Whether a match can be reached from this state at this position. */
function run(states: readonly State[], first: number, text: string, at: number): boolean {
  const seen = new Set<number>();
  const open: number[] = [];
  const visit = (state: number, position: number) => {
    const place = state * (text.length + 1) + position;
    if (!seen.has(place)) {
      seen.add(place);
      open.push(place);
    }
  };
  visit(first, at);
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const position = place % (text.length + 1);
    const state = states[(place - position) / (text.length + 1)] as State;
    switch (state.op) {
      case "match":
        return true;
      case "unit":
        if (position < text.length && state.test(text.charCodeAt(position))) {
          visit(state.next, position + 1);
        }
        break;
      case "split":
        visit(state.next, position);
        visit(state.other, position);
        break;
      case "start":
      case "end":
        if (position === (state.op === "start" ? 0 : text.length)) {
          visit(state.next, position);
        }
        break;
      case "ahead":
        if (run(states, state.body, text, position) !== state.negative) {
          visit(state.next, position);
        }
        break;
      default:
        state satisfies never;
    }
  }
  return false;
}
