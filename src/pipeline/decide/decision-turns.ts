/**
 * Whose turn it is to be decided. The rates of several batches are asked for at once, and the answers come in any order. The pages of a site
 * are decided in the order of its catalog all the same, so that the same world spends a short budget on the same pages.
 */

export interface DecisionTurns {
  /** Call it before anything is awaited: batches enter in the order in which they were leased. */
  enter(): DecisionTurn;
}

export interface DecisionTurn {
  /** Says what the batch is of, once it is read. Until then it holds up every later batch. */
  isOf(host: string): void;
  /** Resolves when no earlier batch of the site is being quoted in this process. */
  wait(): Promise<void>;
  /** Lets later batches pass. A batch that is returned for another attempt leaves too, so it holds up nobody. */
  leave(): void;
}

interface Entered {
  /** null until the batch was read. */
  host: string | null;
}

export function createDecisionTurns(): DecisionTurns {
  const entered = new Set<Entered>();
  let wakers: (() => void)[] = [];

  function wake(): void {
    const waiting = wakers;
    wakers = [];
    for (const resume of waiting) {
      resume();
    }
  }

  /** A set keeps the order of entering. */
  function isFirst(turn: Entered): boolean {
    for (const other of entered) {
      if (other === turn) {
        return true;
      }
      if (other.host === null || other.host === turn.host) {
        return false;
      }
    }
    return true;
  }

  return {
    enter() {
      const turn: Entered = { host: null };
      entered.add(turn);
      return {
        isOf(host) {
          turn.host = host;
          wake();
        },
        async wait() {
          while (!isFirst(turn)) {
            await new Promise<void>((resume) => wakers.push(resume));
          }
        },
        leave() {
          entered.delete(turn);
          wake();
        },
      };
    },
  };
}
