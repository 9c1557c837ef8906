package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.content.FileIdentity;

import java.util.Optional;

/**
 * A file, as both sides must see it.
 *
 * @param name file name
 * @param digest {@link ModelDigest} of the file
 * @param files {@link FileIdentity#digest} of its parts; empty where that is not known
 */
public record FileReference(String name, String digest, Optional<String> files) {
    /** Describes a file that this process sees. */
    public static FileReference of(GgufFile file) {
        return new FileReference(
                file.path().getFileName().toString(),
                ModelDigest.of(file),
                FileIdentity.digest(file.parts()));
    }

    /** Whether another process sees the same file in the same state. */
    boolean hasSameFile(FileReference other) {
        return files.isPresent() && files.equals(other.files);
    }

    /**
     * Checks that another process sees a file with the same header.
     *
     * @throws VarveException of kind INVALID_REQUEST if not
     */
    void requireAlike(FileReference mine) {
        if (!digest.equals(mine.digest)) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    name
                            + ": the server and this shard have different files: digest "
                            + digest
                            + " on the server, "
                            + mine.digest
                            + " on the shard");
        }
    }

    void put(FieldWriter fields) {
        fields.text(name).text(digest).text(files.orElse(""));
    }

    static FileReference get(FieldReader fields) {
        return new FileReference(
                ShardLoadRequest.fileName("file", fields),
                fields.text("digest", ShardLoadRequest.DIGEST),
                ShardLoadRequest.fileStates(fields));
    }
}
