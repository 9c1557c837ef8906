package dev.varve.platform.remote;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.platform.digest.Sha256;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;

/**
 * Identity of a model file: SHA-256 over the header of every part (metadata and tensor table) and
 * the parts' sizes. Two files with the same digest have the same tensors of the same types at the
 * same places; the weights themselves are not read, since that takes as long as loading them.
 */
public final class ModelDigest {
    private static final int BLOCK = 1 << 20;

    private ModelDigest() {}

    /** Returns 64 hexadecimal digits. */
    public static String of(GgufFile file) {
        try {
            MessageDigest digest = Sha256.begin();
            for (Path part : file.parts()) {
                add(digest, file, part);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    file.path() + ": cannot be read: " + FileErrors.reason(e),
                    e);
        }
    }

    private static void add(MessageDigest digest, GgufFile file, Path part) throws IOException {
        try (FileChannel channel = FileChannel.open(part)) {
            long end =
                    file.tensors().stream()
                            .filter(tensor -> tensor.file().equals(part))
                            .mapToLong(GgufTensor::offset)
                            .min()
                            .orElse(channel.size());
            digest.update(ByteBuffer.allocate(Long.BYTES).putLong(channel.size()).flip());
            ByteBuffer block = ByteBuffer.allocate(BLOCK);
            for (long at = 0; at < end; ) {
                block.clear().limit((int) Math.min(BLOCK, end - at));
                int count = channel.read(block, at);
                if (count < 0) {
                    throw new IOException("the file became shorter");
                }
                digest.update(block.flip());
                at += count;
            }
        }
    }
}
