/**
 * @generated SignedSource<<ff18971566f374472ae1db9584310ac0>>
 * @relayHash c8fbc3a21c647f6a9e8dbf57626dba2e
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 2e88dc35550f9face7c4207c9b0582a3e7da46601cbf932ea9f286deec918b6e

import type { ConcreteRequest } from 'relay-runtime';
import type { FragmentRefs } from "relay-runtime";
export type ErrorCode = "access_denied" | "already_shared" | "budget_exceeded" | "conflict" | "cursor_expired" | "cursor_invalid" | "cursor_mismatch" | "document_not_trusted" | "forbidden" | "headers_too_large" | "idempotency_key_in_use" | "idempotency_key_reused" | "in_use" | "internal_error" | "invalid_api_version" | "invalid_input" | "invalid_parameter" | "invalid_request" | "last_admin" | "lease_lost" | "method_not_allowed" | "name_taken" | "not_acceptable" | "not_deletable" | "not_found" | "payload_too_large" | "persisted_query_not_found" | "protected" | "query_too_complex" | "quota_exceeded" | "reader_too_slow" | "request_timeout" | "share_not_pending" | "timeout" | "too_many_requests" | "unauthorized" | "unavailable" | "unsupported_media_type" | "version_mismatch" | "workspace_required" | "%future added value";
export type Generation = "MK2" | "MK3" | "%future added value";
export type TriggerType = "CRON" | "HTTP" | "HTTP_ASYNC" | "%future added value";
export type VolumeType = "EPHEMERAL" | "PERSISTENT" | "%future added value";
export type UpdateAgentInput = {
  id?: string | null | undefined;
  ifVersion?: number | null | undefined;
  metadata?: MetadataUpdateInput | null | undefined;
  name?: string | null | undefined;
  spec?: AgentSpecUpdateInput | null | undefined;
  validateOnly?: boolean | null | undefined;
  workspace?: string | null | undefined;
};
export type MetadataUpdateInput = {
  displayName?: string | null | undefined;
  externalId?: string | null | undefined;
  labels?: ReadonlyArray<LabelInput> | null | undefined;
  protected?: boolean | null | undefined;
};
export type LabelInput = {
  key: string;
  value: string;
};
export type AgentSpecUpdateInput = {
  enabled?: boolean | null | undefined;
  policies?: ReadonlyArray<string> | null | undefined;
  public?: boolean | null | undefined;
  region?: string | null | undefined;
  repository?: RepositoryUpdateInput | null | undefined;
  revision?: RevisionConfigurationUpdateInput | null | undefined;
  runtime?: AgentRuntimeUpdateInput | null | undefined;
  triggers?: ReadonlyArray<TriggerInput> | null | undefined;
  volumes?: ReadonlyArray<VolumeAttachmentInput> | null | undefined;
};
export type RepositoryUpdateInput = {
  type?: string | null | undefined;
  url?: string | null | undefined;
};
export type RevisionConfigurationUpdateInput = {
  active?: string | null | undefined;
  canary?: string | null | undefined;
  canaryPercent?: number | null | undefined;
  stickySessionTtl?: number | null | undefined;
  traffic?: number | null | undefined;
};
export type AgentRuntimeUpdateInput = {
  envs?: ReadonlyArray<EnvInput> | null | undefined;
  generation?: Generation | null | undefined;
  image?: string | null | undefined;
  maxScale?: number | null | undefined;
  memory?: number | null | undefined;
  minScale?: number | null | undefined;
};
export type EnvInput = {
  name: string;
  secret?: boolean | null | undefined;
  value?: string | null | undefined;
};
export type TriggerInput = {
  configuration?: TriggerConfigurationInput | null | undefined;
  enabled?: boolean | null | undefined;
  id?: string | null | undefined;
  type: TriggerType;
};
export type TriggerConfigurationInput = {
  authenticationType?: string | null | undefined;
  callbackUrl?: string | null | undefined;
  path?: string | null | undefined;
  retry?: number | null | undefined;
  schedule?: string | null | undefined;
  tasks?: ReadonlyArray<unknown> | null | undefined;
  timeout?: number | null | undefined;
};
export type VolumeAttachmentInput = {
  mountPath: string;
  name: string;
  readOnly?: boolean | null | undefined;
  sizeMb?: number | null | undefined;
  type?: VolumeType | null | undefined;
};
export type agentsRenameMutation$variables = {
  input: UpdateAgentInput;
};
export type agentsRenameMutation$data = {
  readonly updateAgent: {
    readonly agent?: {
      readonly id: string;
      readonly " $fragmentSpreads": FragmentRefs<"agents_agent">;
    };
    readonly code?: ErrorCode;
    readonly message?: string;
  };
};
export type agentsRenameMutation = {
  response: agentsRenameMutation$data;
  variables: agentsRenameMutation$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "input"
  }
],
v1 = [
  {
    "kind": "Variable",
    "name": "input",
    "variableName": "input"
  }
],
v2 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v3 = {
  "kind": "InlineFragment",
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "code",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "message",
      "storageKey": null
    }
  ],
  "type": "Error",
  "abstractKey": "__isError"
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "agentsRenameMutation",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "updateAgent",
        "plural": false,
        "selections": [
          {
            "kind": "InlineFragment",
            "selections": [
              {
                "alias": null,
                "args": null,
                "concreteType": "Agent",
                "kind": "LinkedField",
                "name": "agent",
                "plural": false,
                "selections": [
                  (v2/*:: as any*/),
                  {
                    "args": null,
                    "kind": "FragmentSpread",
                    "name": "agents_agent"
                  }
                ],
                "storageKey": null
              }
            ],
            "type": "UpdateAgentPayload",
            "abstractKey": null
          },
          (v3/*:: as any*/)
        ],
        "storageKey": null
      }
    ],
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "agentsRenameMutation",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "updateAgent",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "__typename",
            "storageKey": null
          },
          {
            "kind": "InlineFragment",
            "selections": [
              {
                "alias": null,
                "args": null,
                "concreteType": "Agent",
                "kind": "LinkedField",
                "name": "agent",
                "plural": false,
                "selections": [
                  (v2/*:: as any*/),
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "version",
                    "storageKey": null
                  },
                  {
                    "alias": null,
                    "args": null,
                    "concreteType": "Metadata",
                    "kind": "LinkedField",
                    "name": "metadata",
                    "plural": false,
                    "selections": [
                      {
                        "alias": null,
                        "args": null,
                        "kind": "ScalarField",
                        "name": "name",
                        "storageKey": null
                      },
                      {
                        "alias": null,
                        "args": null,
                        "kind": "ScalarField",
                        "name": "displayName",
                        "storageKey": null
                      }
                    ],
                    "storageKey": null
                  }
                ],
                "storageKey": null
              }
            ],
            "type": "UpdateAgentPayload",
            "abstractKey": null
          },
          (v3/*:: as any*/)
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "id": "2e88dc35550f9face7c4207c9b0582a3e7da46601cbf932ea9f286deec918b6e",
    "metadata": {},
    "name": "agentsRenameMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "4c5dd87d26e86f6ce7208236e0aec480";

export default node;
