import { z } from 'zod';

type Words = Readonly<Record<string, string>>;

const tables = z.registry<{ words: Words }>();

/** One of the words of a closed list, as a schema, which remembers what the table says of each word. */
export function oneOf<Word extends string>(table: Readonly<Record<Word, string>>): z.ZodEnum<{ [Key in Word]: Key }> {
  const words = Object.keys(table).filter((word): word is Word => Object.hasOwn(table, word));
  const schema = z.enum(words);
  tables.add(schema, { words: table });
  return schema;
}

/** The table that a schema of words was made from. */
export function wordsOf(schema: z.core.$ZodType): Words {
  const { words } = tables.get(schema) ?? {};
  if (words === undefined) throw new Error('A closed list of words is made by oneOf');
  return words;
}
