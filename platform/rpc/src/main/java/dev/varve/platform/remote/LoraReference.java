package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.content.FileIdentity;
import dev.varve.platform.shard.lora.AdapterChange;
import dev.varve.platform.shard.lora.LoraAdapter;
import dev.varve.platform.wire.Message;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * A LoRA adapter of a model, as both sides must see it.
 *
 * @param number its number in the model, see {@link AdapterChange#number}
 * @param name file name
 * @param digest {@link ModelDigest} of the file
 * @param files {@link FileIdentity#digest} of the file; empty where that is not known
 * @param scale factor that the operator chose
 */
public record LoraReference(
        int number, String name, String digest, Optional<String> files, float scale) {
    /** Most adapters of a model. */
    static final int MOST = AdapterChange.MOST;

    /** Describes an adapter that this process sees. */
    public static LoraReference of(int number, LoraAdapter adapter) {
        GgufFile file = adapter.file();
        return new LoraReference(
                number,
                file.path().getFileName().toString(),
                ModelDigest.of(file),
                FileIdentity.digest(file.parts()),
                adapter.scale());
    }

    /** Describes all adapters of a model. */
    static List<LoraReference> of(SortedMap<Integer, LoraAdapter> adapters) {
        List<LoraReference> references = new ArrayList<>();
        adapters.forEach((number, adapter) -> references.add(of(number, adapter)));
        return references;
    }

    /**
     * Opens the file of the same name in this process.
     *
     * @throws VarveException if there is none, or of kind INVALID_REQUEST if it is another one
     */
    LoraAdapter open(ShardResources host) {
        List<LoraAdapter> found =
                host.loras(name).stream().map(file -> LoraAdapter.of(file, scale)).toList();
        return found.stream()
                .filter(this::hasSameFile)
                .findFirst()
                .or(() -> found.stream().filter(this::hasSameHeader).findFirst())
                .orElseThrow(() -> otherFile(found.getFirst()));
    }

    private boolean hasSameHeader(LoraAdapter mine) {
        return ModelDigest.of(mine.file()).equals(digest);
    }

    private VarveException otherFile(LoraAdapter mine) {
        return new VarveException(
                VarveException.Kind.INVALID_REQUEST,
                name
                        + ": the server and this shard have different files: digest "
                        + digest
                        + " on the server, "
                        + ModelDigest.of(mine.file())
                        + " on the shard");
    }

    /** Whether another process sees the same file in the same state. */
    boolean hasSameFile(LoraAdapter mine) {
        return files.isPresent() && files.equals(FileIdentity.digest(mine.file().parts()));
    }

    void put(FieldWriter fields) {
        fields.number(number).text(name).text(digest).text(files.orElse("")).real(scale);
    }

    static LoraReference get(FieldReader fields) {
        int number = number(fields);
        String name = ShardLoadRequest.fileName("adapter", fields);
        String digest = fields.text("digest of the adapter", ShardLoadRequest.DIGEST);
        Optional<String> files = ShardLoadRequest.fileStates(fields);
        float scale = (float) fields.real("scale of the adapter");
        if (!Float.isFinite(scale)) {
            throw FieldReader.invalid("scale of the adapter", "a finite number", "another");
        }
        return new LoraReference(number, name, digest, files, scale);
    }

    private static int number(FieldReader fields) {
        return fields.number("number of the adapter", 0, MOST - 1);
    }

    /** Encodes the request to add this adapter. */
    Message encodeAdd() {
        FieldWriter fields = new FieldWriter();
        put(fields);
        return Message.of(MessageType.ADD_ADAPTER, fields.done());
    }

    static LoraReference decodeAdd(Message message) {
        FieldReader fields = new FieldReader(message.meta());
        LoraReference reference = get(fields);
        fields.end();
        return reference;
    }

    /** Encodes the request to remove the adapter with a number. */
    static Message encodeRemove(int number) {
        return Message.of(MessageType.REMOVE_ADAPTER, new FieldWriter().number(number).done());
    }

    static int decodeRemove(Message message) {
        FieldReader fields = new FieldReader(message.meta());
        int number = number(fields);
        fields.end();
        return number;
    }
}
