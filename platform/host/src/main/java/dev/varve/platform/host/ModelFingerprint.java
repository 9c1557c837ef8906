package dev.varve.platform.host;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.platform.remote.ModelDigest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.Map;

/**
 * Fingerprint of a model file: its metadata and tensors, and samples of every tensor's values,
 * since fine-tuned models differ only in values. Reading all values would take as long as loading
 * them. Digests of all values are not part of it even if they are known ({@link
 * dev.varve.platform.content.TensorDigests}): the same cache entries must be found with or without
 * them.
 */
final class ModelFingerprint {
    private static final int SAMPLES = 8;
    private static final int SAMPLE_BYTES = 4 << 10;

    private ModelFingerprint() {}

    /** Adds the content of a file to a digest. */
    static void add(MessageDigest digest, GgufFile file) {
        digest.update(ModelDigest.of(file).getBytes(StandardCharsets.US_ASCII));
        Map<Path, FileChannel> channels = new HashMap<>();
        try {
            for (GgufTensor tensor : file.tensors()) {
                FileChannel channel = channels.get(tensor.file());
                if (channel == null) {
                    channel = FileChannel.open(tensor.file());
                    channels.put(tensor.file(), channel);
                }
                add(digest, channel, tensor);
            }
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    file.path() + ": cannot be read: " + FileErrors.reason(e),
                    e);
        } finally {
            channels.values().forEach(ModelFingerprint::close);
        }
    }

    private static void add(MessageDigest digest, FileChannel channel, GgufTensor tensor)
            throws IOException {
        long step = Math.max(SAMPLE_BYTES, tensor.bytes() / SAMPLES);
        ByteBuffer sample = ByteBuffer.allocate(SAMPLE_BYTES);
        for (long at = 0; at < tensor.bytes(); at += step) {
            sample.clear().limit((int) Math.min(SAMPLE_BYTES, tensor.bytes() - at));
            while (sample.hasRemaining()) {
                if (channel.read(sample, tensor.offset() + at + sample.position()) < 0) {
                    throw new IOException("the file has become shorter");
                }
            }
            digest.update(sample.flip());
        }
    }

    private static void close(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // Ignored: the file was only read.
        }
    }
}
