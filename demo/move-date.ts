/** Gives this process another time of day: `Date` runs on as it did, so many ms ahead. Timers wait as long as before. */
export function moveDate(aheadMs: number): void {
  const machine = globalThis.Date;
  const now = () => machine.now() + aheadMs;
  globalThis.Date = new Proxy(machine, {
    construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
    apply: () => new machine(now()).toString(),
    get: (target, name, receiver) => (name === "now" ? now : Reflect.get(target, name, receiver)),
  });
}
