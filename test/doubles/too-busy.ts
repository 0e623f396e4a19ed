import { PATIENCE } from "./patience.ts";

const TOO_BUSY = /it takes longer than \d+ ms to read|the thread that reads the ledger ended/;

interface Answered {
  readonly status: number;
  readonly text: string;
}

/**
 * Asks again, as the service says, while its machine is too busy to read the ledger in the time that a reading has. How busy a machine is must not
 * decide a test.
 */
export async function askUntilRead<Answer extends Answered>(ask: () => Promise<Answer>): Promise<Answer> {
  const until = performance.now() + PATIENCE.timeout;
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503 || !TOO_BUSY.test(answer.text) || performance.now() > until) {
      return answer;
    }
  }
}
