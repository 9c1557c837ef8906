package dev.varve.platform.shard.streaming;

import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.gguf.ModelFormatException;

import java.util.List;

/**
 * The experts of one layer: all matrices with the same prefix. An expert has memory in all of its
 * matrices or in none.
 */
public final class ExpertGroup {
    private static final String DOWN = "_down_exps.weight";

    /** The end of a name that contains that of another one comes first. */
    private static final List<String> MATRICES =
            List.of("_gate_up_exps.weight", "_up_exps.weight", "_gate_exps.weight", DOWN);

    private final String prefix;
    private final List<Matrix> matrices;
    private final int experts;

    /** A matrix {@code [in, out, experts]} and its file. */
    record Matrix(GgufTensor tensor, StreamedFile file) {
        long bytesPerExpert() {
            return tensor.bytes() / tensor.ne(2);
        }

        /** Whether it is the last one that a layer uses. */
        boolean isDown() {
            return tensor.name().endsWith(DOWN);
        }

        Range range(int expert) {
            return new Range(this, tensor.offset() + expert * bytesPerExpert(), bytesPerExpert());
        }
    }

    /** Bytes of one expert in a matrix, with the offset in the file. */
    record Range(Matrix matrix, long offset, long bytes) {
        long firstPage() {
            return StreamedFile.floor(offset);
        }

        long endPage() {
            return StreamedFile.ceil(offset + bytes);
        }
    }

    ExpertGroup(String prefix, List<Matrix> matrices) {
        this.prefix = prefix;
        this.matrices = List.copyOf(matrices);
        experts = Math.toIntExact(matrices.getFirst().tensor().ne(2));
        for (Matrix matrix : matrices) {
            GgufTensor tensor = matrix.tensor();
            if (tensor.ne(2) != experts || tensor.bytes() % experts != 0) {
                throw new ModelFormatException(
                        tensor.file(), tensor.name(), experts + " experts", tensor.describe());
            }
        }
    }

    /** Returns the common begin of the names of a layer's matrices. */
    public static String prefixOf(String name) {
        return MATRICES.stream()
                .filter(name::endsWith)
                .map(end -> name.substring(0, name.length() - end.length()))
                .findFirst()
                .orElse(name);
    }

    String prefix() {
        return prefix;
    }

    /** Number of experts. */
    public int experts() {
        return experts;
    }

    /** Bytes of one expert, in whole pages: the most that any of them uses. */
    long bytesPerExpert() {
        return matrices.stream()
                .mapToLong(matrix -> StreamedFile.ceil(matrix.bytesPerExpert()) + StreamedFile.PAGE)
                .sum();
    }

    List<Range> ranges(int expert) {
        return matrices.stream().map(matrix -> matrix.range(expert)).toList();
    }
}
