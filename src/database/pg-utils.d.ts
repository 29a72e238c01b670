declare module 'pg/lib/utils.js' {
  const utils: {
    /** The text or the bytes of a value. @throws {Error} for an object that refers to itself */
    prepareValue: (value: unknown) => Buffer | string | null;
  };
  export default utils;
}
