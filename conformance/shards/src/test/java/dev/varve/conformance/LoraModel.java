package dev.varve.conformance;

import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.remote.BoundaryType;
import dev.varve.platform.remote.ShardLink;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.testkit.DecoderLayout;
import dev.varve.testkit.DecoderModel;
import dev.varve.testkit.TensorType;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;

/** A random model for tests of LoRA adapters, and a listening process that finds its files. */
final class LoraModel implements AutoCloseable {
    /** Name of a device of this process. */
    static final String HERE = "cpu:0";

    /** Name of a device of another process. */
    static final String THERE = "cpu:0@process";

    private static final RandomModel SPEC =
            RandomModel.of(new DecoderModel(DecoderLayout.QWEN3MOE, 1, TensorType.Q8_0));

    private final Path folder;
    private final Path file;
    private final ShardProgram program;
    private final ListeningShard process;

    private LoraModel(Path folder, Path file, ShardProgram program, ListeningShard process) {
        this.folder = folder;
        this.file = file;
        this.program = program;
        this.process = process;
    }

    /**
     * Writes the model and starts the process.
     *
     * @param folder of the files, for the process too
     * @param installation an empty folder
     */
    static LoraModel start(Path folder, Path installation) throws Exception {
        Path file = SPEC.write(folder);
        ShardProgram program = ShardProgram.install(folder, installation);
        return new LoraModel(folder, file, program, ListeningShard.start(program));
    }

    Path file() {
        return file;
    }

    /** Starts processes that belong to a server. */
    ShardProgram program() {
        return program;
    }

    /** A prompt of several chunks. */
    int[] prompt() {
        return SPEC.tokens(120, 1);
    }

    /** Writes an adapter of the model beside it. */
    Path writeAdapter(String name, long seed) throws IOException {
        return RandomAdapter.write(file, folder.resolve(name), seed);
    }

    /** The model with adapters and their scales, whose other process is the listening one. */
    SplitModel split(ModelSettings settings, Map<Path, Float> adapters) {
        return split(settings, adapters, device -> process.link());
    }

    /** The model with adapters and their scales. */
    SplitModel split(
            ModelSettings settings,
            Map<Path, Float> adapters,
            Function<DeviceReference, ShardLink> links) {
        return SplitModel.of(file, settings, BoundaryType.F32, links).with(adapters);
    }

    @Override
    public void close() {
        process.close();
    }
}
