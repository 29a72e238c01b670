import { z } from 'zod';

/** One of the words of a closed list, as a schema. */
export function oneOf<Word extends string>(table: Readonly<Record<Word, string>>): z.ZodEnum<{ [Key in Word]: Key }> {
  return z.enum(Object.keys(table).filter((word): word is Word => Object.hasOwn(table, word)));
}
