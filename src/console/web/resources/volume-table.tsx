import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { formatMegabytes } from '../look/amount.js';
import { capitalize } from '../look/labels.js';
import { Section } from './section.js';

interface Attachment {
  name: string;
  type: 'PERSISTENT' | 'EPHEMERAL';
  mountPath: string;
  readOnly: boolean | null;
  sizeMb: number | null;
}

export function VolumeTable({
  volumes,
  workspace,
}: {
  volumes: readonly Attachment[] | null;
  workspace: string;
}): ReactElement | null {
  if (volumes === null || volumes.length === 0) return null;
  return (
    <Section title="Volumes">
      <div className="table-space">
        <table className="plain-table">
          <thead>
            <tr>
              <th scope="col">Volume</th>
              <th scope="col">Mount path</th>
              <th scope="col">Type</th>
            </tr>
          </thead>
          <tbody>
            {volumes.map(({ name, type, mountPath, readOnly, sizeMb }) => (
              <tr key={mountPath}>
                <td className="mono">
                  {type === 'PERSISTENT' ? (
                    <Link to="/w/$workspace/$kind/$name" params={{ workspace, kind: 'volumes', name }}>
                      {name}
                    </Link>
                  ) : (
                    name
                  )}
                </td>
                <td className="mono">{mountPath}</td>
                <td>
                  {capitalize(type.toLowerCase())}
                  {sizeMb === null ? '' : `, ${formatMegabytes(sizeMb)}`}
                  {readOnly === true ? ', read-only' : ''}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
