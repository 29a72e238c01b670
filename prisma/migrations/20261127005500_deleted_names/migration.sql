-- Usage can name a resource that was deleted since.
CREATE INDEX change_deleted_names ON change (account_id, workspace_id, kind, name) WHERE verb = 'deleted';
