// `apply -f …`: the platform as files of documents have it.
import { applyDocuments } from '../manifests/apply.js';
import type { Outcome } from '../manifests/apply.js';
import { readDocumentFiles, UnreadableFileError } from '../manifests/document-files.js';
import type { DocumentFiles } from '../manifests/document-files.js';
import { GatewayError } from '../manifests/gateway.js';
import { prune } from '../manifests/prune.js';
import { createApplyReport } from './apply-report.js';
import type { ApplyReport } from './apply-report.js';
import { UsageError } from './command.js';
import type { GatewayCommand, GatewaySession, Given } from './gateway-command.js';

export const applyCommand: GatewayCommand = {
  name: 'apply',
  summary: 'Make and change what the documents of files say, and nothing that is so already.',
  arguments: [],
  options: [
    {
      flag: 'file',
      short: 'f',
      placeholder: 'FILE|FOLDER|-',
      description: 'YAML or JSON, several documents a file; all files below a folder; - reads standard input.',
      isRequired: true,
    },
    {
      flag: 'workspace',
      placeholder: 'WORKSPACE',
      description: 'Where documents are that name no workspace.',
      isRequired: false,
    },
    {
      flag: 'dry-run',
      placeholder: '',
      description: 'Change nothing, and show what would change.',
      isRequired: false,
      isSwitch: true,
    },
    {
      flag: 'prune',
      placeholder: 'LABEL=VALUE',
      description: 'Remove what carries this label in the workspaces of the documents, and is in none of them.',
      isRequired: false,
    },
    { flag: 'json', placeholder: '', description: 'Print JSON for programs.', isRequired: false, isSwitch: true },
  ],
  run: async (session, given) => {
    const isDryRun = given.has('dry-run');
    const label = labelOf(given.text('prune'));
    const files = await readFiles(session, given);
    const report = createApplyReport({ isDryRun, isJson: given.has('json') });
    if (files.bad.length > 0) refuseAll(files, report);
    else await carryOut(session, files, report, { isDryRun, label, workspace: given.text('workspace') });
    return report.result();
  },
};

async function readFiles({ folder, standardInput }: GatewaySession, given: Given): Promise<DocumentFiles> {
  const from = given.text('file') ?? '';
  try {
    const files = await readDocumentFiles({ from, folder, standardInput, workspace: given.text('workspace') });
    if (files.documents.length + files.bad.length === 0) throw new UsageError(`${from}: there is no document in it`);
    return files;
  } catch (error) {
    throw error instanceof UnreadableFileError ? new UsageError(error.message) : error;
  }
}

function refuseAll({ bad }: DocumentFiles, report: ApplyReport): void {
  for (const { place, problems } of bad) report.unreadable(place, problems);
  report.remark('Nothing was changed: documents that cannot be read come first.');
}

interface Options {
  isDryRun: boolean;
  label: { key: string; value: string } | undefined;
  workspace: string | undefined;
}

async function carryOut(
  { gateway }: GatewaySession,
  { documents }: DocumentFiles,
  report: ApplyReport,
  { isDryRun, label, workspace }: Options,
): Promise<void> {
  let refused = 0;
  let told = 0;
  const tell = (outcome: Outcome) => {
    told++;
    if (outcome.action === 'refused') refused++;
    report.outcome(outcome);
  };
  try {
    await applyDocuments(gateway, documents, { isDryRun, tell });
    if (label === undefined) return;
    if (refused > 0) report.remark('Nothing was removed: what is refused comes first.');
    else {
      const named = documents.map((document) => (document.kind.isFlat ? document.name : document.workspace));
      const workspaces = [...new Set(workspace === undefined ? named : [...named, workspace])];
      await prune(gateway, { label, workspaces, documents, isDryRun, tell });
    }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    report.failure(error.message);
    const left = documents.length - told;
    if (left > 0) report.remark(`${left} documents were not carried out: apply them again.`);
  }
}

function labelOf(text: string | undefined): { key: string; value: string } | undefined {
  if (text === undefined) return undefined;
  const [key = '', ...value] = text.split('=');
  if (key === '' || value.length === 0) throw new UsageError('--prune: must be a label and its value: team=care');
  return { key, value: value.join('=') };
}
