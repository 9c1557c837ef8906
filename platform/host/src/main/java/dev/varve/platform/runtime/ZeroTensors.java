package dev.varve.platform.runtime;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Matrices of a model file that hold only zeros, or zeros in long stretches. An aborted download
 * that reserved its space first leaves a file of the full size that ends in zeros. Matrices of only
 * zeros may be intended, as those of a disabled layer.
 *
 * <p>Values are sampled: two blocks are read of a valid matrix, which takes milliseconds for a
 * model of any size, and {@value #SAMPLES} of a matrix with zeros there.
 *
 * @param tensors tensors with zeros in at least {@value #FEWEST} of {@value #SAMPLES} samples
 * @param bytes estimated bytes of their zeros
 * @param ending estimated bytes of zeros at the ends of files, including vectors
 */
public record ZeroTensors(GgufFile file, List<GgufTensor> tensors, long bytes, long ending) {
    private static final int SAMPLES = 8;
    private static final int FEWEST = 2;
    private static final int SAMPLE_BYTES = 4 << 10;

    /** Part of a file; a file that ends in more zeros is rejected. */
    private static final double MOST_ZEROS = 0.05;

    /** Copies the list. */
    public ZeroTensors {
        tensors = List.copyOf(tensors);
    }

    /**
     * Opens a file to load as a model, a draft model or a drafter: rejects files that hold
     * something else or end in zeros.
     *
     * @param warn receives a warning about a file that is used nevertheless
     * @throws VarveException if the file cannot be read, violates the format, holds no model or
     *     lacks a part of its weights
     */
    public static GgufFile requireWeights(Path path, Consumer<String> warn) {
        GgufFile file = GgufFile.open(path).requireModel();
        ZeroTensors zeros = of(file);
        zeros.requireFew();
        zeros.describe().ifPresent(warn);
        return file;
    }

    /**
     * Samples the matrices of a file.
     *
     * @throws VarveException of kind UNREADABLE_FILE if it cannot be read
     */
    public static ZeroTensors of(GgufFile file) {
        try (Samples samples = new Samples()) {
            List<GgufTensor> found = new ArrayList<>();
            long bytes = 0;
            for (GgufTensor tensor : file.tensors()) {
                // Vectors may be zero, as untrained biases are.
                int zeros = tensor.ne(1) == 1 ? 0 : samples.zeros(tensor);
                if (zeros >= FEWEST) {
                    found.add(tensor);
                    bytes += tensor.bytes() / SAMPLES * zeros;
                }
            }
            return new ZeroTensors(file, found, bytes, found.isEmpty() ? 0 : ending(file, samples));
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    file.path() + ": cannot be read: " + FileErrors.reason(e),
                    e);
        }
    }

    private static long ending(GgufFile file, Samples samples) throws IOException {
        long ending = 0;
        for (Path part : file.parts()) {
            List<GgufTensor> backwards =
                    file.tensors().stream()
                            .filter(tensor -> tensor.file().equals(part))
                            .sorted(Comparator.comparingLong(GgufTensor::offset).reversed())
                            .toList();
            for (GgufTensor tensor : backwards) {
                int zeros = samples.zeros(tensor);
                ending += zeros < FEWEST ? 0 : tensor.bytes() / SAMPLES * zeros;
                if (zeros < SAMPLES) {
                    break;
                }
            }
        }
        return ending;
    }

    /** Reads samples of tensors. */
    private static final class Samples implements AutoCloseable {
        private final Map<Path, FileChannel> channels = new HashMap<>();

        /** Returns the number of zero samples; the outer two decide whether the others are read. */
        int zeros(GgufTensor tensor) throws IOException {
            int zeros = 0;
            for (int i : new int[] {SAMPLES - 1, 0}) {
                zeros += isZero(tensor, i) ? 1 : 0;
            }
            for (int i = 1; zeros > 0 && i < SAMPLES - 1; i++) {
                zeros += isZero(tensor, i) ? 1 : 0;
            }
            return zeros;
        }

        /** Whether the middle of one of {@value #SAMPLES} equal parts is zeros. */
        private boolean isZero(GgufTensor tensor, int part) throws IOException {
            int length = Math.clamp(tensor.bytes() / SAMPLES, 1, SAMPLE_BYTES);
            double middle = (part + 0.5) / SAMPLES;
            long at = Math.clamp((long) (tensor.bytes() * middle), 0, tensor.bytes() - length);
            ByteBuffer sample = ByteBuffer.allocate(length);
            FileChannel channel = channel(tensor.file());
            while (sample.hasRemaining()) {
                if (channel.read(sample, tensor.offset() + at + sample.position()) < 0) {
                    throw new IOException("the file has become shorter");
                }
            }
            for (byte each : sample.array()) {
                if (each != 0) {
                    return false;
                }
            }
            return true;
        }

        private FileChannel channel(Path file) throws IOException {
            FileChannel channel = channels.get(file);
            if (channel == null) {
                channel = FileChannel.open(file);
                channels.put(file, channel);
            }
            return channel;
        }

        @Override
        public void close() {
            for (FileChannel channel : channels.values()) {
                try {
                    channel.close();
                } catch (IOException e) {
                    // Ignored: the file was only read.
                }
            }
        }
    }

    private void requireFew() {
        if (ending > MOST_ZEROS * file.tensorBytes()) {
            throw new VarveException(VarveException.Kind.CORRUPT_FILE, describe().orElseThrow());
        }
    }

    /** Returns the finding and its remedy; empty if there is none. */
    public Optional<String> describe() {
        if (tensors.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                String.format(
                        Locale.ROOT,
                        "%s: %d of %d tensors contain only zeros instead of weights (about %.0f %%"
                            + " of the file, for example %s): an unfinished download that reserved"
                            + " its space leaves such a file; compare its SHA-256 with the"
                            + " published one, or download it again",
                        tensors.getFirst().file().getFileName(),
                        tensors.size(),
                        file.tensors().size(),
                        100.0 * bytes / Math.max(1, file.tensorBytes()),
                        tensors.getFirst().name()));
    }
}
