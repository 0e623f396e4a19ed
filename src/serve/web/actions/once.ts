/** Does what a form asks for once, however often the form is sent: twice, in two tabs, or again after a restart of the service. */
import type { Act } from "../../../ledger/act-ledger.ts";
import type { Ledger } from "../../../ledger/ledger.ts";

export type DoOnce = (requestKey: string, work: () => Promise<unknown>) => Promise<Act | null>;

/**
 * The ledger writes the key of the request with the act, in the transaction that does it. In this process, a second form waits for the first one: both get the
 * same end.
 */
export function createDoOnce(ledger: () => Promise<Pick<Ledger, "findAct">>): DoOnce {
  const underWay = new Map<string, Promise<Act | null>>();

  async function work(requestKey: string, act: () => Promise<unknown>): Promise<Act | null> {
    const done = await (await ledger()).findAct(requestKey);
    if (done !== null) {
      return done;
    }
    try {
      await act();
    } catch (error) {
      // It may have been done all the same, such as by the service that stopped meanwhile.
      const known = await (await ledger()).findAct(requestKey);
      if (known === null) {
        throw error;
      }
      return known;
    }
    return (await ledger()).findAct(requestKey);
  }

  return (requestKey, act) => {
    const known = underWay.get(requestKey) ?? work(requestKey, act).finally(() => underWay.delete(requestKey));
    underWay.set(requestKey, known);
    return known;
  };
}
