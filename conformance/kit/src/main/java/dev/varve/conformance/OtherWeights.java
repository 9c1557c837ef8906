package dev.varve.conformance;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Copies of model files with the same header and another tensor. */
final class OtherWeights {
    private OtherWeights() {}

    /** A copy of the same name in which the last bit of a tensor differs. */
    static Path copy(Path file, Path folder, String name) throws IOException {
        Path copy = Files.copy(file, folder.resolve(file.getFileName()));
        GgufTensor tensor = GgufFile.open(copy).requireTensor(name);
        long last = tensor.offset() + tensor.bytes() - 1;
        try (FileChannel channel =
                FileChannel.open(copy, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer value = ByteBuffer.allocate(1);
            channel.read(value, last);
            channel.write(ByteBuffer.wrap(new byte[] {(byte) (value.get(0) ^ 1)}), last);
        }
        return copy;
    }
}
