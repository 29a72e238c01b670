-- The tag of an image that is held while its tags change. A statement of a volatile function sees what is committed when it
-- begins: whoever waited for the image finds the tag here as the other one has left it, by the statement that waited.
CREATE FUNCTION "tag_of_image"("of_image" UUID, "of_name" TEXT) RETURNS JSON LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN (SELECT json_build_object('id', t."id", 'key', t."created_at", 'version', t."version", 'name', t."name",
            'size', t."size", 'createdAt', t."created_at", 'updatedAt', t."updated_at")
        FROM "image_tag" AS t WHERE t."image_id" = "of_image" AND t."name" = "of_name");
END $$;
