package dev.varve.conformance;

import dev.varve.platform.mtp.MtpFile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/** A random model with what guesses its tokens one after the other. */
interface BlockModel {
    /** All of them. */
    static Stream<BlockModel> all() {
        return Stream.concat(
                Arrays.stream(MtpModels.values()), Arrays.stream(AssistantModels.values()));
    }

    /** Writes the model's file into a folder, once. */
    Path write(Path folder) throws IOException;

    /** What guesses. */
    MtpFile block(Path folder) throws IOException;

    /** Random tokens of a text. */
    int[] tokens(int count, long seed);
}
