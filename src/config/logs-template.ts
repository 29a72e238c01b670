// The template of links to logs. The host is fixed, so that a name in a link cannot lead to another host.
import { z } from 'zod';

/** The placeholders of a template, with their values for a workload. */
export interface LogsPlaceholders {
  /** agent, sandbox or job. */
  kind: string;
  workspace: string;
  name: string;
  /** ID of the execution; empty for agents and sandboxes. */
  execution: string;
  /** Name of the task; empty unless the link is for a task. */
  task: string;
  /** Start and end of the time range, in RFC 3339. */
  from: string;
  to: string;
}

const names = [
  'kind',
  'workspace',
  'name',
  'execution',
  'task',
  'from',
  'to',
] as const satisfies readonly (keyof LogsPlaceholders)[];

const placeholder = new RegExp(`\\{(${names.join('|')})\\}`, 'g');

const fixedHost = /^https?:\/\/[^\s/?#{}@\\]+(?:[/?#]|$)/i;

export const logsTemplate = z
  .string()
  .refine(
    isTemplate,
    `must be an http:// or https:// URL with a fixed host. Allowed placeholders: ${names.map((name) => `{${name}}`).join(', ')}`,
  );

function isTemplate(template: string): boolean {
  const filled = template.replaceAll(placeholder, 'x');
  return fixedHost.test(template) && !/[\s{}]/.test(filled) && URL.canParse(filled);
}

/** The link for a workload: each placeholder becomes its URL-encoded value. */
export function logsUrlFrom(template: string, values: LogsPlaceholders): string {
  return names.reduce((url, name) => url.replaceAll(`{${name}}`, () => encodeURIComponent(values[name])), template);
}
