package dev.varve.plugin.qwen35;

import dev.varve.api.vision.ImageEncoderProvider;
import dev.varve.contracts.ImageEncoderContract;
import dev.varve.testkit.Qwen3VlProjector;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A small random encoder. */
class Qwen3VlContractTest extends ImageEncoderContract {
    @Override
    protected ImageEncoderProvider provider() {
        return new Qwen3VlProvider();
    }

    @Override
    protected List<Path> projectors(Path folder) throws IOException {
        return List.of(Qwen3VlProjector.tiny(64).write(folder));
    }
}
