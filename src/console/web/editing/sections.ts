// The sections of forms, in the order in which people decide. Fields come from the schema: a field that no section
// names is in Advanced.
import type { Changeable } from './changeables.js';
import { fieldsBelow } from './shapes.js';
import type { PlacedField } from './shapes.js';

interface SectionPlan {
  title: string;
  /** The paths of its fields, in order. */
  paths: readonly string[];
}

const basics = ['metadata.name', 'metadata.displayName', 'spec.region', 'spec.runtime.image'];

const resources: SectionPlan = {
  title: 'Resources',
  paths: ['spec.runtime.memory', 'spec.runtime.minScale', 'spec.runtime.maxScale', 'spec.runtime.generation'],
};

const environment: SectionPlan = { title: 'Environment', paths: ['spec.runtime.envs'] };

const plans: Partial<Record<Changeable, readonly SectionPlan[]>> = {
  Agent: [{ title: 'Basics', paths: basics }, resources, environment, { title: 'Triggers', paths: ['spec.triggers'] }],
  Sandbox: [{ title: 'Basics', paths: basics }, resources, environment],
  Job: [
    { title: 'Basics', paths: basics },
    resources,
    environment,
    { title: 'Schedule', paths: ['spec.schedule', 'spec.timeZone'] },
  ],
};

/** For kinds with few fields. */
const simplePlan: readonly SectionPlan[] = [
  { title: 'Basics', paths: [...basics, 'spec.sizeMb', 'spec.cidrBlock', 'spec.port', 'spec.public', 'spec.ipFamily'] },
];

export interface Section {
  title: string;
  fields: PlacedField[];
}

/** The sections of the form of an input, and the fields that are in none of them. */
export function sectionsOf(type: Changeable, input: string): { sections: Section[]; advanced: PlacedField[] } {
  const all = fieldsBelow(input).filter(({ path }) => /^(?:metadata|spec)\./.test(path));
  const plan = plans[type] ?? simplePlan;
  const named = new Set(plan.flatMap(({ paths }) => paths));
  return {
    sections: plan
      .map(({ title, paths }) => ({
        title,
        fields: paths.flatMap((path) => all.find((field) => field.path === path) ?? []),
      }))
      .filter(({ fields }) => fields.length > 0),
    advanced: all.filter(({ path }) => !named.has(path)),
  };
}
