import type { TransportServices } from '../../../http/transport-services.js';
import type { GraphiqlExamples } from '../../graphiql/graphiql-examples.js';

/** Services and settings of the GraphQL endpoint. */
export interface GraphqlServices extends TransportServices {
  /** Maximum cost of one operation (points). */
  complexityMax: number;
  /** Maximum duration of one operation (ms). */
  operationMsMax: number;
  /** Texts of the documents that clients may name by id. */
  trustedDocuments: ReadonlyMap<string, string>;
  /** Whether only trusted documents are executed. */
  areOnlyTrusted: boolean;
  examples: GraphiqlExamples;
}
