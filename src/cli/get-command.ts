// `get KIND [NAME]` prints resources as manifests for `apply`.
import { yamlText } from '../input/yaml.js';
import { applyKindOf, applyKinds, isInWorkspace } from '../manifests/apply-kind.js';
import type { ApplyKind } from '../manifests/apply-kind.js';
import { documentOf } from '../manifests/document.js';
import { listAll, readResource } from '../manifests/read-resources.js';
import type { Resource } from '../manifests/read-resources.js';
import type { Values } from '../manifests/shape-document.js';
import { UsageError } from './command.js';
import { option, switchOption } from './gateway-command.js';
import type { GatewayCommand, GatewaySession, Given } from './gateway-command.js';
import { createPrint } from './print.js';
import type { CommandResult } from './print.js';

const forms = ['table', 'yaml', 'json'] as const;
type Form = (typeof forms)[number];

const everything = 'all';

export const getCommand: GatewayCommand = {
  name: 'get',
  summary: 'Print resources as a table, or as manifests for apply.',
  arguments: [
    {
      flag: 'kind',
      placeholder: 'KIND',
      description: `Resource kind: ${applyKinds.map(({ name }) => name).join(', ')}, or all.`,
      isRequired: true,
      values: [...applyKinds.map(({ name }) => name), everything],
    },
    option('name', 'NAME', 'Name of one resource. Default: all.'),
  ],
  options: [
    option('workspace', 'WORKSPACE', 'Workspace of the resources.'),
    option('sandbox', 'NAME', 'Sandbox of the previews.'),
    option('vpc', 'NAME', 'VPC of the egress gateways or egress IPs.'),
    option('gateway', 'NAME', 'Egress gateway of the egress IPs.'),
    { ...option('output', 'yaml|json|table', 'Output format. Default: table.', forms), short: 'o' },
    switchOption('json', 'Print JSON, as -o json does.'),
  ],
  run: async ({ gateway }, given) => {
    const form = formOf(given.text('output') ?? (given.has('json') ? 'json' : 'table'));
    const name = given.text('name');
    if (name !== undefined) return printed(form, [await one(gateway, given, name)], true);
    const found: Resource[][] = [];
    for (const kind of kindsOf(given)) {
      const listing = { kind, workspace: workspaceOf(kind, given), parents: parentsOf(kind, given) };
      found.push(await listAll(gateway, listing));
    }
    return printed(form, found.flat(), false);
  },
};

async function one(gateway: GatewaySession['gateway'], given: Given, name: string): Promise<Resource> {
  const kind = kindOf(given.text('kind') ?? '');
  const parents = parentsOf(kind, given);
  const missing = kind.parents[parents.length];
  if (missing !== undefined) throw new UsageError(`"get ${kind.name} NAME" requires --${missing.field}`);
  const found = await readResource(gateway, { kind, workspace: workspaceOf(kind, given), parents, name });
  if (found === undefined) throw new Error(`There is no ${kind.name} named ${JSON.stringify(name)} here.`);
  return found;
}

function kindsOf(given: Given): ApplyKind[] {
  const word = given.text('kind') ?? '';
  if (word !== everything) return [kindOf(word)];
  return applyKinds.filter(isInWorkspace);
}

function kindOf(word: string): ApplyKind {
  const kind = applyKindOf(word);
  if (kind === undefined) {
    throw new UsageError(`KIND: must be one of: ${applyKinds.map(({ name }) => name).join(', ')}`);
  }
  return kind;
}

function formOf(word: string): Form {
  const form = forms.find((each) => each === word);
  if (form === undefined) throw new UsageError(`-o, --output: must be one of: ${forms.join(', ')}`);
  return form;
}

function workspaceOf(kind: ApplyKind, given: Given): string {
  if (!isInWorkspace(kind)) return '';
  const workspace = given.text('workspace');
  if (workspace === undefined) throw new UsageError(`"get ${kind.name}" requires --workspace WORKSPACE`);
  return workspace;
}

/** The given parents, outermost first. */
function parentsOf(kind: ApplyKind, given: Given): string[] {
  const names = kind.parents.map(({ field }) => given.text(field));
  const first = names.indexOf(undefined);
  const known = first === -1 ? names : names.slice(0, first);
  const stray = names.findIndex((name, depth) => name !== undefined && depth >= known.length);
  if (stray !== -1)
    throw new UsageError(`--${kind.parents[stray]?.field} requires --${kind.parents[known.length]?.field}`);
  return known.flatMap((name) => name ?? []);
}

function printed(form: Form, found: Resource[], isOne: boolean): CommandResult {
  if (form === 'table') return printedTable(found);
  const documents: Values[] = found.map((each) => documentOf(each, { ...each.metadata, ...each.origin }, each.spec));
  const stdout =
    form === 'json'
      ? `${JSON.stringify(isOne ? documents[0] : documents, null, 2)}\n`
      : documents.map(yamlText).join('---\n');
  return { stdout, stderr: '', exitCode: 0 };
}

function printedTable(found: Resource[]): CommandResult {
  const { print, result } = createPrint(false);
  const rows = found.map(({ kind, parents, name, status, unknownSince, metadata, version }) => ({
    kind: kind.name,
    name: [...parents, name].join('/'),
    status: unknownSince === undefined ? (status ?? null) : `Unknown since ${unknownSince}`,
    displayName: typeof metadata['displayName'] === 'string' ? metadata['displayName'] : null,
    labels: Object.entries(metadata['labels'] ?? {})
      .map(([key, value]) => `${key}=${String(value)}`)
      .join(' '),
    version: String(version),
  }));
  print.table(['kind', 'name', 'status', 'displayName', 'labels', 'version'], rows);
  return result;
}
