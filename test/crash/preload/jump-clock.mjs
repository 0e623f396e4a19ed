/**
 * The wall clock of this process, wrong by some milliseconds, and wrong by some more after a while of real time: as when an
 * operator or a time service sets it. Timers go on as they do: the machine's monotonic clock does not jump.
 * @param {{ startMs: number, jumps: { afterMs: number, byMs: number }[] }} order
 */
export function jumpClock({ startMs, jumps }) {
  const { now } = Date;
  const begin = now();
  Date.now = () => {
    const real = now();
    const passed = jumps.filter(({ afterMs }) => real - begin >= afterMs);
    return real + startMs + passed.reduce((sum, { byMs }) => sum + byMs, 0);
  };
}
