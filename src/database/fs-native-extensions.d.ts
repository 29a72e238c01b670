declare module 'fs-native-extensions' {
  /** Takes an exclusive lock on the whole file for as long as the descriptor is open; false when another has it. */
  export function tryLock(descriptor: number): boolean;
}
