// The desired state of the demo: manifests, read in the same way as by `apply`. The other files of this folder add the
// history.
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { readDocumentFiles } from '../manifests/document-files.js';
import type { Document } from '../manifests/document.js';
import { demoAccounts } from './company.js';

/** A folder for each account, with a folder for each of its workspaces. */
const folder = fileURLToPath(new URL('platform', import.meta.url));

const documents = await readPlatform();

/** The documents of a kind in a workspace, in the order of their file; for a workspace itself a single document. */
export function documentsOf(kind: string, workspace: string): readonly Document[] {
  return documents.get(`${kind} ${workspace}`) ?? [];
}

/** The default number of agents in a workspace. */
export function usualAgentCount(workspace: string): number {
  return documentsOf('Agent', workspace).length;
}

/** Reads one workspace at a time, so that a gateway in the same process is not blocked for long. */
async function readPlatform(): Promise<Map<string, Document[]>> {
  const found = new Map<string, Document[]>();
  const standardInput = Readable.from([]);
  for (const { name, workspaces } of demoAccounts) {
    for (const part of ['workspaces.yaml', ...workspaces]) {
      const read = await readDocumentFiles({ from: join(name, part), folder, standardInput, workspace: undefined });
      const [bad] = read.bad;
      if (bad !== undefined) throw new Error(`The platform of the demo cannot be read: ${JSON.stringify(bad)}`);
      for (const document of read.documents) {
        const key = `${document.kind.name} ${document.kind.isFlat === true ? document.name : document.workspace}`;
        found.set(key, [...(found.get(key) ?? []), document]);
      }
    }
  }
  return found;
}
