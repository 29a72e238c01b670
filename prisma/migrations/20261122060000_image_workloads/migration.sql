-- What runs an image is found by the name that its workload gives to the image, whichever registry and tag stand around it.

CREATE FUNCTION "image_name"("reference" TEXT) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN substring(reference from '^(?:.*/)?([^/:@]+)(?::[^/@]*)?(?:@[^/]*)?$');
END $$;

DO $$
DECLARE "kind" TEXT;
BEGIN
    FOREACH kind IN ARRAY ARRAY['agent', 'sandbox', 'job'] LOOP
        EXECUTE format(
            'CREATE INDEX %I ON %I ("workspace_id", (image_name("spec"#>>''{runtime,image}'')), "name") WHERE "spec"#>>''{runtime,image}'' IS NOT NULL',
            kind || '_workspace_id_image_name_name_idx', kind);
    END LOOP;
END $$;
