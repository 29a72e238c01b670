// A spec in the format of the specification, without unset fields.

export type Plain = string | number | boolean | Plain[] | { [name: string]: Plain };

/** A value without type names and nulls, and with enums as in the specification. */
export function plainFrom(value: unknown, name = '', holder = ''): Plain | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return isEnumField(name, holder) ? value.toLowerCase().replaceAll('_', '-') : value;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.flatMap((each) => plainFrom(each, name, holder) ?? []);
  if (typeof value !== 'object') return undefined;
  const fields = Object.entries(value).flatMap(([key, each]): [string, Plain][] => {
    const plain = key === '__typename' ? undefined : plainFrom(each, key, name);
    return plain === undefined ? [] : [[key, plain]];
  });
  return Object.fromEntries(fields);
}

/** The value as GraphQL input. */
export function inputFrom(value: Plain, name = '', holder = ''): Plain {
  if (typeof value === 'string') return isEnumField(name, holder) ? value.toUpperCase().replaceAll('-', '_') : value;
  if (Array.isArray(value)) return value.map((each) => inputFrom(each, name, holder));
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inputFrom(each, key, name)]));
}

function isEnumField(name: string, holder: string): boolean {
  // Labels and headers have any names.
  return (
    (name === 'generation' && holder === 'runtime') ||
    (name === 'type' && (holder === 'triggers' || holder === 'volumes'))
  );
}

/** A spec as YAML. Texts that YAML would read as other types are quoted. */
export function yamlOf(value: Plain, indent = ''): string {
  if (Array.isArray(value)) {
    return value.length === 0 ? `${indent}[]\n` : value.map((each) => listItem(each, indent)).join('');
  }
  if (typeof value !== 'object') return `${indent}${scalar(value)}\n`;
  const entries = Object.entries(value);
  if (entries.length === 0) return `${indent}{}\n`;
  return entries.map(([key, each]) => `${indent}${scalar(key)}:${tail(each, indent)}`).join('');
}

function tail(value: Plain, indent: string): string {
  if (typeof value !== 'object') return ` ${scalar(value)}\n`;
  const isEmpty = Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
  if (isEmpty) return Array.isArray(value) ? ' []\n' : ' {}\n';
  return `\n${yamlOf(value, `${indent}  `)}`;
}

function listItem(value: Plain, indent: string): string {
  const body = yamlOf(value, `${indent}  `);
  return `${indent}- ${body.slice(indent.length + 2)}`;
}

function scalar(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value);
  const isPlain =
    /^[A-Za-z_/][\w ./@+-]*$/.test(value) &&
    !/^(true|false|null|yes|no|on|off|~)$/i.test(value) &&
    !value.endsWith(' ');
  return isPlain ? value : JSON.stringify(value);
}
