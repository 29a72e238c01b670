// Smoke mode (SMOKE=1): each benchmark runs once on its smallest data, in seconds, and writes no results. Its figures mean nothing.
export const isSmoke = process.env['SMOKE'] === '1';

/** A number from the environment, or its default. In smoke mode, the number for that. */
export function numberFrom(name: string, usual: number, smoke: number): number {
  return isSmoke ? smoke : Number(process.env[name] ?? usual);
}
