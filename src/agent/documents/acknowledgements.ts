/**
 * Which documents of a cursor were acknowledged. They may be in any order: the cursor stands before the first one that is not. Calls that come
 * while the cursor is being moved share the next move, so a batch costs two writes and not one a document.
 */
export interface Acknowledgements {
  /** @throws LicetError USAGE_INVALID when too many documents wait for their acknowledgement */
  give(seq: number): void;
  /** Resolves when the cursor stands on disk where it may stand. */
  acknowledge(seq: number): Promise<void>;
  /** Nothing more is given: all up to here is settled, and the rest was not for this reader. */
  end(throughSeq: number): Promise<void>;
}

/** @param onTooMany makes the error when so many documents wait */
export function createAcknowledgements(
  cursor: { readonly seq: number; advance(seq: number): Promise<void> },
  { maxWaiting, onTooMany }: { readonly maxWaiting: number; readonly onTooMany: () => Error },
): Acknowledgements {
  /** Given and not yet passed, in order. */
  let given: number[] = [];
  let passed = 0;
  const acknowledged = new Set<number>();
  let mayStandAt = cursor.seq;
  let standsAt = cursor.seq;
  let moving: Promise<void> | null = null;

  function pass(): void {
    for (let seq = given[passed]; seq !== undefined && acknowledged.delete(seq); seq = given[passed]) {
      mayStandAt = seq;
      passed++;
    }
    if (passed > maxWaiting) {
      given = given.slice(passed);
      passed = 0;
    }
  }

  async function move(): Promise<void> {
    while (mayStandAt > standsAt) {
      const to = mayStandAt;
      await cursor.advance(to);
      standsAt = to;
    }
  }

  function moveShared(): Promise<void> {
    moving ??= move().finally(() => {
      moving = null;
    });
    return moving;
  }

  return {
    give: (seq) => {
      if (given.length - passed >= maxWaiting) {
        throw onTooMany();
      }
      given.push(seq);
    },
    acknowledge: (seq) => {
      if (seq > mayStandAt) {
        acknowledged.add(seq);
        pass();
      }
      return moveShared();
    },
    end: async (throughSeq) => {
      if (passed === given.length) {
        mayStandAt = Math.max(mayStandAt, throughSeq);
        await moveShared();
      }
    },
  };
}
