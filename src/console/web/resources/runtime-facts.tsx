import type { ReactElement } from 'react';
import { formatCores, formatMegabytes } from '../look/amount.js';
import { CopyButton } from '../look/copy-button.js';
import { Fact, Section } from './section.js';

interface RuntimeFields {
  generation: 'MK2' | 'MK3' | null;
  image: string | null;
  memory: number | null;
}

const generations = { MK2: 'mk2, container', MK3: 'mk3, microVM' };

/** The runtime of a workload. */
export function RuntimeFacts({ runtime }: { runtime: RuntimeFields | null }): ReactElement | null {
  if (runtime === null) return null;
  const { generation, image, memory } = runtime;
  return (
    <>
      {generation !== null && <Fact name="Generation">{generations[generation]}</Fact>}
      {memory !== null && (
        <Fact name="Memory">
          {formatMegabytes(memory)} <span className="quiet">{formatCores(memory)}</span>
        </Fact>
      )}
      {image !== null && (
        <Fact name="Image">
          <span className="mono wrap">{image}</span>
          <CopyButton text={image} label="Copy image" />
        </Fact>
      )}
    </>
  );
}

interface EnvField {
  name: string;
  value: string | null;
  secret: boolean | null;
}

export function EnvSection({ envs }: { envs: readonly EnvField[] | null | undefined }): ReactElement | null {
  if (envs == null || envs.length === 0) return null;
  return (
    <Section title="Environment">
      <div className="table-space">
        <table className="plain-table">
          <thead>
            <tr>
              <th scope="col">Variable</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {envs.map(({ name, value, secret }) => (
              <tr key={name}>
                <td className="mono">{name}</td>
                <td className="mono wrap">{secret === true ? <SecretValue /> : value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

function SecretValue(): ReactElement {
  return (
    <span className="quiet" title="The value is secret">
      <span aria-hidden="true">•••</span>
      <span className="hidden">Secret</span>
    </span>
  );
}
