package dev.varve.conformance;

import dev.varve.platform.mtp.MtpFile;
import dev.varve.testkit.OfArchitecture;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/** A random model with a block or an assistant that proposes its tokens one after the other. */
interface BlockModel extends OfArchitecture {
    /** Returns all of them. */
    static Stream<BlockModel> all() {
        return Stream.concat(
                Arrays.stream(MtpModels.values()), Arrays.stream(AssistantModels.values()));
    }

    /** Writes the model's file into a folder, once. */
    Path write(Path folder) throws IOException;

    /** Opens the block or assistant that proposes tokens. */
    MtpFile block(Path folder) throws IOException;

    /** Returns random tokens of a text. */
    int[] tokens(int count, long seed);
}
