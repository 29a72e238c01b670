/** The document of a mutation with its payload, or with the error and its problems, as `result`. */
export function mutationDocument(name: string, selection: string): string {
  const type = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  return `mutation ${type}($input: ${type}Input!) {
    result: ${name}(input: $input) {
      ... on ${type}Payload { ${selection} }
      ... on Error { code message }
      ... on InvalidInputError { problems { path message } }
      ... on ConflictError { usedBy { kind name } usedByCount }
    }
  }`;
}
