import { Autocomplete } from '@base-ui/react/autocomplete';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { fieldWord } from '../look/labels.js';
import { leaveEscape } from '../look/suggested-input.js';
import type { Changeable } from './changeables.js';
import { FieldRow } from './field-row.js';
import { useFormContext } from './form-context.js';
import type { FieldProps } from './shape-field.js';

const imagesQuery = graphql(`
  query ImageOptions($workspace: String!, $search: String, $filter: ImageFilter!) {
    images(workspace: $workspace, first: 30, search: $search, filter: $filter) {
      nodes {
        id
        metadata {
          name
          sourceWorkspaceName
        }
        spec {
          tags(first: 5) {
            nodes {
              id
              name
            }
          }
        }
      }
    }
  }
`);

/** Images are of one kind of workload. */
const resourceTypes = new Map<Changeable, 'AGENTS' | 'SANDBOXES' | 'JOBS'>([
  ['Agent', 'AGENTS'],
  ['Sandbox', 'SANDBOXES'],
  ['Job', 'JOBS'],
]);

interface ImageOption {
  value: string;
  hint: string;
}

/** The image of a workload: one of the workspace, shared ones included, with its tag, or any other reference. */
export function ImageField({ shape, path, value, onChange }: FieldProps): ReactElement {
  const { resource } = useFormContext();
  const workspace = resource?.workspace;
  const reference = typeof value === 'string' ? value : '';
  const [isOpen, setOpen] = useState(false);
  const search = useLater(nameIn(reference), 200);
  const resourceType = resource && resourceTypes.get(resource.type);
  const [{ data }] = useAnswer({
    query: imagesQuery,
    variables: {
      workspace: workspace ?? '',
      search: search.length < 2 ? null : search,
      filter: resourceType === undefined ? {} : { resourceType: { in: [resourceType] } },
    },
    pause: workspace === undefined,
    requestPolicy: 'cache-and-network',
  });
  const options = optionsIn(data).filter(({ value: each }) => each.includes(reference.trim()) && each !== reference);
  return (
    <FieldRow path={path} label={fieldWord(shape.name)} hint={`${shape.hint} Pick an image, or enter any reference.`}>
      {({ id, describedBy, isInvalid }) => (
        <Autocomplete.Root
          items={options}
          mode="none"
          openOnInputClick
          // Without options there is no list, also while those of another search are loading.
          open={isOpen && options.length > 0}
          onOpenChange={setOpen}
          value={reference}
          itemToStringValue={(option: ImageOption) => option.value}
          onValueChange={(next, details) => {
            if (!leaveEscape(details)) onChange(next === '' ? undefined : next);
          }}
        >
          <Autocomplete.Input
            className="field mono"
            id={id}
            // While the list is open, everything around the input is hidden, its label too.
            aria-label={fieldWord(shape.name)}
            aria-describedby={describedBy}
            aria-invalid={isInvalid}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            placeholder="name:tag"
          />
          <Autocomplete.Portal>
            <Autocomplete.Positioner className="positioner" sideOffset={4} align="start">
              <Autocomplete.Popup className="popup image-options">
                <Autocomplete.List aria-label="Images">
                  {(option: ImageOption) => (
                    <Autocomplete.Item key={option.value} value={option}>
                      <span className="mono">{option.value}</span>
                      {option.hint !== '' && <span className="quiet end">{option.hint}</span>}
                    </Autocomplete.Item>
                  )}
                </Autocomplete.List>
              </Autocomplete.Popup>
            </Autocomplete.Positioner>
          </Autocomplete.Portal>
        </Autocomplete.Root>
      )}
    </FieldRow>
  );
}

/** Each image with its newest tags, or without a tag if it has none. */
function optionsIn(data: ResultOf<typeof imagesQuery> | undefined): ImageOption[] {
  return (data?.images?.nodes ?? []).flatMap(({ metadata, spec }) => {
    const hint = metadata.sourceWorkspaceName === null ? '' : `shared by ${metadata.sourceWorkspaceName}`;
    const tags = spec.tags?.nodes ?? [];
    if (tags.length === 0) return [{ value: metadata.name, hint }];
    return tags.map(({ name }) => ({ value: `${metadata.name}:${name}`, hint }));
  });
}

/** The name in a reference, without registry and tag. */
function nameIn(reference: string): string {
  return reference.split('/').at(-1)?.split(/[:@]/)[0]?.trim() ?? '';
}

/** A value once it has not changed for a while (ms). */
function useLater(value: string, afterMs: number): string {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return later;
}
