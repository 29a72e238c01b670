-- A change that a quota or a budget refuses has to fail in its last statement, because COMMIT is sent with it. SQL alone
-- cannot raise an error with a detail.
CREATE FUNCTION refuse_change(refusal text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The change is refused' USING ERRCODE = 'WCP01', DETAIL = refusal;
END $$;
