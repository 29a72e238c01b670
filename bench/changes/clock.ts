/** Milliseconds on the one clock that all processes of a machine share, from no moment in particular. */
export function sharedMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}
