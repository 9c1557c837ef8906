package dev.varve.platform.draft;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.gguf.ModelFormatException;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Optional;

/** Maps the rows of a draft's head to tokens of the target. */
final class DraftVocabulary {
    private final int vocabulary;
    private final Optional<int[]> targets;

    private DraftVocabulary(int vocabulary, Optional<int[]> targets) {
        this.vocabulary = vocabulary;
        this.targets = targets;
    }

    /**
     * Reads the map.
     *
     * @throws ModelFormatException if an entry is no token of the target
     */
    static DraftVocabulary of(DraftFile draft) {
        int vocabulary = draft.network().sizes().vocabulary();
        return new DraftVocabulary(vocabulary, draft.tokens().map(t -> read(t, vocabulary)));
    }

    private static int[] read(GgufTensor tensor, int vocabulary) {
        if (tensor.type() != GgmlType.I64) {
            throw new ModelFormatException(tensor.file(), tensor.name(), "I64", tensor.describe());
        }
        ByteBuffer bytes =
                ByteBuffer.allocate(Math.toIntExact(tensor.bytes())).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel channel = FileChannel.open(tensor.file(), StandardOpenOption.READ)) {
            while (bytes.hasRemaining()) {
                if (channel.read(bytes, tensor.offset() + bytes.position()) < 0) {
                    throw new EOFException(tensor.name());
                }
            }
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    tensor.file() + ": cannot be read: " + FileErrors.reason(e),
                    e);
        }
        int[] ids = new int[bytes.capacity() / Long.BYTES];
        for (int i = 0; i < ids.length; i++) {
            long id = bytes.getLong(i * Long.BYTES);
            if (id < 0 || id >= vocabulary) {
                throw new ModelFormatException(
                        tensor.file(),
                        tensor.name(),
                        "tokens of the target, 0 to " + (vocabulary - 1),
                        id + " for token " + i);
            }
            ids[i] = (int) id;
        }
        return ids;
    }

    /** The target's token of each row; empty if they are the same. */
    Optional<int[]> targets() {
        return targets;
    }

    /** Returns the tokens of the first rows, up to an invalid one, which a NaN may cause. */
    int[] targets(int[] rows, int most) {
        int[] tokens = new int[most];
        for (int i = 0; i < most; i++) {
            int row = rows[i];
            if (row < 0 || row >= targets.map(ids -> ids.length).orElse(vocabulary)) {
                return Arrays.copyOf(tokens, i);
            }
            tokens[i] = targets.isPresent() ? targets.get()[row] : row;
        }
        return tokens;
    }
}
