-- Finds the executions whose retention is over.
CREATE INDEX job_execution_completed_at_idx ON job_execution (completed_at);
