declare module 'fs-native-extensions' {
  /** Locks the whole file exclusively for as long as the descriptor is open. @returns false if it is locked. */
  export function tryLock(descriptor: number): boolean;
}
