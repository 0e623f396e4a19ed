/**
 * The wall clock of this process, wrong by some milliseconds, and wrong by some more after a while of real time, or when it gets so many SIGUSR2: as when an
 * operator or a time service sets it. Timers go on as they do: the machine's monotonic clock does not jump.
 * @param {{ startMs: number, jumps: ({ afterMs: number, byMs: number } | { onSignal: number, byMs: number })[] }} order
 */
export function jumpClock({ startMs, jumps }) {
  const { now } = Date;
  const begin = now();
  let signals = 0;
  process.on("SIGUSR2", () => {
    signals += 1;
  });
  Date.now = () => {
    const real = now();
    const passed = jumps.filter(({ afterMs, onSignal }) =>
      onSignal === undefined ? real - begin >= afterMs : signals >= onSignal,
    );
    return real + startMs + passed.reduce((sum, { byMs }) => sum + byMs, 0);
  };
}
