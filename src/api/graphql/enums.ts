/**
 * The constants of a table as values of a GraphQL enum: `http-async` becomes HTTP_ASYNC, and
 * `createdAt` becomes CREATED_AT, each with its description.
 */
export function enumValues<Word extends string>(
  table: Readonly<Partial<Record<Word, string>>>,
): Record<string, { value: Word; description: string }> {
  const isWord = (word: string): word is Word => word in table;
  return Object.fromEntries(
    Object.keys(table)
      .filter(isWord)
      .map((word) => [enumName(word), { value: word, description: table[word] ?? '' }]),
  );
}

/** The name of a constant as a GraphQL enum value. */
export function enumName(word: string): string {
  return word
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]/g, '_')
    .toUpperCase();
}
