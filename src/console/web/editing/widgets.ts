import type { ReactElement } from 'react';
import { CronField } from './cron-field.js';
import { EnvironmentField } from './environment-field.js';
import { ImageField } from './image-field.js';
import { NameField } from './name-field.js';
import { RegionField } from './region-field.js';
import type { FieldProps } from './shape-field.js';
import { TriggersField } from './triggers-field.js';

/** The fields with a control of their own, by path. All others follow from their type. */
export const widgets: Readonly<Record<string, (props: FieldProps) => ReactElement>> = {
  'metadata.name': NameField,
  'spec.region': RegionField,
  'spec.runtime.image': ImageField,
  'spec.runtime.envs': EnvironmentField,
  'spec.triggers': TriggersField,
  'spec.schedule': CronField,
};
