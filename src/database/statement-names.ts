/** So many different statements are prepared on each connection; what comes after those is not. */
const namesMax = 500;

/** What is in the statements whose best plan depends on their values. */
const unprepared = [' LIKE ', ' && facet_keys(', 'label_set('];

/**
 * Names for statements, so that PostgreSQL parses and plans each of them once a connection. Searches and
 * filters by facets or by absent labels are left out: what their best plan is depends on what is looked for.
 */
export function statementNames(): (statement: { sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    const isPrepared = names.size < namesMax && !unprepared.some((part) => sql.includes(part));
    const name = isPrepared ? `s${names.size}` : '';
    if (isPrepared) names.set(sql, name);
    return name;
  };
}
