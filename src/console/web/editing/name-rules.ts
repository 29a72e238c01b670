/** The violated rule of a name, while it is typed; undefined if there is none. The service has the same rule. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return undefined;
  if (/[A-Z]/.test(name)) return 'Only lowercase letters.';
  const wrong = /[^a-z0-9-]/u.exec(name)?.[0];
  if (wrong !== undefined) return `Only letters, digits and hyphens, not “${wrong === ' ' ? 'space' : wrong}”.`;
  if (name.startsWith('-')) return 'Starts with a letter or digit.';
  if (name.length > nameLengthMax) return `At most ${nameLengthMax} characters (now ${name.length}).`;
  if (name.endsWith('-')) return 'Ends with a letter or digit.';
  return undefined;
}

const nameLengthMax = 49;
