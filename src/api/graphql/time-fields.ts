/** The options of a field that is a time of its parent. */
export function timeField<Name extends string>(name: Name, description: string) {
  return {
    type: 'DateTime',
    nullable: false,
    description,
    resolve: (parent: Readonly<Record<Name, Date>>) => parent[name].toISOString(),
  } as const;
}

/** The same for a time that can be absent, as which the field is null. */
export function optionalTimeField<Name extends string>(name: Name, description: string) {
  return {
    type: 'DateTime',
    description,
    resolve: (parent: Readonly<Partial<Record<Name, Date | null | undefined>>>) => parent[name]?.toISOString(),
  } as const;
}
