const machine = globalThis.Date;
let aheadMs = 0;

/** Gives this process another time of day: `Date` runs on as it did, so many ms ahead of the machine's clock. Timers wait as long as before. */
export function moveDate(ms: number): void {
  aheadMs = ms;
  globalThis.Date = ms === 0 ? machine : MOVED;
}

/** As `moveDate`, so that it is this instant now, epoch ms. */
export function moveDateTo(at: number): void {
  moveDate(at - machine.now());
}

/** What the machine's clock says, epoch ms. */
export function machineTime(): number {
  return machine.now();
}

const now = () => machine.now() + aheadMs;
const MOVED = new Proxy(machine, {
  construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  apply: () => new machine(now()).toString(),
  get: (target, name, receiver) => (name === "now" ? now : Reflect.get(target, name, receiver)),
});
