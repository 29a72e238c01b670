import { PartialResource } from '../../store/read/resource.js';
import { builder } from './builder.js';
import { rowFields } from './row-fields.js';

const ofRow = rowFields<{ name: string }>().of(['name'], ({ name }) => name);

/** The interface of types with a name. Resources get the field here; other types define it themselves. */
export const NamedInterface = builder.interfaceRef<object>('Named').implement({
  description: 'An object with a name.',
  fields: (t) => ({
    name: t.string({
      nullable: false,
      description: 'Name. For types with metadata, equal to `metadata.name`.',
      extensions: ofRow.extensions,
      resolve: (named) => {
        if (named instanceof PartialResource) return ofRow.resolve(named);
        throw new Error('A type that is not of a resource kind resolves its name itself.');
      },
    }),
  }),
});
