/** Parts of statements whose best plan depends on the values of their parameters. */
const unprepared = [' LIKE ', ' && filter_value_keys('];

/**
 * Names statements, so that PostgreSQL parses and plans each of them once per connection. Searches and filters by
 * indexed values get no name, because their best plan depends on the value.
 *
 * @param prefix of the names. Drivers that share connections need different ones.
 * @param namesMax how many different statements are prepared on each connection; further ones are not prepared.
 */
export function statementNames(prefix: string, namesMax: number): (statement: { sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    const isPrepared = names.size < namesMax && !unprepared.some((part) => sql.includes(part));
    const name = isPrepared ? `${prefix}${names.size}` : '';
    if (isPrepared) names.set(sql, name);
    return name;
  };
}
