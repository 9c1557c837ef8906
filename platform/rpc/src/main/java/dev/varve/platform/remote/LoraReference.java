package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.content.FileIdentity;
import dev.varve.platform.shard.lora.LoraAdapter;

import java.util.List;
import java.util.Optional;

/**
 * A LoRA adapter of a model, as both sides must see it.
 *
 * @param name file name
 * @param digest {@link ModelDigest} of the file
 * @param files {@link FileIdentity#digest} of the file; empty where that is not known
 * @param scale factor that the operator chose
 */
public record LoraReference(String name, String digest, Optional<String> files, float scale) {
    /** Most adapters of a model. */
    static final int MOST = 256;

    /** Describes an adapter that this process sees. */
    public static LoraReference of(LoraAdapter adapter) {
        GgufFile file = adapter.file();
        return new LoraReference(
                file.path().getFileName().toString(),
                ModelDigest.of(file),
                FileIdentity.digest(file.parts()),
                adapter.scale());
    }

    /** Describes all adapters of a model. */
    static List<LoraReference> of(List<LoraAdapter> adapters) {
        return adapters.stream().map(LoraReference::of).toList();
    }

    /**
     * Opens the file of the same name in this process.
     *
     * @throws VarveException if there is none, or of kind INVALID_REQUEST if it is another one
     */
    LoraAdapter open(ShardResources host) {
        LoraAdapter mine = LoraAdapter.of(host.lora(name), scale);
        String found = ModelDigest.of(mine.file());
        if (!found.equals(digest)) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    name
                            + ": the server and this shard have different files: digest "
                            + digest
                            + " on the server, "
                            + found
                            + " on the shard");
        }
        return mine;
    }

    /** Whether another process sees the same file in the same state. */
    boolean hasSameFile(LoraAdapter mine) {
        return files.isPresent() && files.equals(FileIdentity.digest(mine.file().parts()));
    }

    void put(FieldWriter fields) {
        fields.text(name).text(digest).text(files.orElse("")).real(scale);
    }

    static LoraReference get(FieldReader fields) {
        String name = ShardLoadRequest.fileName("adapter", fields);
        String digest = fields.text("digest of the adapter", ShardLoadRequest.DIGEST);
        Optional<String> files = ShardLoadRequest.fileStates(fields);
        float scale = (float) fields.real("scale of the adapter");
        if (!Float.isFinite(scale)) {
            throw FieldReader.invalid("scale of the adapter", "a finite number", "another");
        }
        return new LoraReference(name, digest, files, scale);
    }
}
