package dev.varve.platform.remote;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.platform.content.FileIdentity;
import dev.varve.platform.draft.DflashSpeculator;
import dev.varve.platform.wire.Message;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Request to load a draft model in a shard process. Both files are named and compared as in a
 * {@link ShardLoadRequest}: the process takes embedding and head from its own copy of the target.
 *
 * @param target model whose tokens the draft proposes
 * @param draft the draft model
 * @param limits how much of the target it uses
 * @param settings how it behaves
 * @param device device that computes it
 */
public record DraftLoadRequest(
        ShardLoadRequest.Model target,
        Draft draft,
        SpeculationTarget.Limits limits,
        DflashSpeculator.DflashSettings settings,
        ShardLoadRequest.Device device) {
    private static final int MOST_SEQUENCES = 1 << 16;

    /**
     * A draft file.
     *
     * @param name file name
     * @param digest {@link ModelDigest} of the file
     * @param files {@link FileIdentity#digest} of its parts; empty where that is not known
     */
    public record Draft(String name, String digest, Optional<String> files) {
        /** Describes the file that this process sees. */
        public static Draft of(GgufFile file) {
            return new Draft(
                    file.path().getFileName().toString(),
                    ModelDigest.of(file),
                    FileIdentity.digest(file.parts()));
        }

        /** Whether another process sees the same files in the same state. */
        boolean hasSameFiles(Draft other) {
            return files.isPresent() && files.equals(other.files);
        }
    }

    Message encode() {
        FieldWriter fields = new FieldWriter();
        target.put(fields);
        fields.text(device.name());
        device.putOptions(fields);
        fields.text(draft.name())
                .text(draft.digest())
                .text(draft.files().orElse(""))
                .number(limits.contextTokens())
                .number(limits.sequences())
                .number(limits.draftTokens())
                .number(EnumCodec.RESIDENCY.number(settings.residency()))
                .number(EnumCodec.FLASH_ATTENTION.number(settings.attention()))
                .number(settings.context());
        return Message.of(MessageType.LOAD_DRAFT, fields.done());
    }

    static DraftLoadRequest decode(Message message) {
        FieldReader fields = new FieldReader(message.meta());
        ShardLoadRequest.Model target = ShardLoadRequest.Model.get(fields);
        ShardLoadRequest.Device device = ShardLoadRequest.Device.get(fields);
        Draft draft =
                new Draft(
                        ShardLoadRequest.fileName("draft", fields),
                        fields.text("draft digest", ShardLoadRequest.DIGEST),
                        ShardLoadRequest.fileStates(fields));
        SpeculationTarget.Limits limits =
                new SpeculationTarget.Limits(
                        fields.number("context", 1, Integer.MAX_VALUE),
                        fields.number("sequences", 1, MOST_SEQUENCES),
                        fields.number("guesses", 1, DraftCodec.MOST_TOKENS));
        DflashSpeculator.DflashSettings settings =
                new DflashSpeculator.DflashSettings(
                        EnumCodec.RESIDENCY.get(fields),
                        EnumCodec.FLASH_ATTENTION.get(fields),
                        fields.number("kept positions", 1, DflashSpeculator.LARGEST_CONTEXT));
        fields.end();
        return new DraftLoadRequest(target, draft, limits, settings, device);
    }

    /** Lists the differences between the server's files and this process's files, for messages. */
    List<String> differences(ShardLoadRequest.Model mine, Draft myDraft) {
        List<String> found = new ArrayList<>(target.differences(mine));
        if (!draft.digest().equals(myDraft.digest())) {
            found.add(
                    draft.name()
                            + ": digest "
                            + draft.digest()
                            + " on the server, "
                            + myDraft.digest()
                            + " on the shard");
        }
        return found;
    }
}
